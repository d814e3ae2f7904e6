/**
 * Purpose: scenes of worlds that wrap around or have no end. Dyadic like all others; where clusters lie a million
 * cells out, in steps of a quarter, since 32-bit floats hold no finer ones there.
 */
import { bucketOfLattice } from '../core/world/cells';
import { type Dimensions, defineWorld, type World } from '../core/world/world';
import type { Random } from './random';
import { ROOM_FOR_ONE_OVERLAP } from './scattered';
import { ceilRoot, repeat, type SceneDefinition, stepFor, toCoordinate, UNITS } from './scene';

/** The world must have three cells along an axis that wraps around. */
const SHORTEST_PERIOD = 3;

/** Evenly at random in the whole box, ends included but for the last unit: the first is the same place. */
function fill(dimensions: Dimensions, count: number, random: Random, edge: number): Float32Array {
  const step = stepFor(edge);
  return Float32Array.from({ length: count * dimensions }, () =>
    toCoordinate(random.between(0, edge * UNITS - 1), step),
  );
}

export const PERIODIC: SceneDefinition = {
  name: 'periodic',
  description: 'Scattered evenly in a box that wraps around along every axis, all drifting across its ends.',
  generate(dimensions, count, random) {
    const edge = Math.max(SHORTEST_PERIOD, ceilRoot(count * ROOM_FOR_ONE_OVERLAP[dimensions], dimensions));
    return {
      radius: 0.5,
      min: repeat(0, dimensions),
      max: repeat(edge, dimensions),
      periodic: true,
      positions: fill(dimensions, count, random, edge),
      velocities: new Float32Array(count * dimensions).fill(2),
      settings: {},
    };
  },
};

export const CHANNEL: SceneDefinition = {
  name: 'channel',
  description:
    'A bed of particles pulled along a channel without ends: it wraps around along x, the rest are walls.',
  generate(dimensions, count, random) {
    const edge = Math.max(
      SHORTEST_PERIOD + 1,
      ceilRoot(count * ROOM_FOR_ONE_OVERLAP[dimensions], dimensions) + 1,
    );
    const positions = fill(dimensions, count, random, edge);
    const step = stepFor(edge);
    for (let index = 0; index < positions.length; index++) {
      if (index % dimensions === 0) continue;
      const units = random.between(UNITS / 2, edge * UNITS - UNITS / 2);
      positions[index] = toCoordinate(units, step);
    }
    return {
      radius: 0.5,
      min: repeat(0, dimensions),
      max: repeat(edge, dimensions),
      periodic: Array.from({ length: dimensions }, (_, axis) => axis === 0),
      positions,
      velocities: new Float32Array(count * dimensions),
      settings: { gravity: [2, -8, 0].slice(0, dimensions) },
    };
  },
};

/** Cells from the origin to the middle of a cluster, along each axis. */
const FAR = 2 ** 20;

/** Steps to a unit of length so far out. */
const FAR_STEPS = 4;

export const FAR_APART: SceneDefinition = {
  name: 'far-apart',
  description: 'Clusters two million cells apart, one in each direction, in a world without end.',
  world: 'unbounded',
  generate(dimensions, count, random) {
    const clusters = 2 ** dimensions;
    const half = ceilRoot((count / clusters) * ROOM_FOR_ONE_OVERLAP[dimensions], dimensions) + 1;
    const positions = new Float32Array(count * dimensions);
    for (let index = 0; index < positions.length; index++) {
      const cluster = Math.floor(index / dimensions) % clusters;
      const side = (cluster >> (index % dimensions)) & 1 ? FAR : -FAR;
      positions[index] = side + random.between((-half * FAR_STEPS) / 2, (half * FAR_STEPS) / 2) / FAR_STEPS;
    }
    return {
      radius: 0.5,
      min: repeat(-FAR - half, dimensions),
      max: repeat(FAR + half, dimensions),
      positions,
      velocities: new Float32Array(count * dimensions),
      settings: {},
    };
  },
};

/** Of so many blocks of cells, one is taken: those that the hash files in the first share of the table. */
const CROWDED_SHARE = 8;
/** Particles in a block of cells that lie together in the table. */
const BLOCK_ROOM = 32;
/** Rows of cells that are looked through, before the next layer. */
const ROWS_LOOKED_THROUGH = 1024;

export const COLLIDING_CELLS: SceneDefinition = {
  name: 'colliding-cells',
  description:
    'Cells chosen so that the hash files them all in an eighth of its table: four to eight to a bucket.',
  world: 'unbounded',
  generate(dimensions, count, random) {
    const world = defineWorld({ dimensions, unbounded: true }, 1, count);
    const positions = new Float32Array(count * dimensions);
    const rows = collidingRows(world, Math.ceil(count / BLOCK_ROOM));
    for (let particle = 0; particle < count; particle++) {
      const [, ...across] = rows[Math.floor(particle / BLOCK_ROOM)] as number[];
      const cell = [particle % BLOCK_ROOM, ...across];
      cell.forEach((coordinate, axis) => {
        positions[particle * dimensions + axis] = coordinate + random.below(UNITS) / UNITS;
      });
    }
    const extent = (axis: number) => positions.filter((_, index) => index % dimensions === axis);
    return {
      radius: 0.5,
      min: Array.from(
        { length: dimensions },
        (_, axis) => extent(axis).reduce((a, b) => Math.min(a, b), 0) - 1,
      ),
      max: Array.from(
        { length: dimensions },
        (_, axis) => extent(axis).reduce((a, b) => Math.max(a, b), 0) + 1,
      ),
      positions,
      velocities: new Float32Array(count * dimensions),
      settings: {},
    };
  },
};

/** First cells of blocks that the hash files in the first share of the table. */
function collidingRows(world: World, wanted: number): number[][] {
  const rows: number[][] = [];
  for (let row = 0; rows.length < wanted; row++) {
    const y = (row % ROWS_LOOKED_THROUGH) - ROWS_LOOKED_THROUGH / 2;
    const further = Math.floor(row / ROWS_LOOKED_THROUGH);
    // In the plane there is no other layer: the rows go on.
    const cell = world.dimensions === 2 ? [0, y + further * ROWS_LOOKED_THROUGH] : [0, y, further];
    if (bucketOfLattice(world, cell) < world.cellCount / CROWDED_SHARE) rows.push(cell);
  }
  return rows;
}
