/**
 * Passes the pointer's position to the chosen tool, and shows a ring as wide as the brush. The tools are loaded when
 * the visitor chooses one. If the pointer is down when they have loaded, they start at its current position.
 */

import type { Choices } from '../model/fields';
import { find } from '../support/dom';
import { Later } from '../support/later';
import type { ScreenPosition } from '../view/camera';
import type { Run } from '../view/engine';
import type { Session } from '../view/session';
import type { Viewpoint } from '../view/viewpoint';
import type { ToolHost } from './tools';

/** The tools that act within the brush. Only these tools show the ring. */
const REACHING: readonly Choices['pointer'][] = ['push', 'pull', 'add', 'erase'];

export class PointerTools {
  /** The position of the pointer while it is down. */
  private pressed: ScreenPosition | undefined;
  /** The position of a mouse or a pen over the picture, pressed or not. */
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
    /** Prepares the tools, and makes room for the particles or obstacles that they add. */
    private readonly host: ToolHost,
  ) {}

  /** Loads the chosen tool. Await it before the pointer uses the tool. */
  async prepare({ pointer }: Pick<Choices, 'pointer'>): Promise<void> {
    if (pointer !== 'look') await this.tools.get();
  }

  /** True if the pointer uses a tool, so that dragging does not move the picture. */
  get isChosen(): boolean {
    return this.session.choices.pointer !== 'look';
  }

  get isHolding(): boolean {
    return this.tools.part?.isHolding ?? false;
  }

  /**
   * Reports the position of the pointer while it is down, in CSS pixels of the window. Pass undefined when it is up
   * again.
   */
  at(position: ScreenPosition | undefined): void {
    // If the tools failed to load earlier, request them again.
    const isMissing = !this.tools.part && !this.tools.isLoading;
    if (position && !this.pressed && isMissing) this.host.prepareTool();
    this.pressed = position;
    this.viewpoint.rest();
    this.tools.part?.at(position);
    this.showRing();
  }

  /** Reports the position of a mouse or a pen over the picture. Pass undefined if it is elsewhere or unknown. */
  hover(position: ScreenPosition | undefined): void {
    this.hovered = position;
    this.showRing();
  }

  inMiddle(isDown: boolean): void {
    this.at(isDown && this.isChosen ? this.viewpoint.middle : undefined);
  }

  /** Call it when the picture has moved under the pointer. */
  moved(): void {
    if (this.pressed) this.tools.part?.at(this.pressed);
    this.showRing();
  }

  /** Call it in every frame, because the brush, the scene and the view may have changed. */
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
    const { pixelsPerUnit } = this.viewpoint.matrices(this.viewpoint.viewport);
    const size = 2 * choices.brush * run.simulation.radius * pixelsPerUnit;
    ring.style.translate = `${position.x - size / 2}px ${position.y - size / 2}px`;
    ring.style.width = `${size}px`;
    ring.style.height = `${size}px`;
  }
}
