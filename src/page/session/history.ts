/**
 * States that a visitor can go back to, and that a lost device is rebuilt from: the first one and the last few, so
 * far apart and so many that they fit the page's memory.
 */
import type { State } from '../model/simulation-view';
import { type Run, stateOf } from '../view/engine';

/** Milliseconds between two at least, and in times that reading one back took. */
const INTERVAL_MS = 3000;
const INTERVAL_SHARE = 20;
const MOST_KEPT = 8;
/** Numbers in all that are kept; a state that is larger by itself is kept alone. */
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
  /** A state that is on its way. */
  private asking: object | undefined;
  private hasChanged = false;

  /** Whose states are kept from now on; those of the one before are forgotten, unless this one goes on with them. */
  attach(run: Stateful, goesOn = false): void {
    this.run = run;
    if (!goesOn) this.kept = [];
    this.askAnew();
    this.next = 0;
  }

  /** Something other than time has changed, or time has. */
  touch(): void {
    this.hasChanged = true;
  }

  get latest(): State | undefined {
    return this.kept.at(-1)?.checkpoint;
  }

  /** To be called every frame: keeps a state now and then. */
  update(now: number): void {
    if (this.asking || !this.hasChanged || now < this.next) return;
    this.keep(now);
  }

  /** The last state from before `time`, and at the beginning that; later ones are forgotten. */
  takeBefore(time: number): State | undefined {
    while (this.kept.length > 1 && (this.kept.at(-1)?.time ?? 0) >= time) this.kept.pop();
    // One that is still being read is of what is left here.
    if (this.latest) this.askAnew();
    return this.latest;
  }

  /** One that cannot be gone back to. */
  forget(checkpoint: State): void {
    this.kept = this.kept.filter((one) => one.checkpoint !== checkpoint);
  }

  /** What is on its way is not kept, but what there is then. */
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
      // Only the end of the simulation or of its device gets here, and both are dealt with elsewhere.
    } finally {
      if (asking === this.asking) {
        this.asking = undefined;
        this.next = now + Math.max(INTERVAL_MS, INTERVAL_SHARE * (performance.now() - began));
      }
    }
  }

  /** The oldest but the first go. */
  private thin(): void {
    const values = () => this.kept.reduce((sum, { checkpoint }) => sum + valuesOf(checkpoint), 0);
    while (this.kept.length > MOST_KEPT || (this.kept.length > 2 && values() > MOST_VALUES)) {
      this.kept.splice(1, 1);
    }
    if (this.kept.length > 1 && values() > MOST_VALUES) this.kept.shift();
  }
}

/** A method's state may have more arrays than those that it shares with the particles. */
function valuesOf({ positions, velocities, births, method }: State): number {
  const arrays = new Set([positions, velocities]);
  if (births) arrays.add(births);
  for (const value of Object.values(method ?? {})) if (value instanceof Float32Array) arrays.add(value);
  return [...arrays].reduce((sum, { length }) => sum + length, 0);
}
