/**
 * Finds the particles in a box, in each kind of world. Inputs: a canonical order and its positions; two corners, bounds
 * included. In a periodic world a particle is in a box if any of its images is. Output: the sources (indices in the
 * input) of the particles, ascending. Positions are compared as doubles. Corners outside a periodic world are wrapped
 * first, which may round them.
 */
import { latticeCoordinate } from '../../core/world/cells';
import type { World } from '../../core/world/world';
import { lowerBound } from '../shared/lattice';
import { visitCells } from './hashed';
import { forEachOf } from './near';
import type { CellOrder } from './order';

/**
 * The coordinates inside a box along one axis: those from `low` to `high`. If the box crosses an end of the world:
 * those from `low` up and those up to `high`.
 */
export interface Side {
  readonly low: number;
  readonly high: number;
  readonly crosses: boolean;
}

/** The part of a world that the sides of a box depend on. */
type Ends = Pick<World, 'min' | 'period'>;

export function findInBox(
  order: CellOrder,
  positions: Float32Array,
  min: readonly number[],
  max: readonly number[],
): Uint32Array {
  const { source } = order;
  const found: number[] = [];
  visitInBox(order, positions, min, max, (slot) => found.push(source[slot] as number));
  return Uint32Array.from(found).sort();
}

/** Calls `visit` with the slots of the particles in a box, in no particular order. */
export function visitInBox(
  order: CellOrder,
  positions: Float32Array,
  min: readonly number[],
  max: readonly number[],
  visit: (slot: number) => void,
): void {
  const { world } = order.lattice;
  const { live } = order;
  const sides = sidesOf(world, min, max);
  if (sides === undefined) return;
  const consider = (slot: number) => {
    if (isInside(sides, positions, slot)) visit(slot);
  };
  if (countRows(world, sides) > live) for (let slot = 0; slot < live; slot++) consider(slot);
  else if (world.kind === 'unbounded') visitUnbounded(order, sides, consider);
  else visitRows(order, sides, consider);
}

/** Returns the sides of a box, or undefined if nothing can be in it. */
export function sidesOf(world: Ends, min: readonly number[], max: readonly number[]): Side[] | undefined {
  if (min.some((low, axis) => low > (max[axis] as number))) return undefined;
  return min.map((low, axis) => sideOf(world, low, max[axis] as number, axis));
}

/** Returns whether the position in a slot is in a box. `stride`: numbers from one position to the next. */
export function isInside(
  sides: readonly Side[],
  positions: Float32Array,
  slot: number,
  stride: number = sides.length,
): boolean {
  for (let axis = 0; axis < sides.length; axis++) {
    const { low, high, crosses } = sides[axis] as Side;
    const position = positions[stride * slot + axis] as number;
    if (crosses ? position < low && position > high : position < low || position > high) return false;
  }
  return true;
}

function sideOf(world: Ends, low: number, high: number, axis: number): Side {
  const period = world.period[axis] as number;
  if (period === 0) return { low, high, crosses: false };
  const origin = world.min[axis] as number;
  const [first, last] = [low, high].map((coordinate) => {
    const periods = Math.floor((coordinate - origin) / period);
    const position = coordinate - periods * period;
    // The quotient may have been rounded across a whole number.
    if (position < origin) return { position: position + period, periods: periods - 1 };
    return position < origin + period
      ? { position, periods }
      : { position: position - period, periods: periods + 1 };
  }) as [Phase, Phase];
  const periods = last.periods - first.periods;
  if (periods > 1 || (periods === 1 && last.position >= first.position)) {
    return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY, crosses: false };
  }
  return { low: first.position, high: last.position, crosses: periods === 1 };
}

interface Phase {
  readonly position: number;
  readonly periods: number;
}

/** Returns the cells of the positions in a side of a box, in parts: first and last cell of each part. */
function cellsOf(world: World, { low, high, crosses }: Side, axis: number): readonly number[] {
  const period = world.period[axis] as number;
  const far = period > 0 ? Math.fround((world.min[axis] as number) + period) : Number.POSITIVE_INFINITY;
  // Rounding may move a corner to the far end. No particle is there, but its computed cell would be the first one.
  const [first, last] = [low, high].map((position) =>
    position >= far ? (world.cells[axis] as number) - 1 : latticeCoordinate(world, position, axis),
  ) as [number, number];
  if (!crosses) return [first, last];
  const end = (world.cells[axis] as number) - 1;
  return last >= first ? [0, end] : [0, last, first, end];
}

/** Returns the number of rows of cells that a box spans; in an unbounded world, the number of cells. */
function countRows(world: World, sides: readonly Side[]): number {
  return sides.reduce((product, side, axis) => {
    if (axis === 0 && world.kind !== 'unbounded') return product;
    const parts = cellsOf(world, side, axis);
    const cells = parts.reduce((sum, cell, index) => sum + (index % 2 === 0 ? -cell : cell + 1), 0);
    return product * cells;
  }, 1);
}

function visitUnbounded(order: CellOrder, sides: readonly Side[], consider: (slot: number) => void): void {
  const { world } = order.lattice;
  const cells = sides.map((side, axis) => cellsOf(world, side, axis));
  visitCells(
    order,
    cells.map(([first]) => first as number),
    cells.map(([, last]) => last as number),
    consider,
  );
}

function visitRows(order: CellOrder, sides: readonly Side[], consider: (slot: number) => void): void {
  const { keys, live, lattice } = order;
  const { world, rowStride, layerStride } = lattice;
  // Along axes that wrap, coordinates in keys begin at 1.
  const [columns, rows, layers = [0, 0]] = sides.map((side, axis) =>
    cellsOf(world, side, axis).map((cell) => cell + ((world.period[axis] as number) > 0 ? 1 : 0)),
  ) as [number[], number[], number[]?];
  forEachOf(layers, (layer) => {
    forEachOf(rows, (row) => {
      for (let part = 0; part < columns.length; part += 2) {
        const rowKey = layer * layerStride + row * rowStride;
        const lastKey = rowKey + (columns[part + 1] as number);
        let slot = lowerBound(keys, live, rowKey + (columns[part] as number));
        for (; (keys[slot] as number) <= lastKey; slot++) consider(slot);
      }
    });
  });
}
