/** Purpose: the key to overlays, beside the picture: a sample of each that is shown, what it means, and what is not drawn. */
import type { ParticleSimulation } from '../core/simulation';
import type { Frame } from './engine';
import { keyOf } from './overlays';
import { find } from './panel';

/** Numbers that change every frame would be read out without end. */
const NOTE_MS = 2000;

export class OverlayKey {
  private readonly list = find('overlay-key', HTMLElement);
  private readonly note = find('overlay-note', HTMLElement);
  private shown = '';
  private next = 0;

  /** To be called every frame; '' of what is not drawn where all is. */
  update(frame: Frame, simulation: ParticleSimulation, missing: string): void {
    const lines = keyOf(frame.overlays, simulation, frame.sight.pixelsPerUnit);
    const shown = lines.map(({ text }) => text).join();
    if (shown !== this.shown) {
      this.shown = shown;
      this.list.replaceChildren(
        ...lines.map(({ name, text }) => {
          const item = document.createElement('li');
          // The style sheet paints its sample.
          item.dataset.overlay = name;
          item.textContent = text;
          return item;
        }),
      );
    }
    const now = performance.now();
    if (this.note.textContent !== missing && (now >= this.next || missing === '')) {
      this.note.textContent = missing;
      this.next = now + NOTE_MS;
    }
    this.note.hidden = missing === '';
    this.list.hidden = lines.length === 0;
  }
}
