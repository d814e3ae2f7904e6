/**
 * Purpose: the cell of a position, to the bit as shaders/shared/cells.wgsl computes it.
 * A difference and a product are correctly rounded in WGSL and by Math.fround here; a quotient is not,
 * and is not used. Magnitudes below 2⁻¹²⁶ are snapped to zero on both sides, since a GPU may flush them.
 */
import type { World } from './world';

const SMALLEST_NORMAL = 2 ** -126;

/** Coordinate of the cell along one axis, clamped into the world: 1 to cells − 2, the ring stays empty. */
export function cellCoordinate(
  position: number,
  origin: number,
  inverseCellSize: number,
  cells: number,
): number {
  let offset = Math.fround(position - origin);
  if (Math.abs(offset) < SMALLEST_NORMAL) offset = 0;
  let scaled = Math.fround(offset * inverseCellSize);
  if (Math.abs(scaled) < SMALLEST_NORMAL) scaled = 0;
  const cell = Math.floor(scaled) + 1;
  return cell < 1 ? 1 : cell > cells - 2 ? cells - 2 : cell;
}

/** Index of a particle's cell, x fastest; `positions` holds `dimensions` numbers a particle. */
export function cellOfParticle(world: World, positions: ArrayLike<number>, particle: number): number {
  let index = 0;
  for (let axis = world.dimensions - 1; axis >= 0; axis--) {
    const cells = world.cells[axis] as number;
    index =
      index * cells +
      cellCoordinate(
        positions[particle * world.dimensions + axis] as number,
        world.min[axis] as number,
        world.inverseCellSize,
        cells,
      );
  }
  return index;
}

/** The bucket past the last cell, for particles that are no longer finite. */
export function quarantineCell(world: World): number {
  return world.cellCount;
}

/** The bucket after it, for particles on their way out. */
export function retiredCell(world: World): number {
  return world.cellCount + 1;
}

/** Entries of `start`: one a cell, the sentinel, and the ends of the two extra buckets. */
export function startLength(world: World): number {
  return world.cellCount + 3;
}
