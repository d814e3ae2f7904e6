/**
 * Purpose: the pointer at work on particles: where it is down, handed to the tools that do what is chosen, and a ring as wide as
 * the brush reaches, before a mouse is pressed too. Tools are loaded when one is chosen; a pointer that is still down when they
 * come works from where it is then, one that is up again has done nothing.
 */

import type { Choices } from '../model/fields';
import { find } from '../support/dom';
import { Later } from '../support/later';
import type { ScreenPosition } from '../view/camera';
import type { Run } from '../view/engine';
import type { Eye } from '../view/viewpoint';
import type { Workplace } from './tools';

/** What it needs of the page. */
export interface WorkSite extends Workplace {
  /** Loads what the chosen tool takes, or says why not. */
  prepareTool(): void;
}

/** What is done to all whom the brush reaches; a drag takes one, and a wall is as thick as a particle. */
const REACHING: readonly Choices['pointer'][] = ['push', 'pull', 'add', 'erase'];

export class Work {
  /** Where the pointer is down. */
  private place: ScreenPosition | undefined;
  /** Where a mouse is over the picture, pressed or not. */
  private hovered: ScreenPosition | undefined;
  private readonly tools = new Later(async () => {
    const { Tools: Made } = await import('./tools');
    const tools = new Made(this.site);
    if (this.place) tools.at(this.place);
    return tools;
  });
  private readonly ring = find('brush-ring', HTMLElement);

  constructor(
    private readonly site: WorkSite,
    private readonly eye: Eye,
  ) {}

  /** Loads what this choice takes; to be awaited before the pointer does it. */
  async prepare({ pointer }: Pick<Choices, 'pointer'>): Promise<void> {
    if (pointer !== 'look') await this.tools.get();
  }

  /** Whether dragging moves particles, not the picture. */
  get isChosen(): boolean {
    return this.site.choices.pointer !== 'look';
  }

  /** Whether a particle is being dragged. */
  get isHolding(): boolean {
    return this.tools.part?.isHolding ?? false;
  }

  /** The pointer is down here, CSS pixels of the window; undefined when it is up again. */
  at(place: ScreenPosition | undefined): void {
    // Tools that did not come when one was chosen are asked for again.
    const isMissing = !this.tools.part && !this.tools.isLoading;
    if (place && !this.place && isMissing) this.site.prepareTool();
    this.place = place;
    this.eye.rest();
    this.tools.part?.at(place);
    this.showRing();
  }

  /** A mouse or a pen is over the picture here; undefined when it is not, or nobody can tell. */
  hover(place: ScreenPosition | undefined): void {
    this.hovered = place;
    this.showRing();
  }

  /** In the middle of the picture, for keys. */
  inMiddle(isDown: boolean): void {
    this.at(isDown && this.isChosen ? this.eye.middle : undefined);
  }

  /** The picture has moved below the pointer: what is at work goes over what is looked at now. */
  looked(): void {
    if (this.place) this.tools.part?.at(this.place);
    this.showRing();
  }

  /** To be called every frame: the brush, the scene and what is looked at may be others. */
  update(): void {
    this.tools.part?.update();
    this.showRing();
  }

  beforeStep(run: Run, seconds: number): void {
    this.tools.part?.beforeStep(run, seconds);
  }

  private showRing(): void {
    const { place = this.hovered, ring } = this;
    const { run, choices } = this.site;
    const isHidden = !place || !run || !REACHING.includes(choices.pointer);
    ring.hidden = isHidden;
    if (isHidden) return;
    const sight = this.eye.sight(this.eye.viewport);
    const size = 2 * choices.brush * run.simulation.radius * sight.pixelsPerUnit;
    ring.style.translate = `${place.x - size / 2}px ${place.y - size / 2}px`;
    ring.style.width = `${size}px`;
    ring.style.height = `${size}px`;
  }
}
