import { find, setText } from './dom';

/** '' removes the notice. */
export function notify(text: string): void {
  show('notice', text);
}

export function notifyToo(text: string): void {
  notify([find('notice', HTMLElement).textContent, text].filter(Boolean).join(' '));
}

/** Shows why another engine or device runs; '' removes the note. */
export function showEngineNote(text: string): void {
  show('engine-note', text);
}

function show(id: string, text: string): void {
  setText(id, text);
  find(id, HTMLElement).hidden = text === '';
}
