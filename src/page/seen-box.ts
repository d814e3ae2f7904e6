/**
 * Purpose: the box that a picture is fitted to: the world's, or where that has no end one around the particles. Pure.
 */
import { describeCount } from '../core/errors';
import type { ParticleArrays, ParticleSimulation } from '../core/simulation';
import type { World } from '../core/world';

/** Corners of what is looked at. */
export interface SeenBox extends Pick<World, 'min' | 'max'> {
  /**
   * What positions are taken from before they are projected, in 32-bit floats: 0, and far out in a world without end a place
   * near by, lest what is left of the floats be too coarse to draw with.
   */
  readonly origin: readonly number[];
  /** Whether it is the world's own, and drawn. */
  readonly isWorld: boolean;
  /** Who is left out of it, in a sentence, else ''. */
  readonly leftOut: string;
}

/** Diameters along an edge at most, for few particles, and for many of what they take up side by side: else none would be seen. */
const LONGEST_EDGE = 2000;
const LONGEST_SHARE = 8;
/** Diameters along an edge where there is nobody. */
const EMPTY_EDGE = 20;

export function worldBox({ min, max }: Pick<World, 'min' | 'max'>): SeenBox {
  return { min, max, origin: min.map(() => 0), isWorld: true, leftOut: '' };
}

/** Around all particles, or where these lie too far apart to be seen together those near the first. */
export function boxAround(
  { dimensions, radius }: Pick<ParticleSimulation, 'dimensions' | 'radius'>,
  { positions, ids }: Pick<ParticleArrays, 'positions' | 'ids'>,
): SeenBox {
  const placeOf = (index: number) =>
    Array.from(positions.subarray(dimensions * index, dimensions * (index + 1)));
  const finite = [...ids.keys()].filter((index) => placeOf(index).every(Number.isFinite));
  const first = finite[0] === undefined ? new Array<number>(dimensions).fill(0) : placeOf(finite[0]);
  const around = (members: readonly number[]) => {
    const pad = finite.length > 0 ? radius : EMPTY_EDGE * radius;
    const [min, max] = [[...first], [...first]];
    for (const index of members) {
      for (let axis = 0; axis < dimensions; axis++) {
        const along = positions[dimensions * index + axis] as number;
        min[axis] = Math.min(min[axis] as number, along);
        max[axis] = Math.max(max[axis] as number, along);
      }
    }
    return { min: min.map((low) => low - pad), max: max.map((high) => high + pad) };
  };
  const all = around(finite);
  const longest = 2 * radius * Math.max(LONGEST_EDGE, LONGEST_SHARE * finite.length ** (1 / dimensions));
  const edges = all.max.map((high, axis) => high - (all.min[axis] as number));
  const common = { origin: first.map(Math.fround), isWorld: false };
  if (Math.max(...edges) <= longest) return { ...all, ...common, leftOut: '' };
  const near = finite.filter((index) =>
    placeOf(index).every((along, axis) => Math.abs(along - (first[axis] as number)) <= longest / 4),
  );
  return {
    ...around(near),
    ...common,
    leftOut: `The particles lie too far apart to be seen together, so the picture shows ${describeCount(near.length)} of ${finite.length} that are near number ${ids[finite[0] as number]}.`,
  };
}
