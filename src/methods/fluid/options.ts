/**
 * Purpose: what a liquid is made of: options, their defaults and checks, and the particles that it begins with.
 * Guarantee: every refusal names the argument, the value and what is accepted, before anything is allocated.
 */
import {
  ArgumentError,
  checkDimensions,
  checkInteger,
  checkKnownKeys,
  checkRange,
  LimitError,
} from '../../index';
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

/** With what may change later: see settings.ts. */
export interface FluidOptions extends FluidSettingsOptions {
  readonly dimensions: 2 | 3;
  /** Cells along each axis; the tank is from 0 to cells · cellSize, with solid walls. At least 2 along each. */
  readonly cells: readonly number[];
  /** Edge of a cell, in the caller's unit of length. */
  readonly cellSize: number;
  /** Regions full of liquid. */
  readonly fill?: readonly FluidRegion[] | undefined;
  /** Particles of the caller's, beside those of the regions: `dimensions` numbers each. */
  readonly positions?: Float32Array | undefined;
  readonly velocities?: Float32Array | undefined;
  /** In a full cell: 1, 4, 9 or 16 in the plane (default 4), 1, 8 or 27 in space (default 8). */
  readonly particlesPerCell?: number | undefined;
  /** Particles at most. Default: those that it begins with. */
  readonly capacity?: number | undefined;
  /** Mass of a unit of volume. Default 1000. */
  readonly density?: number | undefined;
  /** How velocities come back to particles. Default 'flip'. */
  readonly transfer?: Transfer | undefined;
  /** Solid cells: a number other than 0 for each, x fastest, or a function of the middle of a cell. */
  readonly solids?: ArrayLike<number> | ((middle: readonly number[]) => boolean) | undefined;
  /** Bodies that move; at most 16. */
  readonly obstacles?: readonly ObstacleOptions[] | undefined;
}

/** Options checked and completed; settings as they are now. */
export interface FluidPlan extends FluidSettings {
  readonly lattice: Lattice;
  readonly dimensions: 2 | 3;
  readonly cellSize: number;
  readonly particlesPerCell: number;
  readonly capacity: number;
  readonly count: number;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly density: number;
  readonly transfer: Transfer;
  /** Over the lattice: 1 where a cell is solid for good. */
  readonly mask: Uint8Array;
  readonly obstacles: readonly Obstacle[];
  /** Of a particle, for keeping them apart. */
  readonly radius: number;
  /** From a particle to the next at first. */
  readonly spacing: number;
  readonly min: readonly number[];
  readonly max: readonly number[];
}

/** Velocities, couplings, cells of two grids and more for each: 2^24 take 2 gigabytes in the plane, 3 in space. */
export const MAX_CELLS = 2 ** 24;
const FEWEST_CELLS = 2;
const MAX_PARTICLES = 2 ** 26;

/**
 * Radius of a particle for keeping it apart, in shares of the distance between particles at first. Twice as large, near what
 * random packing allows, drives up surfaces: volume is off by 2.2% instead of 1.2% in a dam break of 16 cells.
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
  const along = Math.round(perCell ** (1 / dimensions));
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
    throw new ArgumentError('solids', solids, `a function or ${count} numbers, one for each cell`);
  }
  let free = 0;
  eachCell(lattice, (entry, x, y, z) => {
    const middle = [x, y, z].slice(0, dimensions).map((cell) => (cell + 0.5) * cellSize);
    const solid =
      typeof solids === 'function' ? solids(middle) : solids[x + cells[0] * (y + cells[1] * z)] !== 0;
    mask[entry] = solid ? 1 : 0;
    if (!solid) free++;
  });
  if (free === 0) throw new ArgumentError('solids', solids, 'a mask that leaves at least one cell free');
  return mask;
}

/** Where particles of regions may begin. */
interface Seedbed {
  readonly lattice: Lattice;
  readonly cellSize: number;
  /** Particles along each edge of a full cell. */
  readonly along: number;
  readonly mask: Uint8Array;
}

