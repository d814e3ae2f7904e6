/**
 * Purpose: particles that come and go, for both engines: what emitters bring in a substep, and when those that drains took are
 * removed. A drained particle is set aside at the end of the substep in which it came into the drain: from then on it is
 * nowhere. Its id and its room are free only later: every COLLECT_EVERY substeps those set aside are asked for, and those asked
 * for the last time are removed. So a GPU has that long to tell who they are; where that is not long enough, begin() says what
 * is to be waited for.
 * Guarantee: all depends on the number of substeps and on the state, never on when an answer arrives.
 */
import { type Emitted, emit } from './emitters';
import type { FluidPlan } from './options';

/** Substeps: four steps of two. A removal sorts once. */
export const COLLECT_EVERY = 8;

/** What an engine does for it. */
export interface TurnoverHost {
  /** Ids that were set aside since the last call. */
  take(): Uint32Array | Promise<Uint32Array>;
  remove(ids: Uint32Array): void;
}

/** Those that are removed next. */
interface Due {
  ids: Uint32Array | undefined;
  readonly arrives: Promise<void>;
  /** Removed by the caller meanwhile. */
  readonly spared: Set<number>;
}

/** What of it a checkpoint says. */
export interface TurnoverState {
  readonly ways: readonly number[];
  readonly missed: number;
}

export class Turnover {
  /** Particles that found no room. */
  missed = 0;
  private ways: number[] = [];
  private due: Due | undefined;
  private mayBeMarked = false;

  constructor(private readonly host: TurnoverHost) {}

  /** Whether anybody may be set aside and not removed. */
  get isBusy(): boolean {
    return this.mayBeMarked || this.due !== undefined;
  }

  get state(): TurnoverState {
    return { ways: [...this.ways], missed: this.missed };
  }

  /** Before substep number `done`; what must be waited for before it can begin, if anything. */
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

  /** After a substep with drains. */
  mark(): void {
    this.mayBeMarked = true;
  }

  /** The caller removes these. */
  spare(ids: Uint32Array | readonly number[]): void {
    for (const id of ids) this.due?.spared.add(id);
  }

  /** Ids that are to be removed next, as things are at the call. */
  leaving(): Uint32Array | Promise<Uint32Array> {
    const { due } = this;
    if (!due) return new Uint32Array(0);
    const spared = new Set(due.spared);
    const left = () => (due.ids as Uint32Array).filter((id) => !spared.has(id));
    return due.ids ? left() : due.arrives.then(left);
  }

  /** What begins in a substep of `dt`, at most `room`. */
  emit(
    plan: FluidPlan,
    dt: number,
    room: number,
    isFree: (place: readonly number[]) => boolean,
  ): { readonly positions: Float32Array; readonly velocities: Float32Array } | undefined {
    const { emitters, dimensions } = plan;
    if (emitters.length === 0) return undefined;
    while (this.ways.length < dimensions * emitters.length) this.ways.push(0);
    const found: Emitted = emit(emitters, plan, this.ways, dt, isFree);
    const count = found.positions.length / dimensions;
    const kept = Math.min(count, room);
    this.missed += count - kept;
    if (kept === 0) return undefined;
    const part = (numbers: readonly number[]) => Float32Array.from(numbers.slice(0, dimensions * kept));
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
  // Whoever waits for it is told; nobody may.
  due.arrives.catch(() => undefined);
  return due;
}
