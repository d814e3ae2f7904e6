/** Chooses the cells of a box and the buckets of an unbounded world. world.ts explains the guarantee. */
import { checkVector } from '../base/checks';
import { HASH_BLOCK } from '../base/constants';
import { ArgumentError } from '../base/errors';
import {
  FEWEST_PERIODIC_CELLS,
  GREATEST_FLOAT,
  MAX_CELLS,
  MAX_CELLS_PER_AXIS,
  SMALLEST_DIAMETER,
  UNIT_ROUNDOFF,
} from './limits';
import type { World, WorldOptions } from './types';

const SMALLEST_TABLE = 4 * HASH_BLOCK;

/** Least magnitude of a `min` that is not 0. With a smaller one, flushed subnormals could change cells. */
const SMALLEST_ORIGIN = 2 ** -100;

export type WorldCells = Omit<
  World,
  | 'dimensions'
  | 'diameter'
  | 'smallestDiameter'
  | 'cellSize'
  | 'crowds'
  | 'levels'
  | 'baseDiameter'
  | 'boxes'
  | 'levelStarts'
>;

export function periodicAxes({ dimensions, periodic = false }: WorldOptions): readonly boolean[] {
  if (typeof periodic === 'boolean') return new Array<boolean>(dimensions).fill(periodic);
  const isList = Array.isArray(periodic) && periodic.length === dimensions;
  // Array.from reads holes as undefined.
  if (!isList || Array.from(periodic).some((axis) => typeof axis !== 'boolean')) {
    throw new ArgumentError('world.periodic', periodic, `true, false, or a list of ${dimensions} of these`);
  }
  return periodic;
}

export function hashedBuckets(capacity: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(SMALLEST_TABLE, capacity)));
}

export function unboundedCells(options: WorldOptions, requested: number, capacity: number): WorldCells {
  const { dimensions } = options;
  for (const name of ['min', 'max', 'periodic'] as const) {
    if (options[name] !== undefined && options[name] !== false) {
      const accepted = 'left out, since the world is unbounded';
      throw new ArgumentError(`world.${name}`, options[name], accepted);
    }
  }
  const inverseCellSize = 2 ** -Math.ceil(Math.log2(requested));
  const cellCount = hashedBuckets(capacity);
  const all = (value: number) => new Array<number>(dimensions).fill(value);
  return {
    kind: 'unbounded',
    min: all(-GREATEST_FLOAT),
    max: all(GREATEST_FLOAT),
    period: all(0),
    // The logarithm may have been rounded down across a power of two.
    inverseCellSize: requested * inverseCellSize <= 1 ? inverseCellSize : inverseCellSize / 2,
    cells: all(0),
    cellCount,
  };
}

export function boxCells(
  options: WorldOptions,
  diameter: number,
  requested: number,
  periodic: readonly boolean[],
): WorldCells {
  const { dimensions } = options;
  checkVector('world.min', options.min, dimensions);
  checkVector('world.max', options.max, dimensions);
  const min = Array.from(options.min, Math.fround);
  const max = Array.from(options.max, Math.fround);
  const extent = max.map((high, axis) => Math.fround(high - (min[axis] as number)));
  for (let axis = 0; axis < dimensions; axis++) {
    const low = min[axis] as number;
    const high = max[axis] as number;
    if (low !== 0 && Math.abs(low) < SMALLEST_ORIGIN) {
      throw new ArgumentError(`world.min[${axis}]`, low, '0 or at least 2^-100 in magnitude');
    }
    const finite = Number.isFinite(extent[axis] as number);
    if (!finite || !(high - low >= diameter || periodic[axis])) {
      let least = Math.fround(low + diameter);
      while (!(least - low >= diameter)) least = raise(least, low);
      throw new ArgumentError(
        `world.max[${axis}]`,
        options.max[axis],
        `at least world.min[${axis}] + one diameter = ${least}, with a finite distance between them`,
      );
    }
  }
  checkPeriodic(options, { min, max, periodic, requested, diameter, fewest: FEWEST_PERIODIC_CELLS });
  const inverseCellSize = chooseInverse(requested, diameter, longestExtent(min, max), min);
  const cells = extent.map((length, axis) =>
    periodic[axis]
      ? countPeriodic(length, inverseCellSize)
      : Math.max(1, Math.ceil(length * inverseCellSize)) + 2,
  );
  const cellCount = cells.reduce((product, count) => product * count, 1);
  if (Math.max(...cells) > MAX_CELLS_PER_AXIS || cellCount > MAX_CELLS) {
    throw new ArgumentError(
      'the number of cells in the world',
      cells,
      `at most ${MAX_CELLS_PER_AXIS} along an axis and ${MAX_CELLS} in all; use a larger cellSize (unless exact) or a smaller box`,
    );
  }
  const period = extent.map((length, axis) => (periodic[axis] ? length : 0));
  return {
    kind: periodic.includes(true) ? 'periodic' : 'bounded',
    min,
    max,
    period,
    inverseCellSize,
    cells,
    cellCount,
  };
}

