/**
 * Counts, on the CPU, the comparisons of boxes that BoxPairs and BoxChunks make. Both search twice, to count and to
 * list the pairs.
 */
import { bucketAt, coarsened, latticeAt, levelOf } from '../../../src/core/world/levels';
import type { World } from '../../../src/core/world/world';
import { makeBoxBodies } from '../../../src/reference/grid/box-bodies';
import type { Work } from '../../harness/engine';

const SEARCHES = 2;

interface Body {
  readonly level: number;
  readonly lattice: readonly number[];
  readonly bucket: number;
  /** The buckets of the body's finer entries, by level. */
  readonly finer: readonly (number | undefined)[];
}

/**
 * A twin of shaders/query/chunk_pairs.wgsl, over the memberships that BoxChunks sorted on the device: a chunk, or 0 for
 * unused room, and an id each. `boxes` holds the low corner of each box, then its high one, `dimensions` numbers each.
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
 * A twin of shaders/levels/probe_hashed.wgsl with the flag WHOLE_BLOCKS, which visits all adjacent cells. Each search of
 * BoxPairs visits a pair from both boxes. `boxes` is as in `workOfChunks`.
 */
export function workOfBoxes(world: World, boxes: Float32Array): Work {
  const bodies = sortBodies(world, boxes);
  const entered = new Uint32Array(world.cellCount);
  const finer = new Uint32Array(world.cellCount);
  /** Finer entries per bucket and level, at index bucket × levels + level. */
  const finerOf = new Uint32Array(world.cellCount * world.levels);
  const add = (counts: Uint32Array, index: number) => {
    counts[index] = (counts[index] as number) + 1;
  };
  for (const { bucket, finer: buckets } of bodies) {
    add(entered, bucket);
    for (const [level, own] of buckets.entries()) {
      if (own === undefined) continue;
      add(finer, own);
      add(finerOf, own * world.levels + level);
    }
  }
  const occupied = new Set(bodies.map(({ level }) => level));
  const lowest = Math.min(...occupied);
  let candidates = 0;
  let tests = 0;
  for (const { level, lattice, bucket, finer: own } of bodies) {
    for (let higher = level; higher < world.levels; higher++) {
      if (!occupied.has(higher)) continue;
      for (const around of bucketsAround(world, coarsened(world, lattice, level, higher), higher)) {
        const others = (entered[around] as number) - (around === bucket ? 1 : 0);
        candidates += others;
        tests += others;
      }
    }
    if (lowest >= level) continue;
    // A bucket may also hold entries of cells on other levels: they are candidates, but not tested.
    for (const around of bucketsAround(world, lattice, level)) {
      candidates += (finer[around] as number) - own.filter((one) => one === around).length;
      tests += finerOf[around * world.levels + level] as number;
    }
  }
  return { candidates: SEARCHES * candidates, tests: SEARCHES * tests, counted: 'formula' };
}

function sortBodies(world: World, boxes: Float32Array): Body[] {
  const { dimensions } = world;
  const { bodies } = makeBoxBodies(world, boxes);
  const levels = Array.from({ length: bodies.length / 4 }, (_, body) =>
    levelOf(world, bodies[4 * body + 3] as number),
  );
  const occupied = new Set(levels);
  return levels.flatMap((level, body) => {
    if (level === undefined) return [];
    const lattice = latticeAt(world, bodies.subarray(4 * body, 4 * body + dimensions), 0, level);
    const finer = Array.from({ length: world.levels }, (_, higher) =>
      higher > level && occupied.has(higher)
        ? bucketAt(world, coarsened(world, lattice, level, higher), higher)
        : undefined,
    );
    return [{ level, lattice, bucket: bucketAt(world, lattice, level), finer }];
  });
}

function bucketsAround(world: World, middle: readonly number[], level: number): number[] {
  const layers = world.dimensions === 2 ? [0] : [-1, 0, 1];
  const [x = 0, y = 0, z = 0] = middle;
  return layers.flatMap((layer) =>
    [-1, 0, 1].flatMap((row) =>
      [-1, 0, 1].map((column) => {
        const cell = [x + column, y + row, z + layer];
        return bucketAt(world, world.dimensions === 2 ? cell.slice(0, 2) : cell, level);
      }),
    ),
  );
}
