/** Analyses curves of run time over problem size. */

/** If enough sizes remain, fits leave out those below 1/DECADE of the largest: there, fixed costs hide the growth. */
export const DECADE = 10;

/** Greatest exponent that expectedTime assumes. Noise can make a slope steeper. */
const STEEPEST = 2.5;

export interface Timing {
  readonly count: number;
  readonly milliseconds: number;
}

/** Timings at ascending sizes. */
export type Curve = readonly Timing[];

/**
 * Fits the exponent p of time ~ n^p to the last decade of sizes, but at least to the last three sizes. Returns
 * undefined if fewer than three of these timings are above 0.
 */
export function growthOf(curve: Curve): number | undefined {
  const last = curve.at(-1)?.count ?? 0;
  const decade = curve.filter(({ count }) => count * DECADE >= last);
  const points = (decade.length < 3 ? curve.slice(-3) : decade)
    .filter(({ milliseconds }) => milliseconds > 0)
    .map(({ count, milliseconds }) => [Math.log(count), Math.log(milliseconds)] as const);
  if (points.length < 3) return undefined;
  const mean = (axis: 0 | 1) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  let product = 0;
  let square = 0;
  for (const [x, y] of points) {
    product += (x - meanX) * (y - meanY);
    square += (x - meanX) ** 2;
  }
  return square > 0 ? product / square : undefined;
}

export function lastSlope(curve: Curve): number | undefined {
  const [last, before] = [curve.at(-1), curve.at(-2)];
  if (!last || !before || before.milliseconds <= 0) return undefined;
  return Math.log(last.milliseconds / before.milliseconds) / Math.log(last.count / before.count);
}

/** Estimates the time at size `count`, rather too high than too low. Assumes an exponent of at least `least`. */
export function expectedTime(curve: Curve, count: number, least: number): number {
  const last = curve.at(-1);
  if (!last) return 0;
  return (
    last.milliseconds * (count / last.count) ** Math.min(STEEPEST, Math.max(least, lastSlope(curve) ?? 2))
  );
}

export type Crossing =
  | { readonly kind: 'at'; readonly count: number }
  /**
   * `first-always`: the first curve is faster at the largest common size. `second-always`: the second curve is never
   * slower.
   */
  | { readonly kind: 'first-always' | 'second-always' };

/** Returns the size from which on the second curve is faster; undefined if the curves have no size in common. */
export function crossingOf(first: Curve, second: Curve): Crossing | undefined {
  const common = first.flatMap(({ count, milliseconds }) => {
    const other = second.find((timing) => timing.count === count);
    return other ? [{ count, lead: Math.log(milliseconds / other.milliseconds) }] : [];
  });
  const last = common.at(-1);
  if (!last) return undefined;
  if (last.lead < 0) return { kind: 'first-always' };
  const index = common.findLastIndex(({ lead }) => lead < 0);
  const [before, after] = [common[index], common[index + 1]];
  if (!before || !after) return { kind: 'second-always' };
  const share = before.lead / (before.lead - after.lead);
  return { kind: 'at', count: before.count * (after.count / before.count) ** share };
}
