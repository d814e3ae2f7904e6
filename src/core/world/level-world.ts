/** Defines worlds for variable radii: several levels of cells, each twice as wide as the level below. */
import { checkVector } from '../base/checks';
import { TABLE_SHIFT } from '../base/constants';
import { ArgumentError } from '../base/errors';
import {
  checkPeriodic,
  chooseInverse,
  countPeriodic,
  hasRoomFor,
  longestExtent,
  periodicAxes,
  roundDown,
} from './grid-cells';
import {
  checkDiameter,
  FEWEST_PERIODIC_CELLS,
  MAX_CELLS,
  MAX_CELLS_PER_AXIS,
  MAX_LEVELS,
  powerAbove,
  SMALLEST_DIAMETER,
} from './limits';
import { defineWorld, type RadiusRange, type World, type WorldOptions } from './world';

export type RangeLabels = Readonly<Record<keyof RadiusRange, string>>;

const RADII_LABELS: RangeLabels = { smallest: 'radii.smallest', largest: 'radii.largest' };

/** With at least this many buckets per table, the cells around a particle never share a bucket. */
export const SMALLEST_LEVEL_TABLE = 1024;

/**
 * If the lowest level of a box has more cells per particle than this, its cells are made wider, but not wider than the
 * largest particle needs.
 */
const LEVEL_CELLS_PER_PARTICLE = 2;

/** The lowest level of a box may have this many cells, even for few particles. */
const FEW_LEVEL_CELLS = 4096;

/**
 * If a periodic box has more cells than FEW_EMPTY_CELLS, and more than EMPTY_CELLS_PER_PARTICLE per particle, cells are
 * made wider to save memory. They may become wider than the largest particle.
 */
const FEW_EMPTY_CELLS = 2 ** 22;
const EMPTY_CELLS_PER_PARTICLE = 16;

/**
 * Defines a world with levels. The world also works for particles smaller than `radii.smallest`; callers decide whether
 * to reject them.
 */
export function defineLevels(
  options: WorldOptions,
  radii: RadiusRange,
  capacity: number,
  boxes = false,
  labels = RADII_LABELS,
): World {
  checkOptions(options, radii, labels);
  const diameter = Math.fround(2 * radii.largest);
  const box = defineBox(options, boxes ? narrowestExtent(options, diameter) : diameter);
  const base = chooseBase(box, options, radii, capacity, labels);
  const levels = 1 + Math.max(0, Math.log2(powerAbove(diameter) / base));
  const { kind, dimensions, min, max, extent, periodic } = box;
  const inverseCellSize = inverseFor(box, base);
  const cells = Object.freeze(cellsAlong(box, base));
  const world = {
    kind,
    dimensions,
    min,
    max,
    period: extent.map((length, axis) => (periodic[axis] ? length : 0)),
    diameter,
    smallestDiameter: Math.fround(2 * radii.smallest),
    crowds: true,
    levels,
    baseDiameter: base,
    boxes,
    inverseCellSize,
    cellSize: 1 / inverseCellSize,
    cells,
  };
  if (kind === 'unbounded') {
    return Object.freeze({ ...world, ...numberTables(capacity, levels) });
  }
  if (kind === 'periodic') {
    // The highest level needs FEWEST_PERIODIC_CELLS, too.
    const fewest = FEWEST_PERIODIC_CELLS * 2 ** (levels - 1);
    checkPeriodic(options, { min, max, periodic, requested: base, diameter: base, fewest });
  }
  return Object.freeze({ ...world, ...numberCells(cells, periodic, levels) });
}

function checkOptions({ crowds, cellSize }: WorldOptions, radii: RadiusRange, labels: RangeLabels): void {
  const { smallest, largest } = radii ?? {};
  for (const name of ['smallest', 'largest'] as const) {
    const radius: unknown = radii?.[name];
    if (typeof radius !== 'number')
      throw new ArgumentError(labels[name], radius, 'a number from 2^-41 to 2^59');
  }
  checkDiameter(`2 · ${labels.smallest}`, 2 * smallest);
  checkDiameter(`2 · ${labels.largest}`, 2 * largest);
  if (smallest > largest) {
    throw new ArgumentError(labels.smallest, smallest, `at most ${labels.largest}, ${largest}`);
  }
  if (crowds === false) {
    throw new ArgumentError('world.crowds', false, 'left out or true if radii are given');
  }
  if (cellSize !== undefined) checkDiameter('world.cellSize', cellSize);
}

interface LevelBox extends Pick<World, 'kind' | 'dimensions' | 'min' | 'max'> {
  readonly extent: readonly number[];
  readonly periodic: readonly boolean[];
}

/** Reads the corners and axes of a world from its options. Does not check that periodic axes have enough cells. */
function defineBox(options: WorldOptions, diameter: number): LevelBox {
  const { cellSize: _, ...rest } = options;
  const wraps = options.unbounded !== true && periodicAxes(options).includes(true);
  const { kind, dimensions, min, max } = defineWorld(wraps ? { ...rest, periodic: false } : rest, diameter);
  return {
    kind: wraps ? 'periodic' : kind,
    dimensions,
    min,
    max,
    extent: max.map((high, axis) => Math.fround(high - (min[axis] as number))),
    periodic: min.map((_, axis) => wraps && periodicAxes(options)[axis] === true),
  };
}

