/**
 * Purpose: worlds and their cells; the one place where cell sizes and counts are decided.
 * Inputs: a box, which of its axes wrap around, or no box at all; the largest diameter, an optional cell size,
 * the capacity. Output: a frozen `World`.
 *
 * Guarantee: two particles closer than the diameter are in the same or in adjacent cells, rounding included.
 *
 * Bounded and periodic worlds: the cell of a position is floor((p − min) × inverseCellSize) in 32-bit floats: one
 * rounding in the difference and one in the product, so two particles can drift apart by up to
 * 4 · 2⁻²⁴ · (cells along the axis) of a cell. Where that could break the guarantee, the inverse is lowered (the
 * cell grows) by just that much; where all is exact (min 0, cell size a power of two) nothing is added.
 * A periodic axis has floor(period × inverseCellSize) cells, the last of which takes in the rest.
 *
 * Beyond the diameter, `cellsSpanned` says how many cells on a particle within a radius can be.
 *
 * Unbounded world: the edge of a cell is a power of two, so floor(p × inverseCellSize) rounds nothing however far
 * out p is. Cells beyond ±2³⁰ are one with the last: coordinates there are multiples of far more than a cell.
 */
import { checkDimensions, checkFinite, checkVector } from '../base/checks';
import { FINER_LEVEL_BITS, HASH_BLOCK } from '../base/constants';
import { ArgumentError } from '../base/errors';

export type Dimensions = 2 | 3;

export type WorldKind = 'bounded' | 'periodic' | 'unbounded';

/** A box, periodic or not, or unbounded space; lengths in the caller's own unit. */
export interface WorldOptions {
  readonly dimensions: Dimensions;
  /** Opposite corners of the box. */
  readonly min?: readonly number[] | undefined;
  readonly max?: readonly number[] | undefined;
  /** Whether the box wraps around, along all axes or along each. Default false. */
  readonly periodic?: boolean | readonly boolean[] | undefined;
  /** No box: positions anywhere a 32-bit float can say. Default false. */
  readonly unbounded?: boolean | undefined;
  /** Edge of a cell. Default: the diameter. Smaller is refused; unbounded worlds take the next power of two. */
  readonly cellSize?: number | undefined;
  /**
   * Made for crowds: the work on crowded cells is split, so that no thread goes over all of one. It costs some time
   * where there are none, and 4 bytes a particle. The CPU engine takes no notice. Default false.
   */
  readonly crowds?: boolean | undefined;
}

export const WORLD_NAMES = [
  'min',
  'max',
  'periodic',
  'unbounded',
  'cellSize',
  'crowds',
] as const satisfies readonly (keyof WorldOptions)[];

export interface World {
  readonly kind: WorldKind;
  readonly dimensions: Dimensions;
  /** Corners, rounded to 32-bit floats; of unbounded worlds the greatest of these. */
  readonly min: readonly number[];
  readonly max: readonly number[];
  /** Length of the box along axes that wrap around, 0 along the others. */
  readonly period: readonly number[];
  /** Largest diameter that the 3×3 (3×3×3) probe is exact for. */
  readonly diameter: number;
  /** 1 / inverseCellSize: the edge of a cell as it is, at least the one asked for. */
  readonly cellSize: number;
  readonly inverseCellSize: number;
  /**
   * Cells along each axis. Along axes that do not wrap, one at each end stays empty: with that ring around the
   * box a probe needs no test for the border, unless there are levels. Of unbounded worlds 0.
   */
  readonly cells: readonly number[];
  /** All cells; of unbounded worlds the buckets of the table, a power of two. */
  readonly cellCount: number;
  /** Whether kernels over it split the work on crowded cells. */
  readonly crowds: boolean;
  /**
   * Levels of cells, where each particle has a radius of its own: see core/world/levels.ts. Then `inverseCellSize`,
   * `cellSize` and `cells` are those of the lowest, without a ring. 0 where all are equal.
   */
  readonly levels: number;
  /** Largest diameter of the lowest level, a power of two; 0 where all are equal. */
  readonly baseDiameter: number;
  /** Whether some may be boxes: only where there are levels. */
  readonly boxes: boolean;
  /** First bucket of each level, where levels are dense: in a box, periodic or not. Else empty. */
  readonly levelStarts: readonly number[];
}

