/** Purpose: what repeated times say, without a bell curve in mind: other work on the machine only ever adds. */

/** Milliseconds, of one build, query or both. */
export interface Statistics {
  readonly median: number;
  readonly p95: number;
  readonly least: number;
  readonly most: number;
  /** Between the quartiles, as a share of the median. */
  readonly spread: number;
  readonly samples: number;
}

/** The value that a share of all is at or below, between two neighbours in proportion. */
export function quantile(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  const high = sorted[Math.ceil(place)] ?? Number.NaN;
  return low + (high - low) * (place - Math.floor(place));
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
