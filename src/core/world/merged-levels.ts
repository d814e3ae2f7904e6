/**
 * Decides how many of the lowest levels of an unbounded world are merged, with the same result as
 * shaders/grid/merge_levels.wgsl. That file explains why levels are merged.
 */
import { mergesLevels, mixBlock, snap } from './cells';
import { latticeAt, levelOf } from './levels';
import type { World } from './world';

/**
 * Returns the room of the sample, in cells. `buckets` is the number of buckets of the lowest level. The room is at least
 * twice the expected number of cells. More may be sampled, because coincident particles are sampled all together or not
 * at all. Then no levels are merged.
 */
export function sampleRoom(buckets: number): number {
  return Math.min(buckets, 32 * Math.ceil(Math.sqrt(buckets)));
}

function bitLength(number: number): number {
  return 32 - Math.clz32(number);
}

/**
 * Returns the world with the cells into which the GPU sorts these particles. Level 0 is the lowest that is not merged.
 */
export function mergeLevels(
  world: World,
  positions: ArrayLike<number>,
  radii: ArrayLike<number> | undefined,
): World {
  const merged = radii && mergesLevels(world) ? countMerged(world, positions, radii) : 0;
  if (merged === 0) return world;
  const { baseDiameter, cellSize, inverseCellSize } = world;
  return {
    ...world,
    baseDiameter: baseDiameter * 2 ** merged,
    cellSize: cellSize * 2 ** merged,
    inverseCellSize: inverseCellSize / 2 ** merged,
  };
}

function countMerged(world: World, positions: ArrayLike<number>, radii: ArrayLike<number>): number {
  const { dimensions, levels } = world;
  const count = radii.length;
  const shift = (Math.max(bitLength(count), 4) >> 1) - 2;
  const words = new Int32Array(dimensions);
  const floats = new Float32Array(words.buffer);
  const sample: number[][] = [];
  for (let particle = 0; particle < count; particle++) {
    for (let axis = 0; axis < dimensions; axis++) {
      floats[axis] = snap(positions[dimensions * particle + axis] as number);
    }
    if ((mixBlock([...words]) & (2 ** shift - 1)) !== 0) continue;
    if (!floats.every(Number.isFinite) || levelOf(world, radii[particle] as number) === undefined) continue;
    sample.push(latticeAt(world, positions, particle, 0));
  }
  if (sample.length > sampleRoom(world.levelStarts[1] as number)) return 0;
  const pairs = new Float64Array(33);
  sample.forEach((cell, index) => {
    for (let other = 0; other < index; other++) {
      let differing = 0;
      for (let axis = 0; axis < dimensions; axis++) {
        differing |= (cell[axis] as number) ^ ((sample[other] as number[])[axis] as number);
      }
      const level = bitLength(differing);
      pairs[level] = (pairs[level] as number) + 1;
    }
  });
  const least = Math.ceil(count / 4 ** (shift + 1));
  let merged = 0;
  let shared = pairs[0] as number;
  while (merged + 1 < levels && shared < least) {
    merged++;
    shared += pairs[merged] as number;
  }
  return merged;
}
