/**
 * Times engines that are open at the same time. Each takes one turn per round. Their order changes, so that other work
 * affects all equally. A timed turn takes one sample, which repeats builds and queries.
 */
import type { Engine } from './engine';
import type { Batches, Open, Sample } from './open';

export const WARM_ROUNDS = 2;
/** The least milliseconds of a warm-up turn. JavaScript engines recompile code after it has run for a while. */
const WARM_MS = 60;
const MOST_WARM = 64;
const SAMPLE_MS = 10;
/** A sample lasts at least this many steps of the clock, if MOST_BATCH allows it. So the clock measures it to 1%. */
const SAMPLE_STEPS = 100;
/** The most repeats in a batch. One submission holds the whole batch, and the queue of a device is limited. */
const MOST_BATCH = 1024;
/** After FEWEST_ROUNDS, an engine gets no more turns once its turns together took this many times the limit. */
const MOST_LIMITS = 10;
const FEWEST_ROUNDS = 3;

export const ONE_EACH: Batches = { build: 1, query: 1, total: 1 };

export interface TurnsPlan {
  readonly repeat: number;
  readonly limit: number;
  readonly announce: (engine: Engine, what: string) => Promise<void>;
}

export interface Taken {
  readonly samples: readonly Sample[];
  readonly batch: number;
  readonly discarded: number;
  readonly error?: unknown;
  /** Milliseconds of a build and query, if they exceeded the limit. */
  readonly slowest?: number | undefined;
}

export async function takeTurns(
  open: readonly Open[],
  { repeat, limit, announce }: TurnsPlan,
): Promise<Map<Open, Taken>> {
  const turns = open.map((run) => new Turns(run, limit));
  for (let round = -WARM_ROUNDS; round < repeat; round++) {
    for (const turn of turnOrder(turns, round + WARM_ROUNDS)) {
      if (turn.isOver) continue;
      await announce(turn.run.engine, round < 0 ? 'warming up' : `round ${round + 1} of ${repeat}`);
      if (round < 0) await turn.warm();
      else await turn.take();
    }
  }
  return new Map(turns.map((turn) => [turn.run, turn.taken]));
}

/** Rounds 0, 2, 4 … begin with item 0, 1, 2 …; each odd round reverses the round before it. */
export function turnOrder<Item>(items: readonly Item[], round: number): readonly Item[] {
  const first = (round >> 1) % Math.max(1, items.length);
  const rotated = [...items.slice(first), ...items.slice(0, first)];
  return round % 2 === 0 ? rotated : rotated.reverse();
}

class Turns {
  private readonly samples: Sample[] = [];
  private batches: Batches = ONE_EACH;
  private discarded = 0;
  private spent = 0;
  private error: unknown;
  private slowest: number | undefined;

  constructor(
    readonly run: Open,
    private readonly limit: number,
  ) {}

  get isOver(): boolean {
    return (
      this.error !== undefined ||
      this.slowest !== undefined ||
      (this.samples.length >= FEWEST_ROUNDS && this.spent > MOST_LIMITS * this.limit)
    );
  }

  get taken(): Taken {
    const { samples, batches, discarded, error, slowest } = this;
    return { samples, batch: batches.total, discarded, error, slowest };
  }

  async warm(): Promise<void> {
    const began = performance.now();
    for (let more = 0; more < MOST_WARM; more++) {
      const sample = await this.time();
      if (!sample) {
        if (this.isOver) return;
        continue;
      }
      const least = Math.max(SAMPLE_MS, SAMPLE_STEPS * this.run.stepMs());
      const batches = lengthen(this.batches, sample, least);
      const isLongEnough = batches.total === this.batches.total && batches.query === this.batches.query;
      this.batches = batches;
      if (isLongEnough && performance.now() - began >= WARM_MS) return;
    }
  }

  async take(): Promise<void> {
    const began = performance.now();
    const sample = await this.time();
    this.spent += performance.now() - began;
    if (sample) this.samples.push(sample);
    else if (!this.isOver) this.discarded++;
  }

  private async time(): Promise<Sample | undefined> {
    try {
      const sample = await this.run.time(this.batches);
      if (sample && sample.total > this.limit) {
        this.slowest = sample.total;
        return undefined;
      }
      return sample;
    } catch (error) {
      this.error = error;
      return undefined;
    }
  }
}

/** Lengthens each batch that lasted less than `least` milliseconds in `sample`, up to MOST_BATCH. */
function lengthen(batches: Batches, sample: Sample, least: number): Batches {
  const longer = (part: keyof Sample) => {
    const [batch, one] = [batches[part], sample[part]];
    if (one * batch >= least) return batch;
    return Math.min(MOST_BATCH, Math.max(2 * batch, Math.ceil(least / Math.max(1e-6, one))));
  };
  return { build: longer('build'), query: longer('query'), total: longer('total') };
}
