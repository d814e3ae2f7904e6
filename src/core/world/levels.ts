/**
 * Assigns particles of variable radii to levels, cells and buckets, bit for bit as shaders/levels/*.wgsl do. The cells
 * of level l are 2^l times as wide as those of level 0. Two particles that overlap are in the same cell or in adjacent
 * cells of the higher of their two levels.
 */

import { FARTHEST_CELL, FINER_BUCKETS, FINER_STEPS, LAYER_STEP, ROW_STEP } from '../base/constants';
import { snap, wrapOnce } from './cells';
import type { World } from './world';

const { fround } = Math;

/** Returns undefined if the world rejects the radius. */
export function levelOf(world: World, radius: number): number | undefined {
  if (!(radius >= 0 && radius <= world.diameter / 2)) return undefined;
  let level = 0;
  // Products with powers of two do not round.
  while (2 * radius > world.baseDiameter * 2 ** level) level++;
  return level;
}

/** Returns the number of cells along an axis; 0 in an unbounded world. */
function cellsAt(world: World, axis: number, level: number): number {
  const cells = world.cells[axis] as number;
  if (world.kind === 'unbounded') return 0;
  // The last cell along a periodic axis contains the rest of the period.
  return world.period[axis] === 0 ? ((cells - 1) >> level) + 1 : cells >> level;
}

function finestCoordinate(world: World, position: number, axis: number): number {
  const { inverseCellSize } = world;
  const cells = world.cells[axis] as number;
  if (world.kind === 'unbounded') {
    const farthest = fround(FARTHEST_CELL / inverseCellSize);
    const clamped = Math.min(Math.max(snap(position), -farthest), farthest);
    return Math.floor(snap(fround(clamped * inverseCellSize)));
  }
  const inside = wrapOnce(world, position, axis);
  const origin = world.min[axis] as number;
  const cell = Math.floor(snap(fround(snap(fround(inside - origin)) * inverseCellSize)));
  return Math.min(Math.max(cell, 0), cells - 1);
}

export function latticeAt(
  world: World,
  positions: ArrayLike<number>,
  particle: number,
  level: number,
): number[] {
  const first = particle * world.dimensions;
  return Array.from({ length: world.dimensions }, (_, axis) =>
    coordinateAt(world, positions[first + axis] as number, axis, level),
  );
}

function coordinateAt(world: World, position: number, axis: number, level: number): number {
  return coarser(world, finestCoordinate(world, position, axis), axis, level, level);
}

/** Returns the cell on `level` that contains a cell `steps` levels below. */
function coarser(world: World, coordinate: number, axis: number, level: number, steps: number): number {
  const cells = cellsAt(world, axis, level);
  return cells > 0 ? Math.min(coordinate >> steps, cells - 1) : coordinate >> steps;
}

export function coarsened(world: World, lattice: readonly number[], level: number, higher: number): number[] {
  return lattice.map((coordinate, axis) => coarser(world, coordinate, axis, higher, higher - level));
}

/**
 * Returns whether two particles are in the same or in adjacent cells of the higher of their levels. Allocates no
 * memory.
 */
export function areWithinReach(
  world: World,
  positions: ArrayLike<number>,
  radii: ArrayLike<number>,
  a: number,
  b: number,
): boolean {
  const { dimensions } = world;
  const level = levelOf(world, Math.max(radii[a] as number, radii[b] as number));
  if (level === undefined) return false;
  for (let axis = 0; axis < dimensions; axis++) {
    const apart = Math.abs(
      coordinateAt(world, positions[dimensions * a + axis] as number, axis, level) -
        coordinateAt(world, positions[dimensions * b + axis] as number, axis, level),
    );
    const isAcrossEnds = world.period[axis] !== 0 && apart === cellsAt(world, axis, level) - 1;
    if (apart > 1 && !isAcrossEnds) return false;
  }
  return true;
}

/** Wraps a cell that lies at most one cell beyond the ends of periodic axes. */
export function wrapCell(world: World, lattice: readonly number[], level: number): number[] {
  return lattice.map((coordinate, axis) => {
    const cells = cellsAt(world, axis, level);
    return world.period[axis] === 0 ? coordinate : (coordinate + cells) % cells;
  });
}

export function bucketAt(world: World, lattice: readonly number[], level: number): number {
  if (world.kind !== 'unbounded') {
    let index = 0;
    for (let axis = world.dimensions - 1; axis >= 0; axis--) {
      index = index * cellsAt(world, axis, level) + (lattice[axis] as number);
    }
    return (world.levelStarts[level] as number) + index;
  }
  const [x = 0, y = 0, z = 0] = lattice;
  const first = world.levelStarts[level] as number;
  const end = world.levelStarts[level + 1] ?? world.cellCount;
  // The number of buckets in a level's table is a power of two.
  return first + ((x + Math.imul(y, ROW_STEP) + Math.imul(z, LAYER_STEP)) & (end - first - 1));
}

export function finerBucket(world: World, bucket: number): number {
  return world.cellCount + FINER_BUCKETS + bucket - (world.levelStarts[FINER_STEPS] as number);
}
