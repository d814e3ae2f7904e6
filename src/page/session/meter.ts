/**
 * The figures on the panel. Asks the simulation for its measures a few times a second, one question
 * at a time and seldom where an answer takes long, and counts frames.
 */
import type { Measured } from '../model/simulation-view';
import type { Run } from '../view/engine';

const INTERVAL_MS = 250;
/** Measuring takes at most this share of the time. */
const GREATEST_SHARE = 0.2;
const FRAME_WINDOW_MS = 1000;

export class Meter {
  measures: Measured | undefined;
  private run: Run | undefined;
  /** State has changed since the last question. */
  private stale = false;
  private asking = false;
  private next = 0;
  private readonly frames: number[] = [];

  constructor(
    private readonly report: () => void,
    private readonly fail: (error: unknown) => void,
  ) {}

  /** The run to measure from now on. */
  attach(run: Run): void {
    this.run = run;
    this.measures = undefined;
    this.asking = false;
    this.next = 0;
    this.stale = true;
  }

  touch(): void {
    this.stale = true;
  }

  /** The last answer is about the state as it is. */
  get isCurrent(): boolean {
    return !this.stale && !this.asking;
  }

  frame(now: number): void {
    this.frames.push(now);
    // Two at least, however far apart.
    while (this.frames.length > 2 && now - (this.frames[0] ?? now) > FRAME_WINDOW_MS) this.frames.shift();
  }

  /** Frames a second over the last second, or from the last frame but one to the last; 0 before there are two. */
  get framesPerSecond(): number {
    const first = this.frames[0];
    const last = this.frames.at(-1);
    if (first === undefined || last === undefined || last === first) return 0;
    return ((this.frames.length - 1) * 1000) / (last - first);
  }

  /** To be called every frame. Returns whether a measurement was asked for, which may reorder the state. */
  update(now: number): boolean {
    const { run } = this;
    if (!run || this.asking || !this.stale || now < this.next) return false;
    this.stale = false;
    this.asking = true;
    this.ask(run, now);
    return true;
  }

  private async ask(run: Run, began: number): Promise<void> {
    try {
      const measures = await run.simulation.measure();
      if (run !== this.run) return;
      const took = performance.now() - began;
      this.next = began + Math.max(INTERVAL_MS, took / GREATEST_SHARE);
      this.measures = measures;
      this.asking = false;
      this.report();
    } catch (error) {
      if (run !== this.run) return;
      this.asking = false;
      this.next = began + INTERVAL_MS;
      this.fail(error);
    }
  }
}
