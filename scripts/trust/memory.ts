/** Samples the memory of the process, and decides whether it stays flat. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { LiveBuffers } from './device';

const MIB = 2 ** 20;

const collect = (() => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
})();

/** Collects several times, because Node notes only after a while which objects are gone. */
export async function collectGarbage(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export interface Sample {
  readonly heap: number;
  readonly arrayBuffers: number;
  readonly rss: number;
  readonly buffers: number;
  readonly bufferBytes: number;
}

/** The largest allowed growth of each figure, in MiB. The unit of `buffers` is buffers instead. */
export type Bounds = Readonly<Record<keyof Sample, number>>;

/** Collects garbage, then returns the memory in use, in MiB, and the number of live GPU buffers. */
export function sampleMemory(live = new LiveBuffers()): Sample {
  collect();
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  return {
    heap: heapUsed / MIB,
    arrayBuffers: arrayBuffers / MIB,
    rss: rss / MIB,
    buffers: live.size,
    bufferBytes: live.bytes / MIB,
  };
}

export interface Trend {
  /** Growth of the fitted line over the samples, in MiB or buffers. */
  readonly growth: number;
  readonly bound: number;
  readonly least: number;
  readonly most: number;
}

/** Fits a straight line to each figure, without the first fifth of the samples. */
export function trendsOf(samples: readonly Sample[], bounds: Bounds): Record<keyof Sample, Trend> {
  const kept = samples.slice(Math.floor(samples.length / 5));
  const names = Object.keys(bounds) as (keyof Sample)[];
  const middle = (kept.length - 1) / 2;
  const spread = kept.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
  return Object.fromEntries(
    names.map((name) => {
      const values = kept.map((sample) => sample[name]);
      const slope =
        spread > 0 ? values.reduce((sum, value, at) => sum + (at - middle) * value, 0) / spread : 0;
      const round = (value: number) => Math.round(1000 * value) / 1000;
      return [
        name,
        {
          growth: round(slope * (kept.length - 1)),
          bound: bounds[name],
          least: round(Math.min(...values)),
          most: round(Math.max(...values)),
        },
      ];
    }),
  ) as Record<keyof Sample, Trend>;
}

export function faultOfTrends(trends: Readonly<Record<string, Trend>>): string | undefined {
  const [name, trend] = Object.entries(trends).find(([, { growth, bound }]) => growth > bound) ?? [];
  return trend && `${name} grew by ${trend.growth} over the run, but at most ${trend.bound} is allowed`;
}
