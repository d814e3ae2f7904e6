/**
 * The pointer's tools: hands the pointer's position to the chosen tool, and shows a ring as wide as the brush. Tools are loaded
 * when one is chosen. If the pointer is still down when they arrive, they work from its position then.
 */

import type { Choices } from '../model/fields';
import { find } from '../support/dom';
import { Later } from '../support/later';
import type { ScreenPosition } from '../view/camera';
import type { Run } from '../view/engine';
import type { Session } from '../view/session';
import type { Viewpoint } from '../view/viewpoint';
import type { ToolHost } from './tools';

/** Tools that act on all particles within the brush. A drag takes one particle; a wall is as thick as a particle. */
const REACHING: readonly Choices['pointer'][] = ['push', 'pull', 'add', 'erase'];

export class PointerTools {
  /** The position of the pointer while it is down. */
  private place: ScreenPosition | undefined;
  /** The position of a mouse over the picture, pressed or not. */
  private hovered: ScreenPosition | undefined;
  private readonly tools = new Later(async () => {
    const { Tools: Made } = await import('./tools');
    const tools = new Made(this.session, this.viewpoint, this.host);
    if (this.place) tools.at(this.place);
    return tools;
  });
  private readonly ring = find('brush-ring', HTMLElement);

  constructor(
    private readonly session: Session,
    private readonly viewpoint: Viewpoint,
    /** Prepares choices and makes room for particles. */
    private readonly host: ToolHost,
  ) {}

  /** Loads the chosen tool; to be awaited before the pointer uses it. */
  async prepare({ pointer }: Pick<Choices, 'pointer'>): Promise<void> {
    if (pointer !== 'look') await this.tools.get();
  }

  /** Whether dragging moves particles, not the picture. */
  get isChosen(): boolean {
    return this.session.choices.pointer !== 'look';
  }

  /** Whether a particle is being dragged. */
  get isHolding(): boolean {
    return this.tools.part?.isHolding ?? false;
  }

  /** The pointer is down at a position, in CSS pixels of the window; undefined when it is up again. */
  at(place: ScreenPosition | undefined): void {
    // Tools that failed to load earlier are requested again.
    const isMissing = !this.tools.part && !this.tools.isLoading;
    if (place && !this.place && isMissing) this.host.prepareTool();
    this.place = place;
    this.viewpoint.rest();
    this.tools.part?.at(place);
    this.showRing();
  }

  /** A mouse or a pen is over the picture at a position; undefined when it is not, or its position is unknown. */
  hover(place: ScreenPosition | undefined): void {
    this.hovered = place;
    this.showRing();
  }

  /** Puts the pointer down in the middle of the picture, for keys. */
  inMiddle(isDown: boolean): void {
    this.at(isDown && this.isChosen ? this.viewpoint.middle : undefined);
  }

  /** To be called when the picture has moved below the pointer. */
  looked(): void {
    if (this.place) this.tools.part?.at(this.place);
    this.showRing();
  }

  /** To be called every frame: the brush, the scene and the view may have changed. */
  update(): void {
    this.tools.part?.update();
    this.showRing();
  }

  beforeStep(run: Run, seconds: number): void {
    this.tools.part?.beforeStep(run, seconds);
  }

  private showRing(): void {
    const { place = this.hovered, ring } = this;
    const { run, choices } = this.session;
    const isHidden = !place || !run || !REACHING.includes(choices.pointer);
    ring.hidden = isHidden;
    if (isHidden) return;
    const sight = this.viewpoint.sight(this.viewpoint.viewport);
    const size = 2 * choices.brush * run.simulation.radius * sight.pixelsPerUnit;
    ring.style.translate = `${place.x - size / 2}px ${place.y - size / 2}px`;
    ring.style.width = `${size}px`;
    ring.style.height = `${size}px`;
  }
}
