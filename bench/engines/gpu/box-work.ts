/**
 * Counts, on the CPU, the comparisons of boxes that BoxPairs and BoxChunks make. Both search twice, to count and to
 * list the pairs.
 */
import { FINER_STEPS } from '../../../src/core/base/constants';
import { bucketAt, coarsened, latticeAt, levelOf } from '../../../src/core/world/levels';
import { mergeLevels } from '../../../src/core/world/merged-levels';
import type { World } from '../../../src/core/world/world';
import { makeBoxBodies } from '../../../src/reference/grid/box-bodies';
import type { Work } from '../../harness/engine';

const SEARCHES = 2;

interface Body {
  readonly level: number;
  readonly lattice: readonly number[];
}

/**
 * A twin of shaders/query/chunk_pairs.wgsl. `chunks` and `ids` hold the memberships that BoxChunks sorted on the
 * device; the chunk of unused room is 0. `boxes` holds the low corner of each box, then its high one, `dimensions`
 * numbers each.
 */
export function workOfChunks(
  dimensions: number,
  boxes: Float32Array,
  chunks: Uint32Array,
  ids: Uint32Array,
): Work {
  const last = 2 * dimensions;
  const lowOf = (slot: number) => boxes[last * (ids[slot] as number) + dimensions - 1] as number;
  const highOf = (slot: number) => boxes[last * (ids[slot] as number) + last - 1] as number;
  let tests = 0;
  let end = 0;
  for (let slot = chunks.lastIndexOf(0) + 1; slot < chunks.length; slot++) {
    while (end < chunks.length && (end <= slot || chunks[end] === chunks[slot])) end++;
    // Members of a chunk ascend by their low ends along the last axis.
    let [low, high] = [slot + 1, end];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (lowOf(middle) <= highOf(slot)) low = middle + 1;
      else high = middle;
    }
    tests += low - slot - 1;
  }
  return { candidates: SEARCHES * tests, tests: SEARCHES * tests, counted: 'loop' };
}

/**
 * A twin of shaders/levels/probe_layers.wgsl with the flag WHOLE_BLOCKS. `boxes` is as in `workOfChunks`. Each search
 * of BoxPairs visits a pair from both boxes, and tests all candidates of a box:
 *
 * - on its level and on each higher level: the boxes in its cell and in all adjacent cells
 * - on the level below: the boxes in all cells inside those of its own level
 * - from still lower levels: the finer entries in the cells of its own level
 */
export function workOfBoxes(given: World, boxes: Float32Array): Work {
  const { world, bodies } = sortBodies(given, boxes);
  const entered = new Uint32Array(world.cellCount);
  const finer = new Uint32Array(world.cellCount);
  const add = (counts: Uint32Array, index: number) => {
    counts[index] = (counts[index] as number) + 1;
  };
  const occupied = new Set(bodies.map(({ level }) => level));
  for (const { level, lattice } of bodies) {
    add(entered, bucketAt(world, lattice, level));
    for (let higher = level + FINER_STEPS; higher < world.levels; higher++) {
      if (occupied.has(higher)) add(finer, bucketAt(world, coarsened(world, lattice, level, higher), higher));
    }
  }
  let tests = 0;
  for (const { level, lattice } of bodies) {
    for (let other = Math.max(level, 1) - 1; other < world.levels; other++) {
      if (!occupied.has(other)) continue;
      const higher = Math.max(level, other);
      const middle = coarsened(world, lattice, level, higher);
      for (const bucket of bucketsAround(world, middle, higher, other)) tests += entered[bucket] as number;
    }
    // Leave out the box itself.
    tests--;
    if (level < FINER_STEPS) continue;
    for (const bucket of bucketsAround(world, lattice, level, level)) tests += finer[bucket] as number;
  }
  return { candidates: SEARCHES * tests, tests: SEARCHES * tests, counted: 'formula' };
}

function sortBodies(given: World, boxes: Float32Array): { world: World; bodies: Body[] } {
  const { dimensions } = given;
  const { bodies } = makeBoxBodies(given, boxes);
  const count = bodies.length / 4;
  const corners = Float32Array.from({ length: dimensions * count }, (_, index) => {
    const body = Math.floor(index / dimensions);
    return bodies[4 * body + (index % dimensions)] as number;
  });
  const radii = Float32Array.from({ length: count }, (_, body) => bodies[4 * body + 3] as number);
  const world = mergeLevels(given, corners, radii);
  return {
    world,
    bodies: Array.from(radii, (radius, body) => ({ level: levelOf(world, radius), body })).flatMap(
      ({ level, body }) =>
        level === undefined ? [] : [{ level, lattice: latticeAt(world, corners, body, level) }],
    ),
  };
}

/** Returns the buckets of the cells on `level` inside a block of cells on `higher`: `middle` and all adjacent cells. */
function bucketsAround(world: World, middle: readonly number[], higher: number, level: number): number[] {
  const finer = higher - level;
  const along = middle.map((cell) =>
    Array.from({ length: 3 << finer }, (_, index) => ((cell - 1) << finer) + index),
  );
  const [xs = [], ys = [], zs] = along;
  return ys.flatMap((y) =>
    xs.flatMap((x) =>
      zs ? zs.map((z) => bucketAt(world, [x, y, z], level)) : [bucketAt(world, [x, y], level)],
    ),
  );
}
