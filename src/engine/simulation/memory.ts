/** Estimates the GPU memory of a simulation, and checks whether a device can hold it. */

import { checkBooleans, checkDimensions, checkInteger, checkKnownKeys } from '../../core/base/checks';
import {
  CCD_HEADER,
  CROWD_HEADER,
  FEWEST_LISTS,
  FINER_STEPS,
  MEASURE_WORDS,
  MEASURE_WORKGROUPS,
  TABLE_SHIFT,
} from '../../core/base/constants';
import { ArgumentError, describeCount, LimitError } from '../../core/base/errors';
import { MAX_PARTICLES } from '../../core/simulation/ids';
import { cellBytes, finerBuckets, hasFiner } from '../../core/world/cells';
import { sampleRoom } from '../../core/world/merged-levels';
import { type Dimensions, MAX_CELLS, MAX_LEVELS, type World, type WorldKind } from '../../core/world/world';
import { checkBinds, checkDeviceHolds, type Gpu } from '../../gpu/device';
import { bodyFloats, storedFloats } from '../../gpu/layout';
import { packedBytes } from './obstacles';

/**
 * Returns the bytes per particle, by default in a bounded world without levels and boxes. They are the sum of:
 *   - two copies of position, velocity and id. A position takes 16 bytes with variable radii, and 32 with boxes.
 *   - an entry of the sort: 8 bytes
 *   - a partner: 4 bytes
 *   - a rank, which the gather replaces by a cell: 4 bytes. In unbounded worlds and with variable radii, a cell takes 8
 *     bytes in 2D and 16 in 3D.
 *   - with variable radii: a word for heavy particles, and two copies of the finer entries. A copy has two words fewer
 *     than there are levels.
 */
export function bytesPerParticle(
  dimensions: Dimensions,
  kind: WorldKind = 'bounded',
  levels = 0,
  boxes = false,
): number {
  checkDimensions(dimensions);
  checkKind(kind);
  checkInteger('levels', levels, 0, MAX_LEVELS);
  checkBooleans({ boxes });
  const vectors = 4 * (bodyFloats({ dimensions, levels, boxes }) + storedFloats(dimensions));
  const finer = levels > 0 ? 2 * 4 * Math.max(0, levels - FINER_STEPS) + 4 : 0;
  return 2 * (vectors + 4) + 12 + cellBytes({ dimensions, kind, levels }) + finer;
}

function checkKind(kind: unknown): void {
  if (kind === 'bounded' || kind === 'periodic' || kind === 'unbounded') return;
  throw new ArgumentError('kind', kind, "'bounded', 'periodic' or 'unbounded'");
}

/** Bytes per cell: a count and a start, 4 bytes each. */
export const BYTES_PER_CELL = 8;

/** Bytes of the parameters, and of the partial measures of each of the two broad phases. */
const FIXED_BYTES = 2 * 1024 * 256 + 2 * MEASURE_WORKGROUPS * MEASURE_WORDS * 4;

/** The parts of a simulation that take memory only if an option asks for them. */
export interface MemoryOptions {
  /** The largest number of obstacles. Default: none. */
  readonly obstacles?: number | undefined;
  /** The option `crowds` of the world. Default: true with levels, otherwise false. */
  readonly crowds?: boolean | undefined;
  /** The number of levels of cells, `world.levels`, if radii vary. Default: 0. */
  readonly levels?: number | undefined;
  /** True if particles may be boxes. Needs levels. Default: false. */
  readonly boxes?: boolean | undefined;
  /** True if the paths of fast particles are followed. Default: false. */
  readonly continuous?: boolean | undefined;
}

/**
 * Estimates how many bytes of GPU memory a simulation takes. Default of `kind`: 'bounded'. `cells` is the number of
 * cells on all levels. In an unbounded world, it is the number of buckets:
 *   - without levels, the lowest power of two that is not below 128, the capacity or the largest number of obstacles
 *   - with levels, (levels + 7) / 8 times the lowest power of two that is not below 8,192 or the capacity
 */
