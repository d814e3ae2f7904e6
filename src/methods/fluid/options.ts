/**
 * Defaults and checks of a fluid's options, and the fluid's initial particles. All checks come before arrays of
 * particles are allocated.
 */
import {
  checkDimensions,
  checkFinite,
  checkInteger,
  checkKnownKeys,
  checkRange,
  readLongestStep,
  refuseLongStep,
} from '../../core/base/checks';
import { ArgumentError, LimitError } from '../../core/base/errors';
import { defineLattice, eachCell, type Lattice, type Triple } from './lattice';
import { checkObstacles, type Obstacle, type ObstacleOptions } from './obstacles';
import { checkRegion, type FluidRegion, holdsBox, isInRegion, JITTER, noise } from './regions';
import {
  defaultSettings,
  type FluidSettings,
  type FluidSettingsOptions,
  MAX_SUBSTEPS,
  resolveSettings,
  SETTING_NAMES,
  type Transfer,
} from './settings';

/** Options of `createFluid` and `createCpuFluid`. The settings among them may change later. */
export interface FluidOptions extends FluidSettingsOptions {
  /** 2 or 3. */
  readonly dimensions: 2 | 3;
  /**
   * Cells along each axis, 2 to 4,096, at most 2²⁴ in all. The tank reaches from 0 to cells · cellSize and has solid
   * walls.
   */
  readonly cells: readonly number[];
  /** Edge of a cell, in your unit of length, 2⁻²⁰ to 2²⁰. */
  readonly cellSize: number;
  /** Regions that are full of fluid at the start. Default: none. */
  readonly fill?: readonly FluidRegion[] | undefined;
  /** Packed positions of more initial particles. Default: none. */
  readonly positions?: Float32Array | undefined;
  /** Packed velocities of the particles in `positions`, length / s. Default: all 0. */
  readonly velocities?: Float32Array | undefined;
  /** Particles in a full cell: 1, 4, 9 or 16 in 2D, 1, 8 or 27 in 3D. Default: 4 in 2D, 8 in 3D. */
  readonly particlesPerCell?: number | undefined;
  /**
   * Greatest number of particles, at most 2²⁶. Default: the number of initial particles, but at least 1. Give more if
   * there are emitters.
   */
  readonly capacity?: number | undefined;
  /** Mass per volume (2D: area), 10⁻⁶ to 10⁹. Default: 1000. */
  readonly density?: number | undefined;
  /** How velocities return from the lattice to the particles. Default: 'flip'. */
  readonly transfer?: Transfer | undefined;
  /**
   * Which cells are solid: a number per cell (0 for free cells), x fastest, or a function that gets the centre of a
   * cell and returns whether the cell is solid. Default: none.
   */
  readonly solids?: ArrayLike<number> | ((centre: readonly number[]) => boolean) | undefined;
  /** Solid bodies that move, at most 16. Default: none. */
  readonly obstacles?: readonly ObstacleOptions[] | undefined;
  /**
   * The longest time step that is accepted, in seconds, at most 1000. Raise it if your unit of time is not the second.
   * Default: 1, because a step of 16 is likely meant in milliseconds.
   */
  readonly longestStep?: number | undefined;
}

/** Checked and completed options, with the current settings. */
export interface FluidPlan extends FluidSettings {
  /** @hidden */
  readonly lattice: Lattice;
  /** 2 or 3. */
  readonly dimensions: 2 | 3;
  /** Edge of a cell. */
  readonly cellSize: number;
  /** Particles in a full cell. */
  readonly particlesPerCell: number;
  /** Greatest number of particles. */
  readonly capacity: number;
  /** Number of initial particles. */
  readonly count: number;
  /** Packed initial positions. */
  readonly positions: Float32Array;
  /** Packed initial velocities. */
  readonly velocities: Float32Array;
  /** Mass per volume (2D: area). */
  readonly density: number;
  /** How velocities return from the lattice to the particles. */
  readonly transfer: Transfer;
  /** Array over the lattice: 1 if a cell is always solid, otherwise 0. */
  readonly mask: Uint8Array;
  /** @hidden */
  readonly obstacles: readonly Obstacle[];
  /** The longest time step that is accepted, in seconds. */
  readonly longestStep: number;
  /** Radius of a particle, for pushing particles apart. */
  readonly radius: number;
  /** Initial distance between particles. */
  readonly spacing: number;
  /** Lower corner of the tank: 0. */
  readonly min: readonly number[];
  /** Upper corner of the tank. */
  readonly max: readonly number[];
}

