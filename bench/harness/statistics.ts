/** Statistics of repeated times. They assume no normal distribution, because other work can only add time. */

/** Times in milliseconds. */
export interface Statistics {
  readonly median: number;
  readonly p95: number;
  readonly least: number;
  readonly most: number;
  /** Distance between the quartiles, as a share of the median. */
  readonly spread: number;
  readonly samples: number;
}

/** Interpolates between samples. `share` is from 0 to 1. */
function quantile(sorted: readonly number[], share: number): number {
  const position = share * (sorted.length - 1);
  const low = sorted[Math.floor(position)] ?? Number.NaN;
  const high = sorted[Math.ceil(position)] ?? Number.NaN;
  return low + (high - low) * (position - Math.floor(position));
}

export function describeSamples(samples: readonly number[]): Statistics {
  const sorted = samples.toSorted((a, b) => a - b);
  const median = quantile(sorted, 0.5);
  return {
    median,
    p95: quantile(sorted, 0.95),
    least: quantile(sorted, 0),
    most: quantile(sorted, 1),
    spread: median > 0 ? (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / median : 0,
    samples: sorted.length,
  };
}