/** Particles of the regions, cell by cell, and then the caller's own; counted before anything is reserved for them. */
function seed(
  { dimensions, fill = [], positions, velocities, capacity }: FluidOptions,
  bed: Seedbed,
): { positions: Float32Array; velocities: Float32Array } {
  if (!Array.isArray(fill)) throw new ArgumentError('fill', fill, 'a list of regions');
  fill.forEach((region: FluidRegion, index) => {
    checkRegion(`fill[${index}]`, region, dimensions);
  });
  if (positions !== undefined) {
    if (!(positions instanceof Float32Array) || positions.length % dimensions !== 0) {
      throw new ArgumentError('positions', positions, `a Float32Array with ${dimensions} numbers a particle`);
    }
    if (
      velocities !== undefined &&
      (!(velocities instanceof Float32Array) || velocities.length !== positions.length)
    ) {
      throw new ArgumentError('velocities', velocities, 'a Float32Array as long as positions');
    }
    checkInTank('positions', positions, bed.lattice, bed.cellSize);
  } else if (velocities !== undefined) {
    throw new ArgumentError('velocities', velocities, 'left out where there are no positions');
  }
  const count = (positions?.length ?? 0) / dimensions + countSeeds(fill, bed);
  if (count > MAX_PARTICLES) {
    throw new LimitError(
      'fill',
      `The liquid begins with ${count} particles, but at most ${MAX_PARTICLES} are accepted; fill less, or take fewer \`particlesPerCell\`.`,
    );
  }
  if (capacity !== undefined && count > capacity) {
    throw new LimitError(
      'capacity',
      `The liquid begins with ${count} particles, but capacity is ${capacity}; it must be at least as many.`,
    );
  }
  const all = {
    positions: new Float32Array(dimensions * count),
    velocities: new Float32Array(dimensions * count),
  };
  let next = 0;
  eachSeed(fill, bed, (place, { velocity }) => {
    all.positions.set(place, next);
    if (velocity) all.velocities.set(velocity, next);
    next += dimensions;
  });
  if (positions) all.positions.set(positions, next);
  if (velocities) all.velocities.set(velocities, next);
  return all;
}

/** Calls `visit` with the place of each particle of the regions, which is the same array each time, and its region. */
function eachSeed(
  fill: readonly FluidRegion[],
  bed: Seedbed,
  visit: (place: readonly number[], region: FluidRegion) => void,
): void {
  if (fill.length === 0) return;
  eachFreeCell(bed, (entry, cell) => {
    eachPlaceIn(bed, entry, cell, (place) => {
      const region = fill.find((candidate) => isInRegion(candidate, place));
      if (region) visit(place, region);
    });
  });
}

/** How many eachSeed visits; places are looked at only where a region ends within the cell. */
function countSeeds(fill: readonly FluidRegion[], bed: Seedbed): number {
  if (fill.length === 0) return 0;
  const { cellSize, along, lattice } = bed;
  const parts = along ** lattice.dimensions;
  const [low, high]: [number[], number[]] = [[], []];
  let count = 0;
  eachFreeCell(bed, (entry, cell) => {
    cell.forEach((at, axis) => {
      low[axis] = at * cellSize;
      high[axis] = (at + 1) * cellSize;
    });
    if (fill.some((region) => holdsBox(region, low, high))) {
      count += parts;
      return;
    }
    eachPlaceIn(bed, entry, cell, (place) => {
      if (fill.some((region) => isInRegion(region, place))) count++;
    });
  });
  return count;
}

/** `cell`: its coordinates, the same array each time. */
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

/** Places of a full cell, all well within it; the same array each time. */
function eachPlaceIn(
  { lattice: { dimensions }, cellSize, along }: Seedbed,
  entry: number,
  cell: readonly number[],
  visit: (place: readonly number[]) => void,
): void {
  const parts = along ** dimensions;
  const place = new Array<number>(dimensions).fill(0);
  for (let part = 0; part < parts; part++) {
    for (let axis = 0; axis < dimensions; axis++) {
      const step = Math.floor(part / along ** axis) % along;
      const jitter = JITTER * (noise(entry * parts + part, axis) - 0.5);
      place[axis] = Math.fround(((cell[axis] as number) + (step + 0.5 + jitter) / along) * cellSize);
    }
    visit(place);
  }
}

/** Refuses particles outside the tank; those in solid cells leave them in the first step. */
export function checkInTank(
  argument: string,
  positions: Float32Array,
  { dimensions, cells }: Lattice,
  cellSize: number,
): void {
  positions.forEach((at, index) => {
    const high = (cells[index % dimensions] as number) * cellSize;
    if (at >= 0 && at <= high) return;
    const name = `${argument}[${index}] (particle ${Math.floor(index / dimensions)})`;
    throw new ArgumentError(name, at, `a number from 0 to ${high}, in the tank`);
  });
}

/** Shortest substep: below, rates overflow into noise. */
const SHORTEST = 1e-7;

export function checkTimeStep(dt: unknown, substeps: number): asserts dt is number {
  checkInteger('substeps', substeps, 1, MAX_SUBSTEPS);
  if (typeof dt !== 'number' || !(dt === 0 || (dt / substeps >= SHORTEST && dt <= 1e3))) {
    throw new ArgumentError('dt', dt, `0 or from ${SHORTEST} s for each of ${substeps} substeps to 1000 s`);
  }
}