/** Greatest number of cells. So many cells take at least 1.5 GB on the GPU, without particles. */
export const MAX_CELLS = 2 ** 24;
const FEWEST_CELLS = 2;
const MAX_PARTICLES = 2 ** 26;

/**
 * Radius of a particle as a share of the initial distance between particles. Much larger particles at random positions
 * would nearly always overlap, and pushing them apart would raise the surface.
 */
const RADIUS = 0.225;

const NAMES: readonly (keyof FluidOptions)[] = [
  'dimensions',
  'cells',
  'cellSize',
  'fill',
  'positions',
  'velocities',
  'particlesPerCell',
  'capacity',
  'density',
  'transfer',
  'solids',
  'obstacles',
  'longestStep',
  ...SETTING_NAMES,
];

export function planFluid(options: FluidOptions): FluidPlan {
  checkKnownKeys('options', options, NAMES);
  const { dimensions } = options;
  checkDimensions(dimensions);
  const { cellSize } = options;
  checkRange('cellSize', cellSize, 2 ** -20, 2 ** 20);
  const cells = checkCells(options.cells, dimensions);
  const perCell = options.particlesPerCell ?? (dimensions === 2 ? 4 : 8);
  const along = typeof perCell === 'number' ? Math.round(perCell ** (1 / dimensions)) : 0;
  const most = dimensions === 2 ? 4 : 3;
  if (along ** dimensions !== perCell || along < 1 || along > most) {
    throw new ArgumentError('particlesPerCell', perCell, dimensions === 2 ? '1, 4, 9 or 16' : '1, 8 or 27');
  }
  const density = options.density ?? 1000;
  checkRange('density', density, 1e-6, 1e9);
  const transfer = options.transfer ?? 'flip';
  if (!['flip', 'pic', 'apic'].includes(transfer)) {
    throw new ArgumentError('transfer', transfer, "'flip', 'pic' or 'apic'");
  }
  const max = cells.slice(0, dimensions).map((number) => Math.fround(number * cellSize));
  const spacing = cellSize / along;
  const scope = { dimensions, transfer, spacing, max };
  const settings = resolveSettings(scope, defaultSettings(scope), options);
  const obstacles = checkObstacles(options.obstacles ?? [], dimensions);
  const longestStep = readLongestStep(options.longestStep, 1e3);
  const lattice = defineLattice(dimensions, cells);
  const mask = maskOf(options.solids, lattice, cellSize);
  const { capacity: given } = options;
  if (given !== undefined) checkInteger('capacity', given, 1, MAX_PARTICLES);
  const seeds = seed(options, { lattice, cellSize, along, mask });
  const count = seeds.positions.length / dimensions;
  const capacity = given ?? Math.max(1, count);
  return {
    lattice,
    dimensions,
    cellSize,
    particlesPerCell: perCell,
    capacity,
    count,
    ...seeds,
    density,
    ...settings,
    transfer,
    mask,
    obstacles,
    longestStep,
    radius: RADIUS * spacing,
    spacing,
    min: new Array<number>(dimensions).fill(0),
    max,
  };
}