export function estimateMemory(
  dimensions: Dimensions,
  particles: number,
  cells: number,
  kind?: WorldKind,
  options: MemoryOptions = {},
): number {
  checkKnownKeys('options', options, ['obstacles', 'crowds', 'levels', 'boxes', 'continuous']);
  const { obstacles = 0, levels = 0, crowds = levels > 0, boxes = false, continuous = false } = options;
  checkInteger('particles', particles, 0, MAX_PARTICLES);
  checkInteger('cells', cells, 0, MAX_CELLS);
  checkInteger('obstacles', obstacles, 0, MAX_PARTICLES);
  checkBooleans({ crowds, continuous });
  const leaving = particles / 8;
  const heavy = crowds ? 4 * (CROWD_HEADER + particles) : 0;
  return Math.ceil(
    particles * bytesPerParticle(dimensions, kind, levels, boxes) +
      leaving +
      heavy +
      BYTES_PER_CELL * (levels > 0 ? cells + bucketsOfFiner(dimensions, cells, kind, levels) : cells) +
      (obstacles > 0
        ? bytesOfObstacles({ dimensions, kind, levels, boxes, cellCount: cells }, obstacles)
        : 0) +
      (kind === 'unbounded' && levels > 1 ? bytesOfSample(dimensions, cells, levels) : 0) +
      (continuous ? bytesOfPaths({ dimensions, kind: kind ?? 'bounded', cellCount: cells }, particles) : 0) +
      FIXED_BYTES,
  );
}

/**
 * Returns the cells of the levels that have finer entries. In a box, each level has about a quarter (3D: an eighth)
 * of the cells of the level below. In an unbounded world, level-world.ts sizes the tables.
 */
function bucketsOfFiner(
  dimensions: Dimensions,
  cells: number,
  kind: WorldKind = 'bounded',
  levels: number,
): number {
  if (!hasFiner({ levels })) return 0;
  if (kind === 'unbounded') return (levels - FINER_STEPS) * bucketsOfHighLevel(cells, levels);
  return cells / 2 ** (dimensions * FINER_STEPS);
}

/** Returns the buckets of each level above the lowest in an unbounded world. */
function bucketsOfHighLevel(cells: number, levels: number): number {
  return cells / (levels - 1 + 2 ** TABLE_SHIFT);
}

function bytesOfSample(dimensions: Dimensions, cells: number, levels: number): number {
  const lowest = 2 ** TABLE_SHIFT * bucketsOfHighLevel(cells, levels);
  return cellBytes({ dimensions, kind: 'unbounded', levels }) * sampleRoom(lowest);
}

function bytesOfPaths(world: Parameters<typeof ccdBytes>[0], particles: number): number {
  const bytes = ccdBytes(world, particles);
  return Object.values(bytes).reduce((sum, size) => sum + size, 0);
}

/**
 * Returns the bytes that obstacles add: the packed arrays and one more word per partial measure. Without levels, the
 * buffers for sorting obstacles come on top: given and sorted positions; an id, an entry, and a rank or cell per
 * obstacle; counts and starts of the cells.
 */
function bytesOfObstacles(
  {
    kind = 'bounded',
    ...sizes
  }: Pick<World, 'dimensions' | 'levels' | 'boxes' | 'cellCount'> & {
    readonly kind?: WorldKind | undefined;
  },
  obstacles: number,
): number {
  const world = { ...sizes, kind };
  const packed = packedBytes(world, obstacles);
  const measured = 2 * MEASURE_WORKGROUPS * 4;
  if (world.levels > 0) return packed.starts + packed.positions + measured;
  const sorting = 12 + cellBytes(world);
  return (
    packed.starts +
    3 * packed.positions +
    packed.cells +
    sorting * obstacles +
    BYTES_PER_CELL * world.cellCount +
    measured
  );
}

