/**
 * Purpose: the bounded world and its dense cells; the one place where cell sizes and counts are decided.
 * Inputs: corners, the largest diameter, an optional cell size. Output: a frozen `World`.
 *
 * Guarantee: two particles closer than the diameter are in the same or in adjacent cells, rounding
 * included. The cell of a position is floor((p − min) × inverseCellSize) in 32-bit floats: one rounding
 * in the difference and one in the product, so two particles can drift apart by up to
 * 4 · 2⁻²⁴ · (cells along the axis) of a cell. Where that could break the guarantee, the inverse is
 * lowered (the cell grows) by just that much; where all is exact (min 0, cell size a power of two)
 * nothing is added.
 */
import { checkDimensions, checkFinite, checkVector } from './checks';
import { ArgumentError } from './errors';

export type Dimensions = 2 | 3;

/** A pair of opposite corners and, if wished, the edge of a cell; lengths in the caller's own unit. */
export interface WorldOptions {
  readonly dimensions: Dimensions;
  readonly min: readonly number[];
  readonly max: readonly number[];
  /** Edge of a cell. Default: the diameter. Smaller is refused. */
  readonly cellSize?: number | undefined;
}

export interface World {
  readonly dimensions: Dimensions;
  /** Corners, rounded to 32-bit floats. */
  readonly min: readonly number[];
  readonly max: readonly number[];
  /** Largest diameter that the 3×3 (3×3×3) probe is exact for. */
  readonly diameter: number;
  /** 1 / inverseCellSize: the edge of a cell as it is, at least the one asked for. */
  readonly cellSize: number;
  readonly inverseCellSize: number;
  /**
   * Cells along each axis, among them one at each end that stays empty: with that ring around the box a
   * probe needs no test for the border.
   */
  readonly cells: readonly number[];
  readonly cellCount: number;
}

/** More cells along an axis leave too few bits of a 32-bit float to place a particle in its cell. */
export const MAX_CELLS_PER_AXIS = 2 ** 19;

/** Cell numbers and two extra buckets must fit 32-bit integers with room for products. */
export const MAX_CELLS = 2 ** 31 - 4;

/** Below this, a component of `min` other than 0 could make flushed subnormals visible. */
const SMALLEST_ORIGIN = 2 ** -100;

const UNIT_ROUNDOFF = 2 ** -24;

/**
 * Diameters far outside this make their squares overflow or vanish in 32-bit floats, and contacts with them.
 */
export const SMALLEST_DIAMETER = 2 ** -40;
export const LARGEST_DIAMETER = 2 ** 60;

/**
 * A velocity with a component that reaches this is no longer finite as far as the engines are concerned: its
 * square, summed over a crowd, would overflow. Particles that get so fast are set aside. The measure pass adds
 * in 32-bit floats over one of 1,024 workgroups, the rest is added in doubles: of MAX_PARTICLES, less than 2^31,
 * that is 2^21, and 2^21 · 3 · (2^48)² is less than 2^119, where floats end at 2^128. The 2^9 between them are
 * for speeds that a bounce raises after the check.
 */
export const GREATEST_SPEED = 2 ** 48;

export function checkDiameter(argument: string, diameter: unknown): asserts diameter is number {
  if (typeof diameter !== 'number' || !(diameter >= SMALLEST_DIAMETER && diameter <= LARGEST_DIAMETER)) {
    throw new ArgumentError(argument, diameter, 'a number from 2^-40 to 2^60');
  }
}

export function defineWorld(options: WorldOptions, largestDiameter: number): World {
  const { dimensions } = options;
  checkDimensions(dimensions);
  checkDiameter('diameter', largestDiameter);
  // The shaders compare with the rounded one, which may be larger.
  const diameter = Math.fround(largestDiameter);
  checkVector('world.min', options.min, dimensions);
  checkVector('world.max', options.max, dimensions);
  const min = Array.from(options.min, Math.fround);
  const max = Array.from(options.max, Math.fround);
  for (let axis = 0; axis < dimensions; axis++) {
    const low = min[axis] as number;
    const high = max[axis] as number;
    if (low !== 0 && Math.abs(low) < SMALLEST_ORIGIN) {
      throw new ArgumentError(`world.min[${axis}]`, low, '0 or at least 2^-100 in magnitude');
    }
    if (!(high - low >= diameter) || !Number.isFinite(Math.fround(high - low))) {
      throw new ArgumentError(
        `world.max[${axis}]`,
        options.max[axis],
        `at least world.min[${axis}] + one diameter = ${low + diameter}, with a finite distance between them`,
      );
    }
  }
  checkFinite('world.cellSize', options.cellSize ?? diameter);
  const requested = Math.fround(options.cellSize ?? diameter);
  if (!(requested >= diameter && requested <= 2 * LARGEST_DIAMETER)) {
    const accepted = `at least the largest diameter, ${diameter}, and at most 2^61`;
    throw new ArgumentError('world.cellSize', options.cellSize, accepted);
  }
  const longest = Math.max(...max.map((high, axis) => high - (min[axis] as number)));
  const inverseCellSize = chooseInverse(requested, diameter, longest, min);
  const cells = max.map(
    (high, axis) => Math.max(1, Math.ceil(Math.fround(high - (min[axis] as number)) * inverseCellSize)) + 2,
  );
  const cellCount = cells.reduce((product, count) => product * count, 1);
  if (Math.max(...cells) > MAX_CELLS_PER_AXIS || cellCount > MAX_CELLS) {
    throw new ArgumentError(
      'world',
      cells,
      `at most ${MAX_CELLS_PER_AXIS} cells along an axis and ${MAX_CELLS} in all (a larger cellSize or a smaller box)`,
    );
  }
  return Object.freeze({
    dimensions,
    min: Object.freeze(min),
    max: Object.freeze(max),
    diameter,
    cellSize: 1 / inverseCellSize,
    inverseCellSize,
    cells: Object.freeze(cells),
    cellCount,
  });
}

function chooseInverse(cellSize: number, diameter: number, longest: number, min: readonly number[]): number {
  const nearest = Math.fround(1 / cellSize);
  const exact = min.every((low) => low === 0) && Number.isInteger(Math.log2(nearest));
  if (exact && diameter * nearest <= 1) return nearest;
  // More than half a cell of drift means far too many cells, which the caller refuses.
  const drift = Math.min(0.5, 4 * UNIT_ROUNDOFF * (longest * nearest + 2));
  const largest = (1 - drift) / diameter;
  return nearest <= largest ? nearest : roundDown(largest);
}

/** The largest 32-bit float that is not above a positive value. */
function roundDown(value: number): number {
  const nearest = Math.fround(value);
  if (nearest <= value) return nearest;
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, nearest);
  view.setUint32(0, view.getUint32(0) - 1);
  return view.getFloat32(0);
}