function checkCells(given: unknown, dimensions: 2 | 3): Triple {
  if (!Array.isArray(given) || given.length !== dimensions) {
    throw new ArgumentError('cells', given, `${dimensions} whole numbers`);
  }
  given.forEach((count, axis) => {
    checkInteger(`cells[${axis}]`, count, FEWEST_CELLS, 4096);
  });
  const cells: Triple = [given[0], given[1], dimensions === 3 ? given[2] : 1];
  const all = cells[0] * cells[1] * cells[2];
  if (all > MAX_CELLS) {
    throw new LimitError(
      'cells',
      `cells are ${given.join(' × ')}, ${all} in all, but at most ${MAX_CELLS} are accepted.`,
    );
  }
  return cells;
}

function maskOf(solids: FluidOptions['solids'], lattice: Lattice, cellSize: number): Uint8Array {
  const { cells, dimensions } = lattice;
  const mask = new Uint8Array(lattice.size);
  if (solids === undefined) return mask;
  const count = cells[0] * cells[1] * cells[2];
  if (typeof solids !== 'function' && solids?.length !== count) {
    throw new ArgumentError('solids', solids, `a function or ${count} numbers, one per cell`);
  }
  let free = 0;
  eachCell(lattice, (entry, x, y, z) => {
    const centre = [x, y, z].slice(0, dimensions).map((cell) => (cell + 0.5) * cellSize);
    const solid =
      typeof solids === 'function' ? solids(centre) : solids[x + cells[0] * (y + cells[1] * z)] !== 0;
    mask[entry] = solid ? 1 : 0;
    if (!solid) free++;
  });
  if (free === 0) throw new ArgumentError('solids', solids, 'a mask that leaves at least one cell free');
  return mask;
}

interface Seedbed {
  readonly lattice: Lattice;
  readonly cellSize: number;
  /** Particles along each edge of a full cell. */
  readonly along: number;
  readonly mask: Uint8Array;
}

/** Returns the particles of `fill`, cell by cell, then those of `positions`. */
function seed(
  { dimensions, fill = [], positions, velocities, capacity }: FluidOptions,
  bed: Seedbed,
): { positions: Float32Array; velocities: Float32Array } {
  if (!Array.isArray(fill)) throw new ArgumentError('fill', fill, 'a list of regions');
  // forEach skips the holes of a sparse array; Array.from turns them into undefined.
  Array.from(fill).forEach((region: FluidRegion, index) => {
    checkRegion(`fill[${index}]`, region, dimensions);
  });
  if (positions !== undefined) {
    if (!(positions instanceof Float32Array) || positions.length % dimensions !== 0) {
      throw new ArgumentError(
        'positions',
        positions,
        `a Float32Array with ${dimensions} numbers per particle`,
      );
    }
    if (
      velocities !== undefined &&
      (!(velocities instanceof Float32Array) || velocities.length !== positions.length)
    ) {
      throw new ArgumentError('velocities', velocities, 'a Float32Array as long as positions');
    }
    checkInTank('positions', positions, bed.lattice, bed.cellSize);
  } else if (velocities !== undefined) {
    throw new ArgumentError('velocities', velocities, 'left out if there are no positions');
  }
  const count = (positions?.length ?? 0) / dimensions + countSeeds(fill, bed);
  if (count > MAX_PARTICLES) {
    throw new LimitError(
      'fill',
      `The fluid begins with ${count} particles, but at most ${MAX_PARTICLES} are accepted; fill less, or use fewer \`particlesPerCell\`.`,
    );
  }
  if (capacity !== undefined && count > capacity) {
    throw new LimitError(
      'capacity',
      `The fluid begins with ${count} particles, but capacity is ${capacity}; it must be at least as large.`,
    );
  }
  const all = {
    positions: new Float32Array(dimensions * count),
    velocities: new Float32Array(dimensions * count),
  };
  let next = 0;
  eachSeed(fill, bed, (point, { velocity }) => {
    all.positions.set(point, next);
    if (velocity) all.velocities.set(velocity, next);
    next += dimensions;
  });
  if (positions) all.positions.set(positions, next);
  if (velocities) all.velocities.set(velocities, next);
  return all;
}

