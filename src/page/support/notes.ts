import { find, setText } from './dom';

/** Replaces the last notice; '' removes it. */
export function notify(text: string): void {
  show('notice', text);
}

/** Shows why another engine or device runs; '' removes the note. */
export function showEngineNote(text: string): void {
  show('engine-note', text);
}

function show(id: string, text: string): void {
  setText(id, text);
  find(id, HTMLElement).hidden = text === '';
}
