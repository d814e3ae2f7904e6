/**
 * Scenes in periodic and unbounded worlds. Coordinates are exact, as scene.ts describes, but coarser in `far-apart`.
 */
import { bucketOfLattice } from '../core/world/cells';
import { type Dimensions, defineWorld, type World } from '../core/world/world';
import type { CollisionSceneDefinition } from './definition';
import type { Random } from './random';
import { ROOM_FOR_ONE_OVERLAP } from './scattered';
import { ceilRoot, repeat, stepFor, toCoordinate, UNITS } from './scene';

/** The shortest period, in cells. */
const SHORTEST_PERIOD = 3;

/** Returns random positions below the upper end, which a periodic world wraps onto the lower end. */
function fill(dimensions: Dimensions, count: number, random: Random, edge: number): Float32Array {
  const step = stepFor(edge);
  return Float32Array.from({ length: count * dimensions }, () =>
    toCoordinate(random.between(0, edge * UNITS - 1), step),
  );
}

export const PERIODIC: CollisionSceneDefinition = {
  method: 'collisions',
  world: 'periodic',
  name: 'periodic',
  description: 'Random positions in a box that wraps around. All particles drift.',
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

export const CHANNEL: CollisionSceneDefinition = {
  method: 'collisions',
  world: 'periodic',
  name: 'channel',
  description: 'A bed is pulled along an endless channel.',
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

/** Distance from the origin to a cluster along each axis, in cells. */
const FAR = 2 ** 20;

/** Coordinates of `far-apart` are multiples of 1/FAR_STEPS. */
const FAR_STEPS = 4;

export const FAR_APART: CollisionSceneDefinition = {
  method: 'collisions',
  name: 'far-apart',
  description: 'Clusters two million cells apart in an unbounded world.',
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

/** `colliding-cells` uses only cells whose buckets are in the first 1/TABLE_PARTS of the cell table. */
const TABLE_PARTS = 8;
/** Cells per block. They follow each other along x, in the world and in the table. Each holds one particle. */
const BLOCK_CELLS = 32;
const ROWS_PER_LAYER = 1024;

export const COLLIDING_CELLS: CollisionSceneDefinition = {
  method: 'collisions',
  name: 'colliding-cells',
  description: 'All cells share an eighth of the hash table.',
  world: 'unbounded',
  generate(dimensions, count, random) {
    const world = defineWorld({ dimensions, unbounded: true }, 1, count);
    const positions = new Float32Array(count * dimensions);
    const rows = collidingRows(world, Math.ceil(count / BLOCK_CELLS));
    for (let particle = 0; particle < count; particle++) {
      const [, ...across] = rows[Math.floor(particle / BLOCK_CELLS)] as number[];
      const cell = [particle % BLOCK_CELLS, ...across];
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

/** Returns the first cell of each block. */
function collidingRows(world: World, wanted: number): number[][] {
  const rows: number[][] = [];
  for (let row = 0; rows.length < wanted; row++) {
    const y = (row % ROWS_PER_LAYER) - ROWS_PER_LAYER / 2;
    const layer = Math.floor(row / ROWS_PER_LAYER);
    // In 2D there are no layers, so the rows continue along y.
    const cell = world.dimensions === 2 ? [0, y + layer * ROWS_PER_LAYER] : [0, y, layer];
    if (bucketOfLattice(world, cell) < world.cellCount / TABLE_PARTS) rows.push(cell);
  }
  return rows;
}
