/** The oracle for bodies that may be boxes: compares all bodies whose extents overlap along x, in doubles. */

import type { Sizes } from '../../core/particles/shapes';
import { shapeBorderline } from '../../core/world/borderline';
import type { Dimensions, World } from '../../core/world/world';
import { isFiniteParticle } from '../measure/finite';
import { minimumImageInDoubles } from '../solve/contact';
import { type OraclePairs, PairCollector } from './pair-list';

/** Widens extents along x by this share of a body's size, much more than the band of borderline pairs. */
const SLACK = 2 ** -12;

export function sweepShapes(
  dimensions: Dimensions,
  positions: Float32Array,
  { radii, halves }: Sizes,
  world: Pick<World, 'min' | 'period'>,
): OraclePairs {
  const count = positions.length / dimensions;
  const half = (body: number, axis: number) => (halves?.[dimensions * body + axis] as number) || 0;
  const ballRadius = (body: number) => (half(body, 0) > 0 ? 0 : (radii?.[body] as number));
  const overlapping = new PairCollector();
  const ambiguous = new PairCollector();

  const consider = (a: number, b: number) => {
    const radiusSum = ballRadius(a) + ballRadius(b);
    let squared = 0;
    let least = Number.NEGATIVE_INFINITY;
    let size = radiusSum;
    for (let axis = 0; axis < dimensions; axis++) {
      const apart =
        (positions[dimensions * a + axis] as number) - (positions[dimensions * b + axis] as number);
      const sides = half(a, axis) + half(b, axis);
      const beyond = Math.abs(minimumImageInDoubles(apart, world.period[axis] as number)) - sides;
      squared += Math.max(0, beyond) ** 2;
      least = Math.max(least, beyond);
      size += sides;
    }
    const isOverlap = squared > 0 ? squared < radiusSum * radiusSum : least < radiusSum;
    const overlap = radiusSum - (squared > 0 ? Math.sqrt(squared) : least);
    if (isOverlap) overlapping.add(a, b);
    if (overlap !== 0 && Math.abs(overlap) <= shapeBorderline(size, world)) ambiguous.add(a, b);
  };

  const period = world.period[0] as number;
  const low = world.min[0] as number;
  const intervals: { readonly body: number; readonly from: number; readonly to: number }[] = [];
  for (let body = 0; body < count; body++) {
    if (!isFiniteParticle(dimensions, positions, body)) continue;
    const position = positions[dimensions * body] as number;
    const at = period > 0 ? position - period * Math.floor((position - low) / period) : position;
    let size = ballRadius(body);
    for (let axis = 0; axis < dimensions; axis++) size += half(body, axis);
    const reach = half(body, 0) + ballRadius(body) + size * SLACK + Math.max(Math.abs(at), period) * 2 ** -20;
    intervals.push({ body, from: at - reach, to: at + reach });
    // A body that reaches across an end of the world may also overlap bodies at the other end.
    for (const shift of [-period, period]) {
      const isBeyond = shift < 0 ? at + reach >= low + period : at - reach < low;
      if (period > 0 && isBeyond) intervals.push({ body, from: at - reach + shift, to: at + reach + shift });
    }
  }
  intervals.sort((one, two) => one.from - two.from);
  const seen = new Set<number>();
  for (const [index, { body, to }] of intervals.entries()) {
    for (let next = index + 1; next < intervals.length; next++) {
      const other = intervals[next] as { readonly body: number; readonly from: number };
      if (other.from > to) break;
      const [a, b] = [Math.min(body, other.body), Math.max(body, other.body)];
      const key = a * count + b;
      if (a === b || (period > 0 && seen.has(key))) continue;
      if (period > 0) seen.add(key);
      consider(a, b);
    }
  }
  return { overlapping: overlapping.toPairList(), ambiguous: ambiguous.toPairList() };
}
