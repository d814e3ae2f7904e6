/**
 * Purpose: times engines that are open side by side. In every round each has one turn, and who comes first changes from
 * round to round, forwards and backwards, so that what else the machine does falls on all alike. A turn is a sample of as
 * many builds and queries as the clock needs to tell their time to 1%. Who exceeds the limit, or fails, has no further turn.
 */
import type { Engine } from './engine';
import type { Batches, Open, Sample } from './open';

/** Rounds that are thrown away: until code is compiled, buffers have been touched and batches are long enough. */
export const WARM_ROUNDS = 2;
/** Each of them takes so many milliseconds at least: JavaScript is compiled anew while it runs. */
const WARM_MS = 60;
/** Samples of a warm round at most. */
const MOST_WARM = 64;
/** A sample takes so many milliseconds at least, and so many steps of the clock. */
const SAMPLE_MS = 10;
const SAMPLE_STEPS = 100;
/** Builds and queries in a sample at most: more than a device's queue takes at a time. */
const MOST_BATCH = 1024;
/** All rounds of an engine may take so many times the limit of one; three it always has. */
const ROUNDS_SHARE = 10;
const FEWEST_ROUNDS = 3;

export const ONE_EACH: Batches = { build: 1, query: 1, total: 1 };

export interface TurnsPlan {
  readonly repeat: number;
  /** Milliseconds of one build and query. */
  readonly limit: number;
  /** What is done next; between turns. */
  readonly announce: (engine: Engine, what: string) => Promise<void>;
}

/** What became of an engine. */
export interface Taken {
  readonly samples: readonly Sample[];
  /** Builds and queries in each. */
  readonly batch: number;
  readonly discarded: number;
  readonly error?: unknown;
  /** Milliseconds of the build and query that exceeded the limit. */
  readonly slowest?: number | undefined;
}

export async function takeTurns(
  open: readonly Open[],
  { repeat, limit, announce }: TurnsPlan,
): Promise<Map<Open, Taken>> {
  const turns = open.map((run) => new Turns(run, limit));
  for (let round = -WARM_ROUNDS; round < repeat; round++) {
    for (const turn of inOrder(turns, round + WARM_ROUNDS)) {
      if (turn.isOver) continue;
      await announce(turn.run.engine, round < 0 ? 'warming up' : `round ${round + 1} of ${repeat}`);
      if (round < 0) await turn.warm();
      else await turn.take();
    }
  }
  return new Map(turns.map((turn) => [turn.run, turn.taken]));
}

/** Every second round backwards, and every two rounds another one first. */
export function inOrder<Item>(items: readonly Item[], round: number): readonly Item[] {
  const first = (round >> 1) % Math.max(1, items.length);
  const turned = [...items.slice(first), ...items.slice(0, first)];
  return round % 2 === 0 ? turned : turned.reverse();
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
      // A slow engine has fewer rounds.
      (this.samples.length >= FEWEST_ROUNDS && this.spent > ROUNDS_SHARE * this.limit)
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

/** As many of each part as take `least` milliseconds, going by what one took. */
function lengthen(batches: Batches, sample: Sample, least: number): Batches {
  const longer = (part: keyof Sample) => {
    const [batch, one] = [batches[part], sample[part]];
    if (one * batch >= least) return batch;
    return Math.min(MOST_BATCH, Math.max(2 * batch, Math.ceil(least / Math.max(1e-6, one))));
  };
  return { build: longer('build'), query: longer('query'), total: longer('total') };
}
