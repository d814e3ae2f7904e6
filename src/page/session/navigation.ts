/** Moves the viewpoint, notifies the tools, and requests a new picture. */
import { notify } from '../support/notes';
import type { PointerTools } from '../tools/pointer-tools';
import { seenOf } from '../view/engine';
import type { Session } from '../view/session';
import type { Viewpoint } from '../view/viewpoint';
import type { Chooser } from './chooser';
import type { Picture } from './picture';

export class Navigation {
  constructor(
    private readonly session: Session,
    private readonly viewpoint: Viewpoint,
    private readonly tools: PointerTools,
    private readonly chooser: Chooser,
    private readonly picture: Picture,
  ) {}

  get canTurn(): boolean {
    return this.viewpoint.canTurn;
  }

  pan(across: number, down: number): void {
    this.viewpoint.pan(across, down);
    this.moved();
  }

  zoom(factor: number, x: number, y: number): void {
    this.viewpoint.zoom(factor, { x, y });
    this.moved();
  }

  zoomMiddle(factor: number): void {
    this.viewpoint.zoom(factor, this.viewpoint.middle);
    this.moved();
  }

  turn(yaw: number, pitch: number): void {
    this.viewpoint.turn(yaw, pitch);
    this.moved();
  }

  /** Shows the whole world, or in an unbounded world a box around the particles. */
  fit(): void {
    const { session, viewpoint, picture } = this;
    viewpoint.fit();
    picture.isDirty = true;
    const { run } = session;
    if (run?.simulation.world.kind !== 'unbounded') return;
    this.chooser.inTurn(run, async () => {
      const box = await seenOf(run);
      if (run !== session.run) return;
      viewpoint.show(box);
      picture.isDirty = true;
      if (box.leftOut) notify(box.leftOut);
    });
  }

  private moved(): void {
    this.tools.moved();
    this.picture.isDirty = true;
  }
}
