/**
 * Adds the emitters' particles and removes drained particles, for both engines. The last stage of a substep marks the
 * particles in drains, and later substeps ignore them. Every COLLECT_EVERY substeps, begin() removes the particles
 * whose ids it requested last time, then requests the ids marked since. The next substep waits if the GPU takes longer
 * than COLLECT_EVERY substeps to deliver ids.
 * Guarantee: the result never depends on when the GPU delivers the ids.
 */
import { type Emitted, emit } from './emitters';
import type { FluidPlan } from './options';

export const COLLECT_EVERY = 8;

export interface TurnoverHost {
  /** Returns the ids marked since the last call. */
  take(): Uint32Array | Promise<Uint32Array>;
  remove(ids: Uint32Array): void;
}

/** `ids` is undefined until the ids to remove arrive. */
interface Due {
  ids: Uint32Array | undefined;
  readonly arrives: Promise<void>;
  /** Ids that the caller removed after they were requested. Other particles may have these ids by now. */
  readonly spared: Set<number>;
}

export interface TurnoverState {
  readonly ways: readonly number[];
  readonly missed: number;
}

export class Turnover {
  missed = 0;
  private ways: number[] = [];
  private due: Due | undefined;
  private mayBeMarked = false;

  constructor(private readonly host: TurnoverHost) {}

  /** True if there may be particles that are drained but not yet removed. */
  get isBusy(): boolean {
    return this.mayBeMarked || this.due !== undefined;
  }

  get state(): TurnoverState {
    return { ways: [...this.ways], missed: this.missed };
  }

  /**
   * Call this before each substep, with the number of substeps done. Returns a promise if the substep must wait: await
   * it, then call this again.
   */
  begin(done: number): Promise<void> | undefined {
    if (done % COLLECT_EVERY !== 0) return undefined;
    const { due } = this;
    if (due) {
      if (!due.ids) return due.arrives;
      this.due = undefined;
      const ids = due.ids.filter((id) => !due.spared.has(id));
      if (ids.length > 0) this.host.remove(ids);
    }
    if (this.mayBeMarked) {
      this.mayBeMarked = false;
      this.due = expect(this.host.take());
    }
    return undefined;
  }

  mark(): void {
    this.mayBeMarked = true;
  }

  spare(ids: Uint32Array | readonly number[]): void {
    for (const id of ids) this.due?.spared.add(id);
  }

  /** Returns the ids of the next removal. Later calls of spare() do not change the result. */
  leaving(): Uint32Array | Promise<Uint32Array> {
    const { due } = this;
    if (!due) return new Uint32Array(0);
    const spared = new Set(due.spared);
    const left = () => (due.ids as Uint32Array).filter((id) => !spared.has(id));
    return due.ids ? left() : due.arrives.then(left);
  }

  /** Returns the particles to add in a substep of `dt`, at most `room`; undefined if there are none. */
  emit(
    plan: FluidPlan,
    dt: number,
    room: number,
    isFree: (point: readonly number[]) => boolean,
  ): { readonly positions: Float32Array; readonly velocities: Float32Array } | undefined {
    const { emitters, dimensions } = plan;
    if (emitters.length === 0) return undefined;
    while (this.ways.length < dimensions * emitters.length) this.ways.push(0);
    const found: Emitted = emit(emitters, plan, this.ways, dt, isFree);
    const count = found.positions.length / dimensions;
    const added = Math.min(count, room);
    this.missed += count - added;
    if (added === 0) return undefined;
    const part = (numbers: readonly number[]) => Float32Array.from(numbers.slice(0, dimensions * added));
    return { positions: part(found.positions), velocities: part(found.velocities) };
  }

  restore({ ways, missed }: TurnoverState, leaving: Uint32Array, isMarked: boolean): void {
    this.ways = [...ways];
    this.missed = missed;
    this.due = leaving.length > 0 ? expect(leaving.slice()) : undefined;
    this.mayBeMarked = isMarked;
  }
}

function expect(taken: Uint32Array | Promise<Uint32Array>): Due {
  if (taken instanceof Uint32Array)
    return { ids: taken, arrives: Promise.resolve(), spared: new Set<number>() };
  const due: Due = {
    ids: undefined,
    arrives: taken.then((ids) => {
      due.ids = ids;
    }),
    spared: new Set<number>(),
  };
  // Callers may ignore the promise, so handle its rejection here.
  due.arrives.catch(() => undefined);
  return due;
}
