/** Writes `struct Frame` and `struct Level` of shaders/fluid/shared.wgsl, which consist of vectors of four numbers. */
import type { Lattice, Level, Levels } from '../lattice';
import { MAX_OBSTACLES, type Obstacle } from '../obstacles';
import type { FluidPlan } from '../options';
import { correctionRate } from '../reference/equations';
import { cornersOf } from '../regions';
import { MAX_DRAINS } from '../settings';
import { isRestrained } from '../shape';

export const FRAME_FIELDS = [
  'cells',
  'strides',
  'sizes',
  'grid_strides',
  'grid_last',
  'gain',
  'scale',
  'rules',
  'gravity',
  'drains',
  'obstacles',
] as const;

export const LEVEL_FIELDS = ['cells', 'strides', 'coarse_cells', 'coarse_strides'] as const;

const VECTOR_BYTES = 16;
const VECTORS_PER_OBSTACLE = 3;
const VECTORS_PER_DRAIN = 2;

const HEAD_VECTORS = FRAME_FIELDS.length - 2;
const OBSTACLES_BYTE = VECTOR_BYTES * (HEAD_VECTORS + VECTORS_PER_DRAIN * MAX_DRAINS);

export const FRAME_BYTES = OBSTACLES_BYTE + VECTOR_BYTES * VECTORS_PER_OBSTACLE * MAX_OBSTACLES;

export const FRAME_OFFSETS: readonly (readonly [string, number])[] = FRAME_FIELDS.map((name, index) => [
  name,
  name === 'obstacles' ? OBSTACLES_BYTE : VECTOR_BYTES * index,
]);

/** GPUs may flush smaller positive numbers to 0. With a restraint of 0, kernels would keep no account of the energy. */
const LEAST_RESTRAINT = 2 ** -126;

type Vector = readonly [number, number, number, number];

/** The cells of the grid, with the ring of empty cells around those of the lattice. */
export interface GridCells {
  readonly cells: readonly number[];
}

export interface FrameInput {
  readonly plan: FluidPlan;
  readonly couplingSize: number;
  readonly grid: GridCells;
  readonly count: number;
  readonly dt: number;
  readonly obstacles: readonly Obstacle[];
}

export function encodeFrame({ plan, couplingSize, grid, count, dt, obstacles }: FrameInput): ArrayBuffer {
  const { lattice, cellSize, dimensions, gravity } = plan;
  const [gridX = 1, gridY = 1, gridZ = 1] = grid.cells;
  const deep = dimensions === 3 ? 1 : 0;
  const words: Readonly<Record<string, Vector>> = {
    cells: [...lattice.cells, count],
    strides: [...lattice.strides, lattice.first],
    sizes: [lattice.size, couplingSize, obstacles.length, nodesOf(lattice)],
    grid_strides: [1, gridX, gridX * gridY, 1 + gridX + deep * gridX * gridY],
    grid_last: [gridX - 3, gridY - 3, deep * (gridZ - 3), plan.drains.length],
  };
  const [gainX = 0, gainY = 0, gainZ = 0] = gravity.map((component) => component * dt);
  const numbers: Readonly<Record<string, Vector>> = {
    gain: [gainX, gainY, gainZ, dt],
    scale: [dt / cellSize, 1 / cellSize, cellSize, dt > 0 ? correctionRate(plan, dt) : 0],
    gravity: [
      gravity[0] ?? 0,
      gravity[1] ?? 0,
      gravity[2] ?? 0,
      isRestrained(plan, obstacles) ? Math.max(plan.restraint, LEAST_RESTRAINT) : 0,
    ],
    rules: [plan.blend, plan.correction, 1 / plan.particlesPerCell, plan.tolerance],
  };
  const bytes = new ArrayBuffer(FRAME_BYTES);
  FRAME_FIELDS.forEach((name, index) => {
    if (words[name]) new Uint32Array(bytes, VECTOR_BYTES * index, 4).set(words[name]);
    else if (numbers[name]) new Float32Array(bytes, VECTOR_BYTES * index, 4).set(numbers[name]);
  });
  obstacles.forEach(({ position, velocity, halfExtents, radius }, index) => {
    const first = OBSTACLES_BYTE + VECTOR_BYTES * VECTORS_PER_OBSTACLE * index;
    new Float32Array(bytes, first, 12).set([...position, radius, ...velocity, 0, ...halfExtents, 0]);
  });
  plan.drains.forEach((drain, index) => {
    const first = VECTOR_BYTES * (HEAD_VECTORS + VECTORS_PER_DRAIN * index);
    const { min, max } = cornersOf(drain);
    // The first vector of a ball is its centre and squared radius; that of a box is its lower corner and 0.
    const [low, radius] = 'radius' in drain ? [drain.centre, drain.radius] : [min, 0];
    const vector = ([x = 0, y = 0, z = 0]: readonly number[], last: number) => [x, y, z, last];
    new Float32Array(bytes, first, 8).set([...vector(low, radius ** 2), ...vector(max, 0)]);
  });
  return bytes;
}

/** Returns the number of grid nodes: the cells, and one more layer at the upper end of each axis. */
export function nodesOf({ extents }: Lattice): number {
  return extents[0] * extents[1] * extents[2];
}

export function cellsOf({ cells }: Lattice): number {
  return cells[0] * cells[1] * cells[2];
}

/** Bytes from one level to the next: the alignment of uniform bindings. */
export const LEVEL_BYTES = 256;

/** The longest accepted axis has 4,096 cells, which takes 11 levels. Kernels that bind two levels need one more. */
export const MOST_LEVELS = 12;

/** `tail`: the first level that the tail kernel solves; see pressure.ts. */
export function encodeLevels({ levels, size }: Levels, tail: number): ArrayBuffer {
  const bytes = new ArrayBuffer(LEVEL_BYTES * MOST_LEVELS);
  levels.forEach((level, index) => {
    const coarse = levels[index + 1] ?? level;
    const strides = ({ strides: along, first, offset }: Level): Vector => [...along, first + offset];
    const vectors: Readonly<Record<(typeof LEVEL_FIELDS)[number], Vector>> = {
      cells: [...level.cells, size],
      strides: strides(level),
      coarse_cells: [...coarse.cells, index === 0 ? levels.length : tail],
      coarse_strides: strides(coarse),
    };
    LEVEL_FIELDS.forEach((name, field) => {
      new Uint32Array(bytes, LEVEL_BYTES * index + VECTOR_BYTES * field, 4).set(vectors[name]);
    });
  });
  return bytes;
}
