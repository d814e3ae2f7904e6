/**
 * Purpose: the visitor moves the picture: the eye goes there, a tool that is down goes along, the picture is drawn anew and the
 * address says it. Where a world has no end, fitting looks for its particles.
 */

import type { Work } from '../tools/pointer-tools';
import type { Run } from '../view/engine';
import type { Eye } from '../view/viewpoint';
import { seenOf } from './prepare';
import type { Choosing } from './session';

/** What it needs of the page. */
export interface LookingSite {
  readonly run: Run | undefined;
  redraw(): void;
  /** The address is to say what is looked at. */
  writeSoon(): void;
  notify(text: string): void;
}

export class Looking {
  constructor(
    private readonly site: LookingSite,
    private readonly eye: Eye,
    private readonly work: Work,
    private readonly choosing: Choosing,
  ) {}

  get canTurn(): boolean {
    return this.eye.canTurn;
  }

  pan(across: number, down: number): void {
    this.eye.pan(across, down);
    this.looked();
  }

  /** Nearer by a factor to a place of the window, CSS pixels. */
  zoom(factor: number, x: number, y: number): void {
    this.eye.zoom(factor, { x, y });
    this.looked();
  }

  zoomMiddle(factor: number): void {
    this.eye.zoom(factor, this.eye.middle);
    this.looked();
  }

  turn(yaw: number, pitch: number): void {
    this.eye.turn(yaw, pitch);
    this.looked();
  }

  /** Where the world has no end, around the particles as they are now. */
  fit(): void {
    const { site, eye } = this;
    eye.fit();
    site.writeSoon();
    site.redraw();
    const { run } = site;
    if (run?.simulation.world.kind !== 'unbounded') return;
    this.choosing.inTurn(run, async () => {
      const box = await seenOf(run);
      if (run !== site.run) return;
      eye.lookAt(box);
      site.redraw();
      if (box.leftOut) site.notify(box.leftOut);
    });
  }

  private looked(): void {
    this.work.looked();
    this.site.writeSoon();
    this.site.redraw();
  }
}