/** Returns the largest diameter on the lowest level, a power of two. */
function chooseBase(
  box: LevelBox,
  { cellSize }: WorldOptions,
  { smallest, largest }: RadiusRange,
  capacity: number,
  labels: RangeLabels,
): number {
  const { kind, extent } = box;
  const top = powerAbove(Math.fround(2 * largest));
  let base = Math.min(powerAbove(Math.max(Math.fround(2 * smallest), cellSize ?? 0)), top);
  const cellCount = () => extent.reduce((product, length) => product * Math.ceil(length / base), 1);
  const widen = (limit: number) => {
    while (cellCount() > limit && (base < top || hasRoomFor(box, 2 * base))) base *= 2;
  };
  if (cellSize === undefined && kind !== 'unbounded') {
    const most = Math.max(FEW_LEVEL_CELLS, LEVEL_CELLS_PER_PARTICLE * capacity);
    while (base < top && cellCount() > most) base *= 2;
    if (kind === 'periodic') widen(Math.max(FEW_EMPTY_CELLS, EMPTY_CELLS_PER_PARTICLE * capacity));
  }
  if (Math.log2(top / base) >= MAX_LEVELS) {
    const most = `2^${MAX_LEVELS - 1} times ${base / 2}`;
    const accepted = `at most ${most}, the largest radius that the lowest level of cells holds`;
    throw new ArgumentError(labels.largest, largest, accepted);
  }
  const cells = cellsAlong(box, base);
  if (Math.max(...cells) > MAX_CELLS_PER_AXIS) {
    const accepted = `at most ${MAX_CELLS_PER_AXIS} along an axis; use a larger cellSize or a smaller box`;
    throw new ArgumentError('the number of the smallest cells in the world', cells, accepted);
  }
  if (kind === 'periodic') widen(MAX_CELLS / 4);
  return base;
}

function inverseFor({ kind, min, max }: LevelBox, base: number): number {
  return kind === 'unbounded' ? 1 / base : chooseInverse(base, base, longestExtent(min, max), min);
}

/** Returns the number of cells along each axis on the lowest level; 0 in an unbounded world. */
function cellsAlong(box: LevelBox, base: number): number[] {
  const inverse = inverseFor(box, base);
  return box.extent.map((length, axis) => {
    if (box.kind === 'unbounded') return 0;
    return box.periodic[axis] ? countPeriodic(length, inverse) : Math.max(1, Math.ceil(length * inverse));
  });
}

/** Numbers the cells of all levels. `cells` is the result of cellsAlong. */
function numberCells(
  cells: readonly number[],
  periodic: readonly boolean[],
  levels: number,
): Pick<World, 'cellCount' | 'levelStarts'> {
  const levelStarts: number[] = [];
  let cellCount = 0;
  for (let level = 0; level < levels; level++) {
    levelStarts.push(cellCount);
    const along = cells.map((count, axis) => (periodic[axis] ? count >> level : ((count - 1) >> level) + 1));
    cellCount += along.reduce((product, count) => product * count, 1);
  }
  return checkTotal({ cellCount, levelStarts }, 'use a larger cellSize or a smaller box');
}

function checkTotal<Numbered extends Pick<World, 'cellCount'>>(numbered: Numbered, advice: string): Numbered {
  const { cellCount } = numbered;
  if (2 * cellCount <= MAX_CELLS) return numbered;
  throw new ArgumentError(
    'the number of cells on all levels',
    cellCount,
    `at most ${MAX_CELLS / 2}; ${advice}`,
  );
}

/**
 * Sizes the tables of an unbounded world. Most particles are usually on the lowest level. If all are on another level,
 * a bucket of that level's table holds at most 8 particles on average.
 */
function numberTables(capacity: number, levels: number): Pick<World, 'cellCount' | 'levelStarts'> {
  const others = powerAbove(Math.max(capacity / 2 ** TABLE_SHIFT, SMALLEST_LEVEL_TABLE));
  const lowest = others * 2 ** TABLE_SHIFT;
  const levelStarts = Array.from({ length: levels }, (_, level) =>
    level > 0 ? lowest + (level - 1) * others : 0,
  );
  const cellCount = lowest + (levels - 1) * others;
  return checkTotal({ cellCount, levelStarts }, 'use a larger cellSize or a smaller capacity');
}

/**
 * Returns the diameter with which to check a world whose particles may be boxes. The diameter of the ball around a box
 * would be too strict: a slab may cover the floor of a low room. checkBodiesFit checks each particle instead.
 */
function narrowestExtent({ dimensions, min, max, unbounded }: WorldOptions, diameter: number): number {
  if (unbounded === true) return diameter;
  checkVector('world.min', min, dimensions);
  checkVector('world.max', max, dimensions);
  const extents = Array.from(
    max,
    (high, axis) => Math.fround(high) - Math.fround(min[axis] as number),
  ).filter((extent) => extent >= SMALLEST_DIAMETER);
  return roundDown(Math.min(diameter, ...extents));
}
