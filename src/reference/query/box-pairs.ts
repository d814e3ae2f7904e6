/**
 * Two oracles that find overlapping boxes. A box is its low corner, then its high corner. Periods are 0 along axes that
 * do not wrap; along other axes, low corners must lie between 0 and the period. Pairs are sorted.
 */
import type { Dimensions } from '../../core/world/world';

export function isBox(dimensions: Dimensions, boxes: Float32Array, box: number): boolean {
  for (let axis = 0; axis < dimensions; axis++) {
    const low = boxes[2 * dimensions * box + axis] as number;
    const high = boxes[2 * dimensions * box + dimensions + axis] as number;
    if (!Number.isFinite(low) || !Number.isFinite(high) || low > high) return false;
  }
  return true;
}

export function bruteForceBoxPairs(
  dimensions: Dimensions,
  boxes: Float32Array,
  period: readonly number[] = [],
): Uint32Array {
  const pairs: number[] = [];
  const count = boxes.length / (2 * dimensions);
  const valid = Array.from({ length: count }, (_, box) => isBox(dimensions, boxes, box));
  for (let a = 0; a < count; a++) {
    if (!valid[a]) continue;
    for (let b = a + 1; b < count; b++) {
      if (valid[b] && doOverlap(dimensions, boxes, a, b, period)) pairs.push(a, b);
    }
  }
  return Uint32Array.from(pairs);
}

function doOverlap(
  dimensions: Dimensions,
  boxes: Float32Array,
  a: number,
  b: number,
  period: readonly number[],
): boolean {
  for (let axis = 0; axis < dimensions; axis++) {
    const [lowA, highA] = endsOf(dimensions, boxes, a, axis);
    const [lowB, highB] = endsOf(dimensions, boxes, b, axis);
    const length = period[axis] ?? 0;
    const meets = (shift: number) => lowA + shift <= highB && lowB <= highA + shift;
    const coversPeriod = length > 0 && Math.max(highA - lowA, highB - lowB) >= length;
    if (!coversPeriod && !meets(0) && !(length > 0 && (meets(length) || meets(-length)))) return false;
  }
  return true;
}

function endsOf(dimensions: Dimensions, boxes: Float32Array, box: number, axis: number): [number, number] {
  const at = 2 * dimensions * box + axis;
  return [boxes[at] as number, boxes[at + dimensions] as number];
}

/** Faster than brute force, but supports no periodic axes. */
export function sweepBoxPairs(dimensions: Dimensions, boxes: Float32Array): Uint32Array {
  const ids = Array.from({ length: boxes.length / (2 * dimensions) }, (_, box) => box)
    .filter((box) => isBox(dimensions, boxes, box))
    .sort((a, b) => endsOf(dimensions, boxes, a, 0)[0] - endsOf(dimensions, boxes, b, 0)[0]);
  const pairs: [number, number][] = [];
  for (const [at, a] of ids.entries()) {
    const [, high] = endsOf(dimensions, boxes, a, 0);
    for (let next = at + 1; next < ids.length; next++) {
      const b = ids[next] as number;
      if ((boxes[2 * dimensions * b] as number) > high) break;
      if (doOverlap(dimensions, boxes, a, b, [])) pairs.push([Math.min(a, b), Math.max(a, b)]);
    }
  }
  return Uint32Array.from(pairs.sort(([a, b], [c, d]) => a - c || b - d).flat());
}
