/**
 * Purpose: bytes of GPU memory that a simulation takes, before it is made: what `info` and the API report.
 * tests/gpu/simulation.test.ts holds it against the buffers really made.
 */
import { cellBytes } from '../core/cells';
import { MEASURE_WORDS, MEASURE_WORKGROUPS, SCAN_BLOCK } from '../core/constants';
import type { Dimensions, WorldKind } from '../core/world';
import { storedFloats } from '../gpu/layout';

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

/** `cells`: of an unbounded world the buckets of its table, the power of two at or above its capacity. */
export function estimateMemory(
  dimensions: Dimensions,
  particles: number,
  cells: number,
  kind?: WorldKind,
): number {
  const leaving = particles / 8;
  const blockSums = (8 * cells) / SCAN_BLOCK;
  return Math.ceil(
    particles * bytesPerParticle(dimensions, kind) +
      leaving +
      cells * BYTES_PER_CELL +
      blockSums +
      FIXED_BYTES,
  );
}