/** The radii that a grid is made for, where each particle has its own. */
export interface RadiusRange {
  readonly smallest: number;
  readonly largest: number;
}

/** What the ends of a range are to whoever gave it: told where they are wrong. */
export type RangeNames = Readonly<Record<keyof RadiusRange, string>>;

const RADII: RangeNames = { smallest: 'radii.smallest', largest: 'radii.largest' };

/** More cells along an axis leave too few bits of a 32-bit float to place a particle in its cell. */
export const MAX_CELLS_PER_AXIS = 2 ** 19;

/** Fewer along a periodic axis, and the cells at both sides of one would be the same. */
export const FEWEST_PERIODIC_CELLS = 3;

/** Cells of the unbounded world reach this far from the origin; farther ones are one with the last. */
export const FARTHEST_CELL = 2 ** 30;

/** The table of the unbounded world has at least this many buckets. */
const SMALLEST_TABLE = 4 * HASH_BLOCK;

export const GREATEST_FLOAT = (2 - 2 ** -23) * 2 ** 127;

/** Cell numbers and two extra buckets must fit 32-bit integers with room for products. */
export const MAX_CELLS = 2 ** 31 - 4;

/** What a slot may be where there are levels: 32 bits, less those of a level. */
const MAX_LEVEL_PARTICLES = 2 ** (32 - FINER_LEVEL_BITS);

/** Levels of cells at most: bits tell which anyone is on, and the highest is for crowds. */
export const MAX_LEVELS = 24;

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

/**
 * How many cells on, along any axis, the cell of a particle can be that is nearer than a radius: what a probe must
 * span so that it misses nobody, rounding included. 1 up to the diameter, for which the cells are made.
 *
 * Let s be the scaled coordinate as 32-bit floats have it, t the exact one, n the cells of the longest axis with a
 * share of one, and u = 2⁻²⁴. Two roundings make |s − t| ≤ (2 u + u²) t. Of two particles nearer than the radius, the
 * s differ by less than radius · inverseCellSize + 4 u n, the drift; and where that is at most a whole number k, their
 * floors differ by at most k, since floor a − floor b < a − b + 1.
 * - Clamping brings whole numbers no farther apart, so particles and points outside the box are covered, however large
 *   their t and its error: a t above n is in the last cell as one of n is, which is nearer to the other particle; so is
 *   one below 0 in the first.
 * - A periodic axis of length P (in cells, at least n − u n) has n cells, the last of which takes in the rest. Around
 *   its end, with a beyond it and b before it, a + b < radius · inverseCellSize: floor(a) and the cells from
 *   floor(P − b), or from the last cell, to the end are at most floor(a) + ceil(b) ≤ k. Rounded are a, which is at most
 *   half of n, P − b and P: (1 + 2 + 1) u n again.
 * - In the unbounded world, and in boxes that begin at 0 with cells of a power of two, s is t: no drift.
 * The product below is exact in doubles, and the 2 added to n is more than what u² and adding up take.
 */
export function cellsSpanned(world: World, radius: number): number {
  const reach = Math.fround(radius);
  if (reach <= world.diameter) return 1;
  const { kind, min, max, inverseCellSize } = world;
  const isExact =
    kind === 'unbounded' || (min.every((low) => low === 0) && Number.isInteger(Math.log2(inverseCellSize)));
  const drift = isExact ? 0 : 4 * UNIT_ROUNDOFF * (longestOf(min, max) * inverseCellSize + 2);
  return Math.max(1, Math.ceil(reach * inverseCellSize + drift));
}

/** `capacity`: particles at most; the table of an unbounded world is made for as many. */
export function defineWorld(options: WorldOptions, largestDiameter: number, capacity = 0): World {
  const { dimensions } = options;
  checkDimensions(dimensions);
  checkDiameter('diameter', largestDiameter);
  // The shaders compare with the rounded one, which may be larger.
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
    ? defineUnbounded(options, requested, capacity)
    : defineBox(options, diameter, requested, periodic);
  for (const vector of [world.min, world.max, world.period, world.cells]) Object.freeze(vector);
  return Object.freeze({
    ...world,
    dimensions,
    diameter,
    crowds,
    cellSize: 1 / world.inverseCellSize,
    levels: 0,
    baseDiameter: 0,
    boxes: false,
    levelStarts: [],
  });
}

