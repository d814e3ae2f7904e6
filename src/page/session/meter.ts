/** Measures the run a few times a second, or less often if measuring takes long. */
import type { Measured } from '../model/simulation-view';
import type { Run } from '../view/engine';

const INTERVAL_MS = 250;
/** Measuring may take this share of the page's time. */
const GREATEST_SHARE = 0.2;
const FRAME_WINDOW_MS = 1000;

export class Meter {
  measures: Measured | undefined;
  private run: Run | undefined;
  /** True if the state has changed since the last measurement began. */
  private stale = false;
  private asking = false;
  private next = 0;
  private readonly frames: number[] = [];

  constructor(
    private readonly report: () => void,
    private readonly fail: (error: unknown) => void,
  ) {}

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

  get isCurrent(): boolean {
    return !this.stale && !this.asking;
  }

  frame(now: number): void {
    this.frames.push(now);
    while (this.frames.length > 2 && now - (this.frames[0] ?? now) > FRAME_WINDOW_MS) this.frames.shift();
  }

  /** The rate over the last second, or of the last two frames if they are farther apart; 0 before the second frame. */
  get framesPerSecond(): number {
    const first = this.frames[0];
    const last = this.frames.at(-1);
    if (first === undefined || last === undefined || last === first) return 0;
    return ((this.frames.length - 1) * 1000) / (last - first);
  }

  /** Returns true if a measurement started, which may reorder the state. */
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
