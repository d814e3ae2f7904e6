/** Keeps a run's first and last states, for the visitor to go back, and for a new run after a device loss. */
import type { State } from '../model/simulation-view';
import { type Run, stateOf } from '../view/engine';

/** The wait between two states is max(INTERVAL_MS, INTERVAL_SHARE × duration of the last read-back). */
const INTERVAL_MS = 3000;
const INTERVAL_SHARE = 20;
const MOST_KEPT = 8;
/** Greatest sum of valuesOf() over the kept states, unless only one state is kept. */
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
  /** Identifies the state that is being read. */
  private asking: object | undefined;
  private hasChanged = false;

  /** Forgets earlier states, unless this run continues the earlier run. */
  attach(run: Stateful, goesOn = false): void {
    this.run = run;
    if (!goesOn) this.kept = [];
    this.askAnew();
    this.next = 0;
  }

  touch(): void {
    this.hasChanged = true;
  }

  get latest(): State | undefined {
    return this.kept.at(-1)?.checkpoint;
  }

  update(now: number): void {
    if (this.asking || !this.hasChanged || now < this.next) return;
    this.keep(now);
  }

  /** Returns the last state before `time`, otherwise the first state. Forgets all later states. */
  takeBefore(time: number): State | undefined {
    while (this.kept.length > 1 && (this.kept.at(-1)?.time ?? 0) >= time) this.kept.pop();
    // A state that is still being read would be later.
    if (this.latest) this.askAnew();
    return this.latest;
  }

  forget(checkpoint: State): void {
    this.kept = this.kept.filter((one) => one.checkpoint !== checkpoint);
  }

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
      // Usually the simulation was destroyed or the device lost; other code handles both.
    } finally {
      if (asking === this.asking) {
        this.asking = undefined;
        this.next = now + Math.max(INTERVAL_MS, INTERVAL_SHARE * (performance.now() - began));
      }
    }
  }

  /**
   * Drops the second oldest state until the limits are met or two states are left. If these two together still exceed
   * MOST_VALUES, drops the older.
   */
  private thin(): void {
    const values = () => this.kept.reduce((sum, { checkpoint }) => sum + valuesOf(checkpoint), 0);
    while (this.kept.length > MOST_KEPT || (this.kept.length > 2 && values() > MOST_VALUES)) {
      this.kept.splice(1, 1);
    }
    if (this.kept.length > 1 && values() > MOST_VALUES) this.kept.shift();
  }
}

/** Counts the floats in the arrays of a state, of its obstacles and of its `method`. Shared arrays count once. */
function valuesOf(state: State): number {
  const { obstacles, method } = state;
  // Obstacles without sizes are a single array, which is in `state`.
  const sized = obstacles instanceof Float32Array ? undefined : obstacles;
  const arrays = new Set<Float32Array>();
  for (const part of [state, sized, method]) {
    for (const value of Object.values(part ?? {})) if (value instanceof Float32Array) arrays.add(value);
  }
  return [...arrays].reduce((sum, { length }) => sum + length, 0);
}
