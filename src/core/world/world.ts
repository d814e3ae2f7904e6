/**
 * Defines a world and its cells. Guarantee: two particles closer than the diameter are in the same or in adjacent
 * cells, rounding included.
 *
 * In a box, the cell of a position is `floor((p − min) × inverseCellSize)` in 32-bit floats. The difference and the
 * product round once each. So the scaled distance of two particles has an error, the drift: along an axis of n cells at
 * most 4 · 2⁻²⁴ · n cells. If the drift could break the guarantee, the inverse is lowered by just enough. A periodic
 * axis has `floor(period × inverseCellSize)` cells; the last of them also contains the rest of the period.
 *
 * In an unbounded world, the edge of a cell is a power of two, so `p × inverseCellSize` is exact. All cells beyond ±2³⁰
 * are merged into the last cell. There, neighbouring 32-bit floats are at least 128 cells apart.
 */
import { checkDimensions, checkFinite } from '../base/checks';
import { ArgumentError } from '../base/errors';
import { boxCells, longestExtent, periodicAxes, unboundedCells } from './grid-cells';
import { checkDiameter, LARGEST_DIAMETER, UNIT_ROUNDOFF } from './limits';
import type { World, WorldOptions } from './types';

export {
  checkDiameter,
  FEWEST_PERIODIC_CELLS,
  GREATEST_FLOAT,
  GREATEST_SPEED,
  LARGEST_DIAMETER,
  MAX_CELLS,
  MAX_CELLS_PER_AXIS,
  MAX_LEVELS,
  SMALLEST_DIAMETER,
} from './limits';

export type { Dimensions, RadiusRange, World, WorldKind, WorldOptions } from './types';

export const WORLD_NAMES = [
  'min',
  'max',
  'periodic',
  'unbounded',
  'cellSize',
  'crowds',
] as const satisfies readonly (keyof WorldOptions)[];

/** Defines a world without levels. `capacity` determines the table size of an unbounded world. */
export function defineWorld(options: WorldOptions, largestDiameter: number, capacity = 0): World {
  const { dimensions } = options;
  checkDimensions(dimensions);
  checkDiameter('diameter', largestDiameter);
  // The shaders compare with the rounded diameter, which may be larger.
  const diameter = Math.fround(largestDiameter);
  checkFinite('world.cellSize', options.cellSize ?? diameter);
  const requested = Math.fround(options.cellSize ?? diameter);
  if (!(requested >= diameter && requested <= 2 * LARGEST_DIAMETER)) {
    const accepted = `at least the largest diameter, ${diameter}, and at most 2^61`;
    throw new ArgumentError('world.cellSize', options.cellSize, accepted);
  }
  const periodic = periodicAxes(options);
  const { unbounded = false, crowds = false } = options;
  for (const [name, value] of Object.entries({ unbounded, crowds })) {
    if (typeof value !== 'boolean') throw new ArgumentError(`world.${name}`, value, 'true or false');
  }
  const world = unbounded
    ? unboundedCells(options, requested, capacity)
    : boxCells(options, diameter, requested, periodic);
  for (const vector of [world.min, world.max, world.period, world.cells]) Object.freeze(vector);
  return Object.freeze({
    ...world,
    dimensions,
    diameter,
    smallestDiameter: diameter,
    crowds,
    cellSize: 1 / world.inverseCellSize,
    levels: 0,
    baseDiameter: 0,
    boxes: false,
    levelStarts: [],
  });
}

/**
 * Returns how many cells away, along any axis, a particle nearer than `radius` can be, rounding included. If `radius`
 * is at most the diameter, the result is 1, because cells are made for that.
 *
 * Let t be a scaled coordinate, s its value in 32-bit floats, and u = 2⁻²⁴. The longest axis has n cells, where n may
 * have a fraction.
 * 1. Two roundings make |s − t| ≤ (2 u + u²) |t|.
 * 2. If two particles are nearer than the radius, their s differ by less than radius · inverseCellSize + 4 u n. The
 *    second term is the drift.
 * 3. Let k be a whole number that is at least this sum. The floors of two numbers differ by less than the numbers do,
 *    plus 1. So the floors of the two s differ by at most k.
 * These cases need more care:
 * - Positions outside the box have the cell of t = 0 or t = n. Clamping never moves two cells farther apart.
 * - Along a periodic axis of N cells, let one particle be beyond the end by `a` cells, and another before the end by
 *   `b` cells, with a + b < radius · inverseCellSize. The last cell also contains the rest of the period. So their
 *   cells are at most floor(a) + ceil(b) ≤ k apart. Three values are rounded: a (at most N / 2), the coordinate before
 *   the end, and the period. Their errors add up to (1 + 2 + 1) u N: no more than the drift.
 * - Without rounding (unbounded world, or min 0 and a cell size that is a power of two), there is no drift.
 * The product in the code is exact in doubles. The 2 added to n covers u² and the rounding of the sum.
 */
export function cellsSpanned(world: World, radius: number): number {
  const reach = Math.fround(radius);
  if (reach <= world.diameter) return 1;
  const { kind, min, max, inverseCellSize } = world;
  const isExact =
    kind === 'unbounded' || (min.every((low) => low === 0) && Number.isInteger(Math.log2(inverseCellSize)));
  const drift = isExact ? 0 : 4 * UNIT_ROUNDOFF * (longestExtent(min, max) * inverseCellSize + 2);
  return Math.max(1, Math.ceil(reach * inverseCellSize + drift));
}