/**
 * A box has to be as wide as its widest particle. Of boxes the ball around the largest says too much: a slab may lie on all
 * of the floor of a low room. Whether bodies fit is for those to check who are given them.
 */
function narrowest({ min, max }: WorldOptions, diameter: number): number {
  // What is wrong with them is told where they are checked.
  if (!Array.isArray(min) || !Array.isArray(max)) return diameter;
  const extents = max.map((high, axis) => high - min[axis]).filter((extent) => extent >= SMALLEST_DIAMETER);
  return Math.fround(Math.min(diameter, ...extents) * (1 - 2 ** -20));
}

/** Cells of the lowest level of a box, for each particle, unless the caller says how wide they are to be. */
const LEVEL_CELLS_PER_PARTICLE = 2;

/** A box of fewer cells is never too fine. */
const FEW_LEVEL_CELLS = 4096;

/**
 * A periodic box of more cells than that many, and than so many a particle, takes memory for cells that nobody is in (on the
 * GPU 8 bytes each): its cells are wider than its largest particle.
 */
const FEW_EMPTY_CELLS = 2 ** 22;
const EMPTY_CELLS_PER_PARTICLE = 16;

/**
 * A world for particles of different radii. Smaller ones than the smallest are welcome, and share the cells of its
 * level. The lowest level of a box is no finer than a few cells a particle: particles that small share it too, and where
 * they crowd, `cellSize` makes it finer.
 */
export function defineLevels(
  options: WorldOptions,
  radii: RadiusRange,
  capacity: number,
  boxes = false,
  names = RADII,
): World {
  const { smallest, largest } = radii ?? {};
  checkDiameter(`2 · ${names.smallest}`, 2 * smallest);
  checkDiameter(`2 · ${names.largest}`, 2 * largest);
  if (smallest > largest) {
    throw new ArgumentError(names.smallest, smallest, `at most ${names.largest}, ${largest}`);
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
  // Checks all but the levels: cells as wide as the largest must fit, too. Those along axes that wrap around are checked below.
  const wraps = options.unbounded !== true && periodicAxes(options).includes(true);
  const box = defineWorld(
    wraps ? { ...rest, periodic: false } : rest,
    boxes ? narrowest(options, diameter) : diameter,
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
    kind === 'unbounded' ? 1 / base : chooseInverse(base, base, longestOf(min, max), min);
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
    throw new ArgumentError(names.largest, largest, accepted);
  }
  if (Math.max(...cellsAlong()) > MAX_CELLS_PER_AXIS) {
    const accepted = `at most ${MAX_CELLS_PER_AXIS} cells along an axis (a larger cellSize or a smaller box)`;
    throw new ArgumentError('world', cellsAlong(), accepted);
  }
  // Cells of a periodic box that `cellSize` asks for and that could not be numbered are wider.
  if (kind === 'periodic') widen(MAX_CELLS / 4);
  const levels = 1 + Math.max(0, Math.log2(top / base));
  const inverse = inverseOf();
  const cells = Object.freeze(cellsAlong());
  const made = { crowds: true, levels, baseDiameter: base, boxes };
  const size = { inverseCellSize: inverse, cellSize: 1 / inverse };
  const shared = { kind, dimensions, min, max, period, diameter, ...made, ...size, cells };
  if (kind === 'periodic') {
    // The highest level needs cells enough, too; it has as many as are left of those of the lowest.
    const fewest = FEWEST_PERIODIC_CELLS * 2 ** (levels - 1);
    checkPeriodic(options, { min, max, periodic, requested: base, diameter: base, fewest });
  }
  if (kind !== 'unbounded') {
    const levelStarts: number[] = [];
    let cellCount = 0;
    for (let level = 0; level < levels; level++) {
      levelStarts.push(cellCount);
      // The last cell along an axis that wraps around takes in what is left.
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
  const { cellCount } = defineUnbounded({ dimensions }, base, 2 * capacity);
  return Object.freeze({ ...shared, cellCount, levelStarts: [] });
}

/** The least power of two that is not below a positive value. */
function powerAbove(value: number): number {
  const power = 2 ** Math.ceil(Math.log2(value));
  return power < value ? 2 * power : power;
}

type Cells = Omit<
  World,
  'dimensions' | 'diameter' | 'cellSize' | 'crowds' | 'levels' | 'baseDiameter' | 'boxes' | 'levelStarts'
>;

export function periodicAxes({ dimensions, periodic = false }: WorldOptions): readonly boolean[] {
  if (typeof periodic === 'boolean') return new Array<boolean>(dimensions).fill(periodic);
  const isList = Array.isArray(periodic) && periodic.length === dimensions;
  if (!isList || periodic.some((axis) => typeof axis !== 'boolean')) {
    throw new ArgumentError('world.periodic', periodic, `true, false, or ${dimensions} of them`);
  }
  return periodic;
}

/** Buckets of a table that is made for so many: the power of two at or above it. */
export function hashedBuckets(capacity: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(SMALLEST_TABLE, capacity)));
}

function defineUnbounded(options: WorldOptions, requested: number, capacity: number): Cells {
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
    // Where the logarithm was rounded down across a power of two.
    inverseCellSize: requested * inverseCellSize <= 1 ? inverseCellSize : inverseCellSize / 2,
    cells: all(0),
    cellCount,
  };
}

