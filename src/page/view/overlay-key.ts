/** Shows the key of the overlays, and a note on what is not drawn. In a narrow window the key is folded. */

import { type KeyLine, keyOf } from '../model/overlay-look';
import type { OccupiedCounts } from '../model/overlays';
import { find } from '../support/dom';
import type { Frame, Run } from './engine';

/** Least milliseconds between changes of the note: screen readers read out each change. */
const NOTE_MS = 2000;
/** Least milliseconds between changes of counts, long enough to read them. */
const COUNTS_MS = 500;
/** Keep this equal to the condition in styles/narrow.css. */
const WIDE = '(min-width: 1000px)';

export class OverlayKey {
  private readonly fold = find('overlay-fold', HTMLDetailsElement);
  private readonly samples = find('overlay-samples', HTMLElement);
  private readonly list = find('overlay-key', HTMLElement);
  private readonly note = find('overlay-note', HTMLElement);
  private shown = '';
  private next = 0;
  private counts: OccupiedCounts | undefined;
  private nextCounts = 0;

  constructor() {
    const wide = matchMedia(WIDE);
    this.fold.open = wide.matches;
    wide.addEventListener('change', () => {
      this.fold.open = wide.matches;
    });
  }

  /** Call this every frame. `missing` says what is not drawn; it is '' if everything is drawn. */
  update(
    { overlays, camera }: Frame,
    { simulation, occupied }: Pick<Run, 'simulation' | 'occupied'>,
    missing: string,
  ): void {
    const time = performance.now();
    if (time >= this.nextCounts || !occupied) {
      this.counts = occupied;
      this.nextCounts = time + COUNTS_MS;
    }
    const lines = keyOf(overlays, simulation, camera.pixelsPerUnit, this.counts);
    const shown = lines.map(({ text }) => text).join();
    if (shown !== this.shown) {
      this.shown = shown;
      this.list.replaceChildren(...lines.map((line) => createSample('li', line)));
      this.samples.replaceChildren(...lines.map(({ name }) => createSample('span', { name, text: '' })));
    }
    if (this.note.textContent !== missing && (time >= this.next || missing === '')) {
      this.note.textContent = missing;
      this.next = time + NOTE_MS;
    }
    this.note.hidden = missing === '';
    this.fold.hidden = lines.length === 0;
  }
}

/** The style sheet paints a sample according to data-overlay. */
function createSample(tag: string, { name, text }: KeyLine): HTMLElement {
  const element = document.createElement(tag);
  element.dataset.overlay = name;
  element.textContent = text;
  return element;
}
