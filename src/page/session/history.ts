/**
 * Keeps the first state of a run and the last few states. The visitor can go back to them, and after a device loss the
 * page goes on from the last one. The number of states, their total size and the interval between them are limited, to
 * protect the page's memory and frame rate.
 */
import type { State } from '../model/simulation-view';
import { type Run, stateOf } from '../view/engine';

/** The least time between two states: in milliseconds, and as a multiple of the time to read back the last state. */
const INTERVAL_MS = 3000;
const INTERVAL_SHARE = 20;
const MOST_KEPT = 8;
/**
 * The greatest sum of valuesOf() over all kept states. If the newest state alone is larger, only this state is kept.
 */
const MOST_VALUES = 2 ** 24;

interface Kept {
  readonly time: number;
  readonly checkpoint: State;
}

type Stateful = Pick<Run, 'simulation' | 'births'>;

export class History {
  private kept: Kept[] = [];
  private run: Stateful | undefined;
  private next = 0;
  /** Identifies the state that is being read; undefined if none is. */
  private asking: object | undefined;
  private hasChanged = false;

  /** Keeps states of this run from now on. Forgets earlier states, unless this run goes on from one of them. */
  attach(run: Stateful, goesOn = false): void {
    this.run = run;
    if (!goesOn) this.kept = [];
    this.askAnew();
    this.next = 0;
  }

  /** Notes that the state has changed, by a step or otherwise. */
  touch(): void {
    this.hasChanged = true;
  }

  get latest(): State | undefined {
    return this.kept.at(-1)?.checkpoint;
  }

  /** Call it every frame. */
  update(now: number): void {
    if (this.asking || !this.hasChanged || now < this.next) return;
    this.keep(now);
  }

  /** Returns the last kept state before `time`, or the first one if none is earlier. Forgets the states after it. */
  takeBefore(time: number): State | undefined {
    while (this.kept.length > 1 && (this.kept.at(-1)?.time ?? 0) >= time) this.kept.pop();
    // Discard a state that is still being read: it is later than the state to which the run returns.
    if (this.latest) this.askAnew();
    return this.latest;
  }

  /** Removes a state that could not be restored. */
  forget(checkpoint: State): void {
    this.kept = this.kept.filter((one) => one.checkpoint !== checkpoint);
  }

  /** Discards the state that is being read. A later frame reads a new state. */
  private askAnew(): void {
    this.asking = undefined;
    this.hasChanged = true;
  }

  private async keep(now: number): Promise<void> {
    const { run } = this;
    if (!run) return;
    const asking = {};
    this.asking = asking;
    this.hasChanged = false;
    const began = performance.now();
    try {
      const checkpoint = await stateOf(run);
      if (asking !== this.asking) return;
      this.kept.push({ time: checkpoint.time, checkpoint });
      this.thin();
    } catch {
      // Only a destroyed simulation or a lost device throws here; both are handled elsewhere.
    } finally {
      if (asking === this.asking) {
        this.asking = undefined;
        this.next = now + Math.max(INTERVAL_MS, INTERVAL_SHARE * (performance.now() - began));
      }
    }
  }

  /**
   * Drops the second oldest state until the limits hold. If two states remain and are too large, drops the older.
   */
  private thin(): void {
    const values = () => this.kept.reduce((sum, { checkpoint }) => sum + valuesOf(checkpoint), 0);
    while (this.kept.length > MOST_KEPT || (this.kept.length > 2 && values() > MOST_VALUES)) {
      this.kept.splice(1, 1);
    }
    if (this.kept.length > 1 && values() > MOST_VALUES) this.kept.shift();
  }
}

/**
 * Counts the positions, velocities and births of a state, and its method's arrays of floats. Shared arrays count once.
 */
function valuesOf({ positions, velocities, births, method }: State): number {
  const arrays = new Set([positions, velocities]);
  if (births) arrays.add(births);
  for (const value of Object.values(method ?? {})) if (value instanceof Float32Array) arrays.add(value);
  return [...arrays].reduce((sum, { length }) => sum + length, 0);
}