/**
 * Returns arguments for requestGpu with which a world's longest buffer fits. With `continuous`, that buffer holds the
 * lists of paths. With levels, it may hold the positions, the buckets, or the finer entries with the heavy particles.
 */
export function deviceNeeds(
  world: Pick<World, 'levels' | 'boxes' | 'cellCount' | 'dimensions' | 'kind' | 'levelStarts'>,
  capacity: number,
  continuous = false,
): { particles: number; cells: number; dimensions: Dimensions } {
  const { levels, boxes, cellCount, dimensions } = world;
  if (continuous) {
    // With `dimensions: 3`, requestGpu counts 16 bytes per particle.
    const particles = Math.ceil(ccdBytes(world, capacity).links / 16);
    return { particles: Math.max(capacity, particles), cells: cellCount, dimensions: 3 };
  }
  if (levels === 0) return { particles: capacity, cells: cellCount, dimensions };
  const words = Math.max(0, levels - FINER_STEPS) + 1;
  const particles = Math.ceil(capacity * Math.max(boxes ? 2 : 1, words / 4));
  return { particles, cells: cellCount + finerBuckets(world) + 1, dimensions: 3 };
}

export function checkHolds(gpu: Gpu, capacity: number, world: World, continuous = false): void {
  const { levels, cellCount } = world;
  const { particles, cells, dimensions } = deviceNeeds(world, capacity, continuous);
  if (continuous) {
    checkDeviceHolds(gpu, capacity, cellCount, world.dimensions);
    const what = `${describeCount(capacity)} whose paths are followed in ${cellCount} cells`;
    const request = `particles: ${particles}, cells: ${cells}, dimensions: ${dimensions}`;
    checkBinds(gpu, ccdBytes(world, capacity).links, what, request);
    return;
  }
  try {
    checkDeviceHolds(gpu, particles, cells, dimensions);
  } catch (error) {
    if (!(error instanceof LimitError) || levels === 0) throw error;
    throw new LimitError(
      error.limit,
      `${describeCount(capacity)} on ${levels} levels with ${cellCount} cells in all are more than this device was requested for: its ${error.limit} is ${gpu.device.limits[error.limit as keyof GPUSupportedLimits]}; request it with particles: ${particles}, cells: ${cells}, dimensions: ${dimensions}.`,
      error.fits === undefined ? undefined : Math.floor((capacity * error.fits) / particles),
    );
  }
}

/**
 * Numbers of nodes in the lists of paths through each cell. A path is cut into pieces no longer than a cell, and a
 * piece touches at most 4 cells (2D) or 8 (3D). With NODES_PER_PARTICLE, each path has nodes for two pieces, so it
 * advances even if all particles are fast. FEWEST_NODES, the least number in all, gives each of 10,000 paths 209 nodes.
 * A path that runs out of nodes is held.
 */
const NODES_PER_PARTICLE = { 2: 8, 3: 16 } as const;
const FEWEST_NODES = 2 ** 21;

export type CcdBytes = Readonly<Record<'links' | 'counters' | 'first' | 'even' | 'odd' | 'claims', number>>;

/** Returns the bytes of the buffers of ccd.ts, except `dispatches`. */
export function ccdBytes(
  { dimensions, kind, cellCount }: Pick<World, 'dimensions' | 'kind' | 'cellCount'>,
  capacity: number,
): CcdBytes {
  const lists = Math.max(cellCount, kind === 'unbounded' ? FEWEST_LISTS : 0);
  return {
    counters: 4 * (CCD_HEADER + capacity),
    links:
      4 * (cellCount + capacity + lists) +
      8 * Math.max(FEWEST_NODES, NODES_PER_PARTICLE[dimensions] * capacity),
    first: 8 * capacity,
    even: 8 * capacity,
    odd: 8 * capacity,
    claims: 8 * capacity,
  };
}
