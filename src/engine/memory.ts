/**
 * Purpose: bytes of GPU memory that a simulation takes, before it is made: what `info` and the API report.
 * tests/gpu/memory.test.ts holds it against the buffers really made.
 */
import { cellBytes } from '../core/cells';
import { CROWD_HEADER, MEASURE_WORDS, MEASURE_WORKGROUPS, SCAN_BLOCK } from '../core/constants';
import type { Dimensions, WorldKind } from '../core/world';
import { storedFloats } from '../gpu/layout';
import { packedBytes } from './obstacles';

/**
 * Two copies of position, velocity and id; entries (8), rank or cell (4; in an unbounded world the cell is kept
 * whole, 8 or 16), partner (4).
 */
export function bytesPerParticle(dimensions: Dimensions, kind: WorldKind = 'bounded'): number {
  return 2 * (2 * 4 * storedFloats(dimensions) + 4) + 12 + cellBytes({ dimensions, kind });
}

/** Counts and starts, 4 bytes each. */
export const BYTES_PER_CELL = 8;

/** Parameter rings, partial measures, padding. */
const FIXED_BYTES = 2 * 1024 * 256 + 2 * MEASURE_WORKGROUPS * MEASURE_WORDS * 4;

/** What a simulation may have beside its particles. */
export interface MemoryOptions {
  /** Obstacles that there is room for. Default: none. */
  readonly obstacles?: number | undefined;
  /** Whether it is made for crowds. Default: false. */
  readonly crowds?: boolean | undefined;
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
  { obstacles = 0, crowds = false }: MemoryOptions = {},
): number {
  const leaving = particles / 8;
  const heavy = crowds ? 4 * (CROWD_HEADER + particles) : 0;
  return Math.ceil(
    particles * bytesPerParticle(dimensions, kind) +
      leaving +
      heavy +
      bytesOfCells(cells) +
      (obstacles > 0 ? bytesOfObstacles(dimensions, obstacles, cells, kind) : 0) +
      FIXED_BYTES,
  );
}

/** Of a sort: counts, starts and the sums of its blocks. */
function bytesOfCells(cells: number): number {
  return cells * BYTES_PER_CELL + (8 * cells) / SCAN_BLOCK;
}

/** As given, sorted and packed; id (4), entries (8) and rank or cell; a sort's cells; a word more to measure. */
function bytesOfObstacles(
  dimensions: Dimensions,
  obstacles: number,
  cells: number,
  kind: WorldKind = 'bounded',
): number {
  const packed = packedBytes({ dimensions, kind, cellCount: cells }, obstacles);
  const sorting = 12 + cellBytes({ dimensions, kind });
  return (
    packed.starts +
    3 * packed.positions +
    packed.cells +
    sorting * obstacles +
    bytesOfCells(cells) +
    2 * MEASURE_WORKGROUPS * 4
  );
}
