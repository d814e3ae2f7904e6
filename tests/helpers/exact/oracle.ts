/** Finds overlapping pairs of exact simulations by brute force over their whole numbers. */
import type { PairEvents } from '../../../src/core/simulation/pair-events';
import type { Checkpoint, PairList } from '../../../src/core/simulation/simulation';

/** `diameter` and `period` are in quanta; the period is 0 along axes that do not wrap. */
export interface ExactUnits {
  readonly diameter: number;
  readonly period: readonly number[];
}

/** Returns the pairs that overlap, sorted by the first id and then the second. */
export function exactPairsOf({ ids, dimensions, exact }: Checkpoint, units: ExactUnits): PairList {
  const positions = exact?.positions as Int32Array;
  const pairs: number[] = [];
  for (let a = 0; a < ids.length; a++) {
    const own = positions.subarray(dimensions * a, dimensions * (a + 1));
    for (let b = a + 1; b < ids.length; b++) {
      const other = positions.subarray(dimensions * b, dimensions * (b + 1));
      if (isOverlap(own, other, units)) pairs.push(ids[a] as number, ids[b] as number);
    }
  }
  return { count: pairs.length / 2, pairs: Uint32Array.from(pairs) };
}

/** Returns the number of overlaps of particles with obstacles, whose positions are in quanta. */
export function exactObstacleContactsOf(
  { dimensions, exact }: Checkpoint,
  obstacles: Int32Array,
  units: ExactUnits,
): number {
  const positions = exact?.positions as Int32Array;
  let contacts = 0;
  for (let a = 0; a < positions.length; a += dimensions) {
    const own = positions.subarray(a, a + dimensions);
    for (let b = 0; b < obstacles.length; b += dimensions) {
      if (isOverlap(own, obstacles.subarray(b, b + dimensions), units)) contacts++;
    }
  }
  return contacts;
}

function isOverlap(a: Int32Array, b: Int32Array, { diameter, period }: ExactUnits): boolean {
  let squared = 0;
  a.forEach((at, axis) => {
    const direct = Math.abs(at - (b[axis] as number));
    const length = period[axis] as number;
    // Limits the distance along each axis to the diameter, so that doubles hold its square exactly.
    const apart = Math.min(diameter, direct, length > 0 ? Math.abs(length - direct) : direct);
    squared += apart * apart;
  });
  return squared < diameter * diameter;
}

/** Returns the pairs that begin, stay and end between two lists, which it compares as sets. */
export function eventsBetween(before: PairList, after: PairList): PairEvents {
  const [old, now] = [before, after].map(
    ({ pairs }) =>
      new Set(Array.from({ length: pairs.length / 2 }, (_, at) => `${pairs.subarray(2 * at, 2 * at + 2)}`)),
  ) as [Set<string>, Set<string>];
  const list = (all: Iterable<string>, isListed: (pair: string) => boolean): PairList => {
    const pairs = [...all].filter(isListed).flatMap((pair) => pair.split(',').map(Number));
    return { count: pairs.length / 2, pairs: Uint32Array.from(pairs) };
  };
  return {
    begun: list(now, (pair) => !old.has(pair)),
    stayed: list(now, (pair) => old.has(pair)),
    ended: list(old, (pair) => !now.has(pair)),
  };
}
