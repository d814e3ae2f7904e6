/**
 * Defines worlds for particles with a radius each: cells on several levels, one per power of two of the diameter.
 * See levels.ts for which cell a particle belongs to.
 */
import { ArgumentError } from '../base/errors';
import {
  checkPeriodic,
  chooseInverse,
  countPeriodic,
  hasRoomFor,
  longestExtent,
  periodicAxes,
  unboundedCells,
} from './grid-cells';
import {
  checkDiameter,
  FEWEST_PERIODIC_CELLS,
  MAX_CELLS,
  MAX_CELLS_PER_AXIS,
  MAX_LEVEL_PARTICLES,
  MAX_LEVELS,
  powerAbove,
  SMALLEST_DIAMETER,
} from './limits';
import { defineWorld, type RadiusRange, type World, type WorldOptions } from './world';

/** How error messages name the two ends of the range. */
export type RangeLabels = Readonly<Record<keyof RadiusRange, string>>;

const RADII_LABELS: RangeLabels = { smallest: 'radii.smallest', largest: 'radii.largest' };

/** Cells of the lowest level per particle in a box, unless the caller chooses the cell size. */
const LEVEL_CELLS_PER_PARTICLE = 2;

/** A box with fewer cells is never too fine. */
const FEW_LEVEL_CELLS = 4096;

/**
 * A periodic box with more cells than this, and more than this many per particle, wastes memory on empty cells (8 bytes
 * each on the GPU). Its cells are made wider than its largest particle.
 */
const FEW_EMPTY_CELLS = 2 ** 22;
const EMPTY_CELLS_PER_PARTICLE = 16;

/**
 * Defines a world for particles of different radii. Particles below the smallest radius are allowed; they share the
 * cells of its level. In a box the lowest level has at most a few cells per particle, so more of the small particles
 * may share that level. If they crowd there, set `cellSize` to make it finer.
 */
