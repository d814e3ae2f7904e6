/**
 * Bytes of GPU memory that a simulation takes, before it is made: what `info` and the API report; and whether
 * a device holds it. tests/gpu/simulation/memory.test.ts holds it against the buffers really made.
 */

import {
  CCD_HEADER,
  CROWD_HEADER,
  FEWEST_LISTS,
  MEASURE_WORDS,
  MEASURE_WORKGROUPS,
  SCAN_BLOCK,
} from '../../core/base/constants';
import { describeCount, LimitError } from '../../core/base/errors';
import { cellBytes, finerBuckets, finerSteps } from '../../core/world/cells';
import type { Dimensions, World, WorldKind } from '../../core/world/world';
import { checkBinds, checkDeviceHolds, type Gpu } from '../../gpu/device';
import { bodyFloats, storedFloats } from '../../gpu/layout';
import { packedBytes } from './obstacles';

/**
 * Two copies of position, velocity and id; entries (8), rank or cell (4; in an unbounded world or with radii the cell is
 * kept whole, 8 or 16), partner (4). With radii a position is 16, with boxes 32; and there are finer entries on every level but
 * one (in a box, two), twice, and heavy particles (4).
 */
export function bytesPerParticle(
  dimensions: Dimensions,
  kind: WorldKind = 'bounded',
  levels = 0,
  boxes = false,
): number {
  const vectors = 4 * (bodyFloats({ dimensions, levels, boxes }) + storedFloats(dimensions));
  const finer = levels > 0 ? 2 * 4 * Math.max(0, levels - finerSteps({ kind })) + 4 : 0;
  return 2 * (vectors + 4) + 12 + cellBytes({ dimensions, kind, levels }) + finer;
}

/** Counts and starts, 4 bytes each. */
export const BYTES_PER_CELL = 8;

/** Parameter rings, partial measures, padding. */
const FIXED_BYTES = 2 * 1024 * 256 + 2 * MEASURE_WORKGROUPS * MEASURE_WORDS * 4;

/** Optional parts of a simulation that take memory. */
export interface MemoryOptions {
  /** Obstacles that there is room for. Default: none. */
  readonly obstacles?: number | undefined;
  /** Whether it is made for crowds. Default: false. */
  readonly crowds?: boolean | undefined;
  /** Levels of cells, `world.levels`, where particles have radii of their own. Default: 0. */
  readonly levels?: number | undefined;
  /** Whether particles may be boxes; only with levels. Default: false. */
  readonly boxes?: boolean | undefined;
  /** Whether the paths of fast particles are followed. Default: false. */
  readonly continuous?: boolean | undefined;
}

/**
 * `cells`: of an unbounded world the buckets of its table, the power of two at or above its capacity or the number of
 * its obstacles, whichever is more.
 */
export function estimateMemory(
  dimensions: Dimensions,
  particles: number,
  cells: number,
  kind?: WorldKind,
  { obstacles = 0, levels = 0, crowds = levels > 0, boxes = false, continuous = false }: MemoryOptions = {},
): number {
  const leaving = particles / 8;
  const heavy = crowds ? 4 * (CROWD_HEADER + particles) : 0;
  return Math.ceil(
    particles * bytesPerParticle(dimensions, kind, levels, boxes) +
      leaving +
      heavy +
      bytesOfCells(levels > 0 ? cells + bucketsOfFiner(dimensions, cells, kind, levels) : cells) +
      (obstacles > 0
        ? bytesOfObstacles({ dimensions, kind, levels, boxes, cellCount: cells }, obstacles)
        : 0) +
      (continuous ? bytesOfPaths({ dimensions, kind: kind ?? 'bounded', cellCount: cells }, particles) : 0) +
      FIXED_BYTES,
  );
}

/** About so many: in a box the cells of high levels, of which each level has a quarter (an eighth) of the one below. */
function bucketsOfFiner(
  dimensions: Dimensions,
  cells: number,
  kind: WorldKind = 'bounded',
  levels: number,
): number {
  const steps = finerSteps({ kind });
  if (levels <= steps) return 0;
  return kind === 'unbounded' ? cells : cells / 2 ** (dimensions * steps);
}

function bytesOfPaths(world: Parameters<typeof ccdBytes>[0], particles: number): number {
  const bytes = ccdBytes(world, particles);
  return Object.values(bytes).reduce((sum, of) => sum + of, 0);
}

/** Returns the bytes of a sort: counts, starts and block sums. */
function bytesOfCells(cells: number): number {
  return cells * BYTES_PER_CELL + (8 * cells) / SCAN_BLOCK;
}

/**
 * As given, sorted and packed; id (4), entries (8) and rank or cell; a sort's cells; a word more to measure. With sizes of
 * their own, packed alone.
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
    bytesOfCells(world.cellCount) +
    measured
  );
}

/**
 * The device to request for a world: with the longest buffer of it. With levels that is one of places, of finer entries (a word on
 * each level that it may be a finer entry on, and one) or of buckets, those of finer entries included; where paths are followed, that
 * of their lists.
 */
export function deviceNeeds(
  world: Pick<World, 'levels' | 'boxes' | 'cellCount' | 'dimensions' | 'kind' | 'levelStarts'>,
  capacity: number,
  continuous = false,
): { particles: number; cells: number; dimensions: Dimensions } {
  const { levels, boxes, cellCount, dimensions } = world;
  if (continuous) {
    // A vector in 3D is 16 bytes.
    const particles = Math.ceil(ccdBytes(world, capacity).links / 16);
    return { particles: Math.max(capacity, particles), cells: cellCount, dimensions: 3 };
  }
  if (levels === 0) return { particles: capacity, cells: cellCount, dimensions };
  const words = Math.max(0, levels - finerSteps(world)) + 1;
  const particles = Math.ceil(capacity * Math.max(boxes ? 2 : 1, words / 4));
  return { particles, cells: cellCount + finerBuckets(world) + 1, dimensions: 3 };
}

/** Refuses what the device was not requested for. */
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
      `${describeCount(capacity)} on ${levels} levels of ${cellCount} cells are more than this device was requested for: its ${error.limit} is ${gpu.device.limits[error.limit as keyof GPUSupportedLimits]}; request it with particles: ${particles}, cells: ${cells}, dimensions: ${dimensions}.`,
      error.fits === undefined ? undefined : Math.floor((capacity * error.fits) / particles),
    );
  }
}

/**
 * Nodes of paths in the lists of cells: for each particle twice what a piece of a path takes at most, so that all can be
 * fast and get on; and for all together enough for 10,000 paths of a hundred cells. Paths that pass more are held.
 */
const NODES = { 2: 8, 3: 16 } as const;
const FEWEST_NODES = 2 ** 21;

export type CcdBytes = Readonly<Record<'links' | 'counters' | 'first' | 'even' | 'odd' | 'claims', number>>;

/** Bytes of each buffer of engine/simulation/ccd.ts. */
export function ccdBytes(
  { dimensions, kind, cellCount }: Pick<World, 'dimensions' | 'kind' | 'cellCount'>,
  capacity: number,
): CcdBytes {
  const lists = Math.max(cellCount, kind === 'unbounded' ? FEWEST_LISTS : 0);
  return {
    counters: 4 * (CCD_HEADER + capacity),
    links: 4 * (cellCount + capacity + lists) + 8 * Math.max(FEWEST_NODES, NODES[dimensions] * capacity),
    first: 8 * capacity,
    even: 8 * capacity,
    odd: 8 * capacity,
    claims: 8 * capacity,
  };
}
