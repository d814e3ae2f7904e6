/**
 * Passes the pointer to the chosen tool and shows the brush's ring. The tools load when the visitor chooses one. If the
 * pointer is down when they are loaded, the tool starts at once.
 */

import type { Choices } from '../model/fields';
import { find } from '../support/dom';
import { Later } from '../support/later';
import type { ScreenPosition } from '../view/camera';
import type { Run } from '../view/engine';
import type { Session } from '../view/session';
import type { Viewpoint } from '../view/viewpoint';
import type { AskedPicture } from './query/query-tool';
import type { ToolHost } from './tools';

/** Tools with a ring. */
const REACHING: readonly Choices['pointer'][] = ['push', 'pull', 'add', 'erase'];

export class PointerTools {
  private pressed: ScreenPosition | undefined;
  /** Position of a mouse or pen over the picture, pressed or not. */
  private hovered: ScreenPosition | undefined;
  private readonly tools = new Later(async () => {
    const { Tools: Made } = await import('./tools');
    const tools = new Made(this.session, this.viewpoint, this.host);
    if (this.pressed) tools.at(this.pressed);
    return tools;
  });
  private readonly asking = new Later(async () => {
    const { QueryTool: Made } = await import('./query/query-tool');
    const tool = new Made(this.session, this.viewpoint, this.picture);
    if (this.pressed) tool.at(this.pressed);
    else tool.hover(this.hovered);
    return tool;
  });
  private readonly ring = find('brush-ring', HTMLElement);

  constructor(
    private readonly session: Session,
    private readonly viewpoint: Viewpoint,
    private readonly host: ToolHost,
    private readonly picture: AskedPicture,
  ) {}

  /** Await this before the pointer uses a tool. */
  async prepare({ pointer }: Pick<Choices, 'pointer'>): Promise<void> {
    if (pointer === 'query') await this.asking.get();
    else if (pointer !== 'look') await this.tools.get();
  }

  /** False if a drag moves the picture instead of using a tool. */
  get isChosen(): boolean {
    return this.session.choices.pointer !== 'look';
  }

  get isHolding(): boolean {
    return this.tools.part?.isHolding ?? false;
  }

  /** `position` is undefined when the pointer is up. */
  at(position: ScreenPosition | undefined): void {
    // If the tools failed to load, request them again.
    const isQuery = this.session.choices.pointer === 'query';
    const wanted = isQuery ? this.asking : this.tools;
    const isMissing = !wanted.part && !wanted.isLoading;
    if (position && !this.pressed && isMissing) this.host.prepareTool();
    this.pressed = position;
    this.viewpoint.rest();
    // Notify all loaded tools of the end of a press, because the visitor may have chosen another tool meanwhile.
    if (!isQuery || !position) this.tools.part?.at(position);
    if (isQuery || !position) this.asking.part?.at(position);
    this.showRing();
  }

  /** `position` is undefined unless a mouse or pen is over the picture. */
  hover(position: ScreenPosition | undefined): void {
    this.hovered = position;
    this.asking.part?.hover(position);
    this.showRing();
  }

  inMiddle(isDown: boolean): void {
    this.at(isDown && this.isChosen ? this.viewpoint.middle : undefined);
  }

  /** Call this when the picture has moved under the pointer. */
  moved(): void {
    if (this.pressed) this.at(this.pressed);
    else this.asking.part?.hover(this.hovered);
    this.showRing();
  }

  /** Call this in each frame: the brush, the scene and the view may have changed. */
  update(): void {
    this.tools.part?.update();
    this.showRing();
  }

  /** Call this in each frame, after the picture is drawn. */
  mark(now: number): void {
    this.asking.part?.update(now);
  }

  get isCurrent(): boolean {
    return this.asking.part?.isCurrent ?? true;
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
