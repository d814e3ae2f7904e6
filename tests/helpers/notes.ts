/** Replaces the elements of the page's notes by fakes, which collect their texts. Needs no browser. */
import { vi } from 'vitest';

class Note {
  hidden = true;
  private text = '';

  constructor(private readonly texts: string[]) {}

  get textContent(): string {
    return this.text;
  }

  set textContent(text: string) {
    this.text = text;
    this.texts.push(text);
  }
}

export function collectNotes(): { readonly notices: string[]; readonly engineNotes: string[] } {
  const [notices, engineNotes]: [string[], string[]] = [[], []];
  const notes: Readonly<Record<string, Note>> = {
    notice: new Note(notices),
    'engine-note': new Note(engineNotes),
  };
  vi.stubGlobal('HTMLElement', Note);
  vi.stubGlobal('document', { getElementById: (id: string) => notes[id] });
  return { notices, engineNotes };
}
