/**
 * The box that a picture is fitted to: the world's, or where that has no end one around the particles. Pure.
 */
import { describeCount } from '../../core/base/errors';
import type { ParticleArrays, ParticleSimulation } from '../../core/simulation/simulation';
import type { World } from '../../core/world/world';

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
/** Edge of the box in diameters if there are no particles. */
const EMPTY_EDGE = 20;

export function worldBox({ min, max }: Pick<World, 'min' | 'max'>): SeenBox {
  return { min, max, origin: min.map(() => 0), isWorld: true, leftOut: '' };
}

/** Around all particles, or where these lie too far apart to be seen together those near the first. */
export function boxAround(
  { dimensions, radius }: Pick<ParticleSimulation, 'dimensions' | 'radius'>,
  { positions, ids }: Pick<ParticleArrays, 'positions' | 'ids'>,
): SeenBox {
  // Millions of particles: plain loops, nothing made for each.
  const isMember = (index: number, first: readonly number[], reach: number) => {
    for (let axis = 0; axis < dimensions; axis++) {
      const along = positions[dimensions * index + axis] as number;
      if (!(Math.abs(along - (first[axis] as number)) <= reach)) return false;
    }
    return true;
  };
  const around = (first: readonly number[], reach: number) => {
    const [min, max] = [[...first], [...first]];
    let members = 0;
    for (let index = 0; index < ids.length; index++) {
      if (!isMember(index, first, reach)) continue;
      members++;
      for (let axis = 0; axis < dimensions; axis++) {
        const along = positions[dimensions * index + axis] as number;
        min[axis] = Math.min(min[axis] as number, along);
        max[axis] = Math.max(max[axis] as number, along);
      }
    }
    const pad = members > 0 ? radius : EMPTY_EDGE * radius;
    return { min: min.map((low) => low - pad), max: max.map((high) => high + pad), members };
  };
  const origin = new Array<number>(dimensions).fill(0);
  // What is not finite is at no distance from anywhere.
  const foremost = ids.findIndex((_, index) => isMember(index, origin, Number.MAX_VALUE));
  const first =
    foremost < 0
      ? origin
      : Array.from(positions.subarray(dimensions * foremost, dimensions * (foremost + 1)));
  const { members: finite, ...all } = around(first, Number.MAX_VALUE);
  const longest = 2 * radius * Math.max(LONGEST_EDGE, LONGEST_SHARE * finite ** (1 / dimensions));
  const edges = all.max.map((high, axis) => high - (all.min[axis] as number));
  const common = { origin: first.map(Math.fround), isWorld: false };
  if (Math.max(...edges) <= longest) return { ...all, ...common, leftOut: '' };
  const { members: near, ...box } = around(first, longest / 4);
  return {
    ...box,
    ...common,
    leftOut: `The particles lie too far apart to be seen together, so the picture shows ${describeCount(near)} of ${finite} that are near number ${ids[foremost]}.`,
  };
}