/** Visits the initial points of `fill`. `point` is always the same array. */
function eachSeed(
  fill: readonly FluidRegion[],
  bed: Seedbed,
  visit: (point: readonly number[], region: FluidRegion) => void,
): void {
  if (fill.length === 0) return;
  eachFreeCell(bed, (entry, cell) => {
    eachPointIn(bed, entry, cell, (point) => {
      const region = fill.find((candidate) => isInRegion(candidate, point));
      if (region) visit(point, region);
    });
  });
}

/** Counts the points that eachSeed visits. Tests single points only in cells that no region contains as a whole. */
function countSeeds(fill: readonly FluidRegion[], bed: Seedbed): number {
  if (fill.length === 0) return 0;
  const { cellSize, along, lattice } = bed;
  const parts = along ** lattice.dimensions;
  const [low, high]: [number[], number[]] = [[], []];
  let count = 0;
  eachFreeCell(bed, (entry, cell) => {
    cell.forEach((value, axis) => {
      low[axis] = value * cellSize;
      high[axis] = (value + 1) * cellSize;
    });
    if (fill.some((region) => holdsBox(region, low, high))) {
      count += parts;
      return;
    }
    eachPointIn(bed, entry, cell, (point) => {
      if (fill.some((region) => isInRegion(region, point))) count++;
    });
  });
  return count;
}

/** Visits the cells that are not always solid. `cell` is always the same array. */
function eachFreeCell(
  { lattice, mask }: Seedbed,
  visit: (entry: number, cell: readonly number[]) => void,
): void {
  const cell = new Array<number>(lattice.dimensions).fill(0);
  eachCell(lattice, (entry, x, y, z) => {
    if (mask[entry]) return;
    cell[0] = x;
    cell[1] = y;
    if (lattice.dimensions === 3) cell[2] = z;
    visit(entry, cell);
  });
}

/** Visits the initial points of a cell. `point` is always the same array. */
function eachPointIn(
  { lattice: { dimensions }, cellSize, along }: Seedbed,
  entry: number,
  cell: readonly number[],
  visit: (point: readonly number[]) => void,
): void {
  const parts = along ** dimensions;
  const point = new Array<number>(dimensions).fill(0);
  for (let part = 0; part < parts; part++) {
    for (let axis = 0; axis < dimensions; axis++) {
      const step = Math.floor(part / along ** axis) % along;
      const jitter = JITTER * (noise(entry * parts + part, axis) - 0.5);
      point[axis] = Math.fround(((cell[axis] as number) + (step + 0.5 + jitter) / along) * cellSize);
    }
    visit(point);
  }
}

/**
 * Throws if a position is outside the tank. Accepts particles in solid cells, because the next substep moves each to a
 * neighbouring cell if one is free.
 */
export function checkInTank(
  argument: string,
  positions: Float32Array,
  { dimensions, cells }: Lattice,
  cellSize: number,
): void {
  positions.forEach((value, index) => {
    const high = (cells[index % dimensions] as number) * cellSize;
    if (value >= 0 && value <= high) return;
    const name = `${argument}[${index}] (particle ${Math.floor(index / dimensions)})`;
    throw new ArgumentError(name, value, `a number from 0 to ${high}, inside the tank`);
  });
}

/** Shortest substep, in seconds. In shorter ones, rates would be mostly rounding errors. */
const SHORTEST = 1e-7;

export function checkTimeStep(
  dt: unknown,
  substeps: number,
  { longestStep }: Pick<FluidPlan, 'longestStep'>,
): asserts dt is number {
  checkInteger('substeps', substeps, 1, MAX_SUBSTEPS);
  checkFinite('dt', dt);
  if (dt !== 0 && !(dt / substeps >= SHORTEST)) {
    throw new ArgumentError('dt', dt, `0 or at least ${SHORTEST} s for each of ${substeps} substeps`);
  }
  refuseLongStep(dt, longestStep);
}
