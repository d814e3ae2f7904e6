/**
 * Purpose: where a particle with a radius of its own belongs: its level, its cell on that level and on those above,
 * and the bucket of the table that a cell is filed in. To the bit as shaders/shared/levels*.wgsl.
 * Level l has cells 2^l times as wide as those of level 0. In a box, periodic or not, each cell has a bucket of its own;
 * where there is no end cells are hashed. Two particles that overlap are in adjacent cells of the higher of their two levels.
 */

import { FINER_BUCKETS, HASH_BLOCK, HASH_BLOCK_SHIFT } from '../base/constants';
import { finerSteps, mixBlock, snap, wrapOnce } from './cells';
import { FARTHEST_CELL, type World } from './world';

const { fround } = Math;

/** The lowest level whose cells are as wide as the particle; undefined for a size that the grid is not made for. */
export function levelOf(world: World, radius: number): number | undefined {
  if (!(radius >= 0 && radius <= world.diameter / 2)) return undefined;
  let level = 0;
  // Products with powers of two round nothing.
  while (2 * radius > world.baseDiameter * 2 ** level) level++;
  return level;
}

/** Cells along an axis of a level; 0 where there is no end to them. */
function cellsAt(world: World, axis: number, level: number): number {
  const cells = world.cells[axis] as number;
  if (world.kind === 'unbounded') return 0;
  // Around the end of an axis that wraps around the last cell takes in what is left.
  return world.period[axis] === 0 ? ((cells - 1) >> level) + 1 : cells >> level;
}

/** Coordinate of a position's cell on the lowest level. */
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

/** The cell of a particle on a level. */
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

/** Coordinate of a position's cell on a level. */
function coordinateAt(world: World, position: number, axis: number, level: number): number {
  return coarser(world, finestCoordinate(world, position, axis), axis, level, level);
}

/** Coordinate on a level of the cell that one `steps` levels below is in. */
function coarser(world: World, coordinate: number, axis: number, level: number, steps: number): number {
  const cells = cellsAt(world, axis, level);
  // The last cell along an axis takes in what is left of the period.
  return cells > 0 ? Math.min(coordinate >> steps, cells - 1) : coordinate >> steps;
}

/** The cell on a higher level that one of a level is in. */
export function coarsened(world: World, lattice: readonly number[], level: number, higher: number): number[] {
  return lattice.map((coordinate, axis) => coarser(world, coordinate, axis, higher, higher - level));
}

/**
 * Whether the cells of two particles are the same or touch, on the higher of their two levels: who is not that far
 * apart when particles are sorted does not meet until they are sorted again. Takes no memory.
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
    const isAround = world.period[axis] !== 0 && apart === cellsAt(world, axis, level) - 1;
    if (apart > 1 && !isAround) return false;
  }
  return true;
}

/** A cell beside another, brought in across an end. */
export function broughtIn(world: World, lattice: readonly number[], level: number): number[] {
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
  const [x = 0, ...across] = lattice;
  const hash = mixBlock([x >> HASH_BLOCK_SHIFT, ...across], Math.imul(level, 0x9e3779b9));
  return (Math.imul(hash, HASH_BLOCK) & (world.cellCount - 1)) + (x & (HASH_BLOCK - 1));
}

/** The bucket of the finer entries of the cells of a bucket: particles of levels lower by `finerSteps` or more. */
export function finerBucket(world: World, bucket: number): number {
  return world.cellCount + FINER_BUCKETS + bucket - (world.levelStarts[finerSteps(world)] ?? 0);
}