/** `requested` is the wanted edge of cells, `fewest` the least number of cells along a periodic axis. */
export interface PeriodicBox {
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly periodic: readonly boolean[];
  readonly requested: number;
  readonly diameter: number;
  readonly fewest: number;
}

export function checkPeriodic(options: WorldOptions, box: PeriodicBox): void {
  lengthenPeriodic(box).forEach((high, axis) => {
    if (high === box.max[axis]) return;
    throw new ArgumentError(
      `world.max[${axis}]`,
      options.max?.[axis],
      `at least world.min[${axis}] + ${FEWEST_PERIODIC_CELLS} cells = ${high}, since the axis is periodic`,
    );
  });
}

/**
 * Returns `max`, raised along periodic axes until each has enough cells. A longer axis may lower the inverse cell size,
 * which leaves fewer cells along the others. So each round checks all axes.
 */
function lengthenPeriodic({
  min,
  max,
  periodic,
  requested,
  diameter,
  fewest,
}: PeriodicBox): readonly number[] {
  const raised = [...max];
  for (;;) {
    const inverse = chooseInverse(requested, diameter, longestExtent(min, raised), min);
    const shortAxes = min.flatMap((low, axis) => {
      const length = Math.fround((raised[axis] as number) - low);
      return periodic[axis] && countPeriodic(length, inverse) < fewest ? [axis] : [];
    });
    if (shortAxes.length === 0) return raised;
    for (const axis of shortAxes) {
      const low = min[axis] as number;
      const high = raised[axis] as number;
      // If rounding alone makes the axis too short, the sum may be `high` or less. So raise `high` in any case.
      raised[axis] = Math.max(raise(high, low), Math.fround(low + fewest / inverse));
    }
  }
}

export function hasRoomFor(
  { min, max, periodic }: Pick<PeriodicBox, 'min' | 'max' | 'periodic'>,
  cellSize: number,
): boolean {
  const inverse = chooseInverse(cellSize, cellSize, longestExtent(min, max), min);
  return periodic.every((wraps, axis) => {
    const length = Math.fround((max[axis] as number) - (min[axis] as number));
    return !wraps || countPeriodic(length, inverse) >= FEWEST_PERIODIC_CELLS;
  });
}

/** Returns the number of cells along a periodic axis. The last cell contains the rest of the length, too. */
export function countPeriodic(length: number, inverse: number): number {
  return Math.floor(Math.fround(length * inverse));
}

export function longestExtent(min: readonly number[], max: readonly number[]): number {
  return Math.max(...max.map((high, axis) => high - (min[axis] as number)));
}

/** Returns a 32-bit float just above `high` whose rounded distance to `low` is greater, too. */
function raise(high: number, low: number): number {
  return Math.fround(
    high + 2 * UNIT_ROUNDOFF * Math.max(Math.abs(high), Math.abs(high - low), SMALLEST_DIAMETER),
  );
}

/** Returns 1 / `cellSize` in 32 bits, lowered as much as rounding along the longest axis requires. */
export function chooseInverse(
  cellSize: number,
  diameter: number,
  longest: number,
  min: readonly number[],
): number {
  const nearest = Math.fround(1 / cellSize);
  const exact = min.every((low) => low === 0) && Number.isInteger(Math.log2(nearest));
  if (exact && diameter * nearest <= 1) return nearest;
  // The caller limits the number of cells such that the drift (see world.ts) is at most half a cell.
  const drift = Math.min(0.5, 4 * UNIT_ROUNDOFF * (longest * nearest + 2));
  const largest = (1 - drift) / diameter;
  return nearest <= largest ? nearest : roundDown(largest);
}

/** Rounds a positive number down to a 32-bit float. */
export function roundDown(value: number): number {
  const nearest = Math.fround(value);
  if (nearest <= value) return nearest;
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, nearest);
  view.setUint32(0, view.getUint32(0) - 1);
  return view.getFloat32(0);
}
