/** The box that a picture is fitted to. */
import { describeCount } from '../../core/base/errors';
import type { ParticleArrays, ParticleSimulation, World } from '../../index';

export interface SeenBox extends Pick<World, 'min' | 'max'> {
  /**
   * Subtracted from positions before projection. In an unbounded world it is near the particles, because 32-bit floats
   * far from 0 are too coarse.
   */
  readonly origin: readonly number[];
  readonly isWorld: boolean;
  /** A sentence about particles outside the box; '' if there are none. */
  readonly leftOut: string;
}

/** Greatest edge, in diameters. In a larger box no particle would be visible. */
const LONGEST_EDGE = 2000;
/** With many particles, the box may be this many times as long as a dense block of all particles. */
const LONGEST_SHARE = 8;
/** Edge of the box without particles, in diameters. */
const EMPTY_EDGE = 20;

export function worldBox({ min, max }: Pick<World, 'min' | 'max'>): SeenBox {
  return { min, max, origin: min.map(() => 0), isWorld: true, leftOut: '' };
}

/** Returns a box around all particles or, if they lie too far apart, around those near the first. */
export function boxAround(
  { dimensions, radius }: Pick<ParticleSimulation, 'dimensions' | 'radius'>,
  { positions, ids }: Pick<ParticleArrays, 'positions' | 'ids'>,
): SeenBox {
  // There may be millions of particles, so allocate nothing per particle.
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
  const firstIndex = ids.findIndex((_, index) => isMember(index, origin, Number.MAX_VALUE));
  const first =
    firstIndex < 0
      ? origin
      : Array.from(positions.subarray(dimensions * firstIndex, dimensions * (firstIndex + 1)));
  const { members: finite, ...all } = around(first, Number.MAX_VALUE);
  const longest = 2 * radius * Math.max(LONGEST_EDGE, LONGEST_SHARE * finite ** (1 / dimensions));
  const edges = all.max.map((high, axis) => high - (all.min[axis] as number));
  const common = { origin: first.map(Math.fround), isWorld: false };
  if (Math.max(...edges) <= longest) return { ...all, ...common, leftOut: '' };
  const { members: near, ...box } = around(first, longest / 4);
  return {
    ...box,
    ...common,
    leftOut: `The particles lie too far apart for one picture, so it shows ${describeCount(near)} of ${finite}: those near particle ${ids[firstIndex]}.`,
  };
}
