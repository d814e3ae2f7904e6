/** Shows the page's two notes to the visitor. */
import { find, setText } from './dom';

/** Shows a notice in place of the last one. The text '' removes it. */
export function notify(text: string): void {
  show('notice', text);
}

/** Shows why the engine is not the chosen one, or that a new device replaces a lost one. '' removes the note. */
export function showEngineNote(text: string): void {
  show('engine-note', text);
}

function show(id: string, text: string): void {
  setText(id, text);
  find(id, HTMLElement).hidden = text === '';
}
