/**
 * The pointer's tools: hands the pointer's position to the chosen tool, and shows a ring as wide as the brush. Tools
 * are loaded when one is chosen. If the pointer is still down when they arrive, they work from its position then.
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
  private pressed: ScreenPosition | undefined;
  /** The position of a mouse over the picture, pressed or not. */
  private hovered: ScreenPosition | undefined;
  private readonly tools = new Later(async () => {
    const { Tools: Made } = await import('./tools');
    const tools = new Made(this.session, this.viewpoint, this.host);
    if (this.pressed) tools.at(this.pressed);
    return tools;
  });
  private readonly ring = find('brush-ring', HTMLElement);

  constructor(
    private readonly session: Session,
    private readonly viewpoint: Viewpoint,
    /** Prepares choices and makes room for particles. */
    private readonly host: ToolHost,
  ) {}

  /** Loads the chosen tool. Await it before the pointer uses the tool. */
  async prepare({ pointer }: Pick<Choices, 'pointer'>): Promise<void> {
    if (pointer !== 'look') await this.tools.get();
  }

  /** True if dragging moves particles, not the picture. */
  get isChosen(): boolean {
    return this.session.choices.pointer !== 'look';
  }

  /** True while a particle is dragged. */
  get isHolding(): boolean {
    return this.tools.part?.isHolding ?? false;
  }

  /**
   * Reports the position of the pointer while it is down, in CSS pixels of the window; undefined when it is up again.
   */
  at(position: ScreenPosition | undefined): void {
    // Tools that failed to load earlier are requested again.
    const isMissing = !this.tools.part && !this.tools.isLoading;
    if (position && !this.pressed && isMissing) this.host.prepareTool();
    this.pressed = position;
    this.viewpoint.rest();
    this.tools.part?.at(position);
    this.showRing();
  }

  /** Reports the position of a mouse or a pen over the picture; undefined if it is elsewhere or unknown. */
  hover(position: ScreenPosition | undefined): void {
    this.hovered = position;
    this.showRing();
  }

  /** Puts the pointer down in the middle of the picture, for keys. */
  inMiddle(isDown: boolean): void {
    this.at(isDown && this.isChosen ? this.viewpoint.middle : undefined);
  }

  /** Call when the picture has moved below the pointer. */
  looked(): void {
    if (this.pressed) this.tools.part?.at(this.pressed);
    this.showRing();
  }

  /** Call in every frame: the brush, the scene and the view may have changed. */
  update(): void {
    this.tools.part?.update();
    this.showRing();
  }

  beforeStep(run: Run, seconds: number): void {
    this.tools.part?.beforeStep(run, seconds);
  }

  private showRing(): void {
    const { pressed: position = this.hovered, ring } = this;
    const { run, choices } = this.session;
    const isHidden = !position || !run || !REACHING.includes(choices.pointer);
    ring.hidden = isHidden;
    if (isHidden) return;
    const sight = this.viewpoint.sight(this.viewpoint.viewport);
    const size = 2 * choices.brush * run.simulation.radius * sight.pixelsPerUnit;
    ring.style.translate = `${position.x - size / 2}px ${position.y - size / 2}px`;
    ring.style.width = `${size}px`;
    ring.style.height = `${size}px`;
  }
}