function defineBox(
  options: WorldOptions,
  diameter: number,
  requested: number,
  periodic: readonly boolean[],
): Cells {
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
    // An axis that wraps around needs more, and is told so below.
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
  const inverseCellSize = chooseInverse(requested, diameter, longestOf(min, max), min);
  const cells = extent.map((length, axis) =>
    periodic[axis]
      ? countPeriodic(length, inverseCellSize)
      : Math.max(1, Math.ceil(length * inverseCellSize)) + 2,
  );
  const cellCount = cells.reduce((product, count) => product * count, 1);
  if (Math.max(...cells) > MAX_CELLS_PER_AXIS || cellCount > MAX_CELLS) {
    throw new ArgumentError(
      'world',
      cells,
      `at most ${MAX_CELLS_PER_AXIS} cells along an axis and ${MAX_CELLS} in all (a larger cellSize or a smaller box)`,
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

/** A box of which some axes wrap around, and the cells that it is to have. */
interface PeriodicBox {
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly periodic: readonly boolean[];
  readonly requested: number;
  readonly diameter: number;
  /** Cells that each axis that wraps around needs. */
  readonly fewest: number;
}

/** Refuses a box with an axis that wraps around and has too few cells, and says how long it would have to be. */
function checkPeriodic(options: WorldOptions, box: PeriodicBox): void {
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
 * `max`, raised along periodic axes that have too few cells to where they have enough. All at once: a longer axis
 * may take a lower inverse, and so a longer other one.
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
    const inverse = chooseInverse(requested, diameter, longestOf(min, raised), min);
    const short = min.flatMap((low, axis) => {
      const length = Math.fround((raised[axis] as number) - low);
      return periodic[axis] && countPeriodic(length, inverse) < fewest ? [axis] : [];
    });
    if (short.length === 0) return raised;
    for (const axis of short) {
      const low = min[axis] as number;
      const high = raised[axis] as number;
      // The second time it is for rounding, in one place or another, that it falls short.
      raised[axis] = Math.max(raise(high, low), Math.fround(low + fewest / inverse));
    }
  }
}

/** Whether axes that wrap around have enough cells that are so wide. */
function hasRoomFor(
  { min, max, periodic }: Pick<PeriodicBox, 'min' | 'max' | 'periodic'>,
  cellSize: number,
): boolean {
  const inverse = chooseInverse(cellSize, cellSize, longestOf(min, max), min);
  return periodic.every((wraps, axis) => {
    const length = Math.fround((max[axis] as number) - (min[axis] as number));
    return !wraps || countPeriodic(length, inverse) >= FEWEST_PERIODIC_CELLS;
  });
}

function countPeriodic(length: number, inverse: number): number {
  return Math.floor(Math.fround(length * inverse));
}

function longestOf(min: readonly number[], max: readonly number[]): number {
  return Math.max(...max.map((high, axis) => high - (min[axis] as number)));
}

/** The next 32-bit float above `high` or the one after, or a farther one where the distance to `low` would not grow. */
function raise(high: number, low: number): number {
  return Math.fround(
    high + 2 * UNIT_ROUNDOFF * Math.max(Math.abs(high), Math.abs(high - low), SMALLEST_DIAMETER),
  );
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
