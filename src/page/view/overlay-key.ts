/**
 * The key to overlays, beside the picture: a sample of each overlay with its meaning, and a note on what is not drawn.
 * In a narrow window it would cover the picture, so there it shows one line of samples until the visitor opens it.
 */

import { type KeyLine, keyOf } from '../model/overlays';
import type { SimulationView } from '../model/simulation-view';
import { find } from '../support/dom';
import type { Frame } from './engine';

/** Least time between changes of the note, which screen readers would otherwise read out in every frame. */
const NOTE_MS = 2000;
/** The same condition as in styles/narrow.css. */
const WIDE = '(min-width: 1000px)';

export class OverlayKey {
  private readonly fold = find('overlay-fold', HTMLDetailsElement);
  private readonly samples = find('overlay-samples', HTMLElement);
  private readonly list = find('overlay-key', HTMLElement);
  private readonly note = find('overlay-note', HTMLElement);
  private shown = '';
  private next = 0;

  constructor() {
    const wide = matchMedia(WIDE);
    this.fold.open = wide.matches;
    wide.addEventListener('change', () => {
      this.fold.open = wide.matches;
    });
  }

  /** Call in every frame. `missing` says what is not drawn; '' if everything is. */
  update(frame: Frame, simulation: SimulationView, missing: string): void {
    const lines = keyOf(frame.overlays, simulation, frame.sight.pixelsPerUnit);
    const shown = lines.map(({ text }) => text).join();
    if (shown !== this.shown) {
      this.shown = shown;
      this.list.replaceChildren(...lines.map((line) => sampled('li', line)));
      this.samples.replaceChildren(...lines.map(({ name }) => sampled('span', { name, text: '' })));
    }
    const now = performance.now();
    if (this.note.textContent !== missing && (now >= this.next || missing === '')) {
      this.note.textContent = missing;
      this.next = now + NOTE_MS;
    }
    this.note.hidden = missing === '';
    this.fold.hidden = lines.length === 0;
  }
}

/** Creates a line of the key; the style sheet paints its sample. */
function sampled(tag: string, { name, text }: KeyLine): HTMLElement {
  const element = document.createElement(tag);
  element.dataset.overlay = name;
  element.textContent = text;
  return element;
}