export function defineLevels(
  options: WorldOptions,
  radii: RadiusRange,
  capacity: number,
  boxes = false,
  labels = RADII_LABELS,
): World {
  const { smallest, largest } = radii ?? {};
  checkDiameter(`2 · ${labels.smallest}`, 2 * smallest);
  checkDiameter(`2 · ${labels.largest}`, 2 * largest);
  if (smallest > largest) {
    throw new ArgumentError(labels.smallest, smallest, `at most ${labels.largest}, ${largest}`);
  }
  if (capacity > MAX_LEVEL_PARTICLES) {
    throw new ArgumentError('capacity', capacity, `at most ${MAX_LEVEL_PARTICLES} where radii are given`);
  }
  const { cellSize, ...rest } = options;
  if (options.crowds === false) {
    throw new ArgumentError('world.crowds', false, 'left out or true where radii are given');
  }
  if (cellSize !== undefined) checkDiameter('world.cellSize', cellSize);
  const diameter = Math.fround(2 * largest);
  // Checks all but the levels, with cells as wide as the largest particle. Periodic axes are checked below.
  const wraps = options.unbounded !== true && periodicAxes(options).includes(true);
  const box = defineWorld(
    wraps ? { ...rest, periodic: false } : rest,
    boxes ? narrowestExtent(options, diameter) : diameter,
  );
  const { dimensions, min, max } = box;
  const kind = wraps ? 'periodic' : box.kind;
  const periodic = min.map((_, axis) => wraps && periodicAxes(options)[axis] === true);
  const extent = max.map((high, axis) => Math.fround(high - (min[axis] as number)));
  const period = extent.map((length, axis) => (periodic[axis] ? length : 0));
  const cellsFor = (base: number) =>
    extent.reduce((product, length) => product * Math.ceil(length / base), 1);
  const most = Math.max(FEW_LEVEL_CELLS, LEVEL_CELLS_PER_PARTICLE * capacity);
  const top = powerAbove(diameter);
  let base = Math.min(powerAbove(Math.max(Math.fround(2 * smallest), cellSize ?? 0)), top);
  const inverseOf = () =>
    kind === 'unbounded' ? 1 / base : chooseInverse(base, base, longestExtent(min, max), min);
  const cellsAlong = () =>
    extent.map((length, axis) => {
      if (kind === 'unbounded') return 0;
      return periodic[axis]
        ? countPeriodic(length, inverseOf())
        : Math.max(1, Math.ceil(length * inverseOf()));
    });
  const canWiden = () => base < top || hasRoomFor({ min, max, periodic }, 2 * base);
  const widen = (limit: number) => {
    while (cellsFor(base) > limit && canWiden()) base *= 2;
  };
  if (cellSize === undefined && kind !== 'unbounded') {
    while (base < top && cellsFor(base) > most) base *= 2;
    if (kind === 'periodic') widen(Math.max(FEW_EMPTY_CELLS, EMPTY_CELLS_PER_PARTICLE * capacity));
  }
  if (Math.log2(top / base) >= MAX_LEVELS) {
    const accepted = `at most 2^${MAX_LEVELS - 1} times what is on the lowest level, ${base / 2}`;
    throw new ArgumentError(labels.largest, largest, accepted);
  }
  if (Math.max(...cellsAlong()) > MAX_CELLS_PER_AXIS) {
    const accepted = `at most ${MAX_CELLS_PER_AXIS} cells along an axis (a larger cellSize or a smaller box)`;
    throw new ArgumentError('world', cellsAlong(), accepted);
  }
  // If `cellSize` asks for more cells than can be numbered, a periodic box gets wider ones.
  if (kind === 'periodic') widen(MAX_CELLS / 4);
  const levels = 1 + Math.max(0, Math.log2(top / base));
  const inverse = inverseOf();
  const cells = Object.freeze(cellsAlong());
  const made = { crowds: true, levels, baseDiameter: base, boxes };
  const size = { inverseCellSize: inverse, cellSize: 1 / inverse };
  const shared = { kind, dimensions, min, max, period, diameter, ...made, ...size, cells };
  if (kind === 'periodic') {
    // The highest level needs enough cells, too; it has the count of the lowest level, halved once per level.
    const fewest = FEWEST_PERIODIC_CELLS * 2 ** (levels - 1);
    checkPeriodic(options, { min, max, periodic, requested: base, diameter: base, fewest });
  }
  if (kind !== 'unbounded') {
    const levelStarts: number[] = [];
    let cellCount = 0;
    for (let level = 0; level < levels; level++) {
      levelStarts.push(cellCount);
      // The last cell along a periodic axis takes in the rest.
      const along = cells.map((count, axis) =>
        periodic[axis] ? count >> level : ((count - 1) >> level) + 1,
      );
      cellCount += along.reduce((product, count) => product * count, 1);
    }
    if (2 * cellCount > MAX_CELLS) {
      const accepted = `at most ${MAX_CELLS / 2} cells in all (a larger cellSize or a smaller box)`;
      throw new ArgumentError('world', cells, accepted);
    }
    return Object.freeze({ ...shared, cellCount, levelStarts });
  }
  const { cellCount } = unboundedCells({ dimensions }, base, 2 * capacity);
  return Object.freeze({ ...shared, cellCount, levelStarts: [] });
}

/**
 * Returns the diameter to check the box with. A box must be as wide as its widest particle, but for box-shaped
 * particles the surrounding ball would ask too much: a slab may cover the floor of a low room. Each engine checks that
 * the particles it is given fit.
 */
function narrowestExtent({ min, max }: WorldOptions, diameter: number): number {
  // defineWorld reports corners that are not arrays.
  if (!Array.isArray(min) || !Array.isArray(max)) return diameter;
  const extents = max.map((high, axis) => high - min[axis]).filter((extent) => extent >= SMALLEST_DIAMETER);
  return Math.fround(Math.min(diameter, ...extents) * (1 - 2 ** -20));
}
