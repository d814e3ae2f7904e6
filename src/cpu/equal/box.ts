/**
 * Finds the particles in a box, bounds included. Computes in doubles. In a periodic world, any image of a particle
 * counts. A box that begins outside the world is moved by whole periods, which may round its ends.
 */
import { latticeCoordinate } from '../../core/world/cells';
import type { World } from '../../core/world/world';
import { lowerBound } from '../shared/lattice';
import { visitCells } from './hashed';
import { forEachOf } from './near';
import type { CellOrder } from './order';

export interface Side {
  /** The ends of the box, moved by whole periods so that `from` is in the world. */
  readonly from: number;
  readonly to: number;
  /** The period; 0 along axes that are not periodic, or that the box covers. */
  readonly period: number;
  /**
   * The search visits the cells from position `low` to `high`; if `crosses`, across the end of the world. Along a
   * periodic axis, this range is wider than the box, because stored positions are rounded.
   */
  readonly low: number;
  readonly high: number;
  readonly crosses: boolean;
}

/**
 * isInside starts from the image one period below the position and raises it by at most this many periods. The box
 * begins in the world and is shorter than a period, so higher images are above it.
 */
const IMAGES = 3;

/** Relative margin, greater than the rounding of a position that was wrapped in 32 bits. */
const WRAP_ROUNDING = 2 ** -22;

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

/** Visits the slots of particles in a box, in no particular order. */
export function visitInBox(
  order: CellOrder,
  positions: Float32Array,
  min: readonly number[],
  max: readonly number[],
  visit: (slot: number) => void,
): void {
  const { world } = order.lattice;
  const { activeCount } = order;
  const sides = sidesOf(world, min, max);
  if (sides === undefined) return;
  const consider = (slot: number) => {
    if (isInside(sides, positions, slot)) visit(slot);
  };
  if (countRows(world, sides) > activeCount) for (let slot = 0; slot < activeCount; slot++) consider(slot);
  else if (world.kind === 'unbounded') visitUnbounded(order, sides, consider);
  else visitRows(order, sides, consider);
}

export function sidesOf(world: Ends, min: readonly number[], max: readonly number[]): Side[] | undefined {
  if (min.some((low, axis) => low > (max[axis] as number))) return undefined;
  return min.map((low, axis) => sideOf(world, low, max[axis] as number, axis));
}

/** Returns whether a particle is in the box. `stride` is the number of words from one position to the next. */
export function isInside(
  sides: readonly Side[],
  positions: Float32Array,
  slot: number,
  stride: number = sides.length,
): boolean {
  for (let axis = 0; axis < sides.length; axis++) {
    const { from, to, period } = sides[axis] as Side;
    const position = positions[stride * slot + axis] as number;
    if (period === 0) {
      if (position < from || position > to) return false;
    } else {
      // The far end of the world is rounded, so a position may lie slightly above `min` + period. Then the image one
      // period lower counts, too.
      let image = position - period;
      for (let more = 0; more < IMAGES && image < from; more++) image += period;
      if (!(image >= from && image <= to)) return false;
    }
  }
  return true;
}

function sideOf(world: Ends, min: number, max: number, axis: number): Side {
  const period = world.period[axis] as number;
  if (period === 0) return { from: min, to: max, period, low: min, high: max, crosses: false };
  const origin = world.min[axis] as number;
  const margin = WRAP_ROUNDING * (Math.abs(origin) + period);
  if (max - min >= period) return { ...ALL, from: ALL.low, to: ALL.high, period: 0 };
  const moved = min >= origin && min < origin + period ? 0 : period * Math.floor((min - origin) / period);
  // Far out, doubles do not resolve a period, so the box begins where the world does.
  const isFarOut = !(Math.abs(min - moved - origin) <= 2 * period);
  const [from, to] = isFarOut ? [origin, origin + (max - min)] : [min - moved, max - moved];
  if (max - min + 2 * margin >= period) return { ...ALL, from, to, period };
  const wrapped = (coordinate: number) =>
    coordinate < origin
      ? coordinate + period
      : coordinate >= origin + period
        ? coordinate - period
        : coordinate;
  const [low, high] = [wrapped(from - margin), wrapped(to + margin)];
  return { from, to, period, low, high, crosses: high < low };
}

const ALL = {
  low: Number.NEGATIVE_INFINITY,
  high: Number.POSITIVE_INFINITY,
  crosses: false,
} as const;

/** Returns the first and the last cell of one range, or of two. */
function cellsOf(world: World, { low, high, crosses }: Side, axis: number): readonly number[] {
  const period = world.period[axis] as number;
  const far = period > 0 ? Math.fround((world.min[axis] as number) + period) : Number.POSITIVE_INFINITY;
  // Rounding may move a corner to the far end, which latticeCoordinate puts into the first cell.
  const [first, last] = [low, high].map((position) =>
    position >= far ? (world.cells[axis] as number) - 1 : latticeCoordinate(world, position, axis),
  ) as [number, number];
  if (!crosses) return [first, last];
  const end = (world.cells[axis] as number) - 1;
  return last >= first ? [0, end] : [0, last, first, end];
}

/** Returns the number of rows in the box; in an unbounded world, the number of cells. */
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
  const { keys, activeCount, lattice } = order;
  const { world, rowStride, layerStride } = lattice;
  // Along axes that wrap, cells begin at 0, but their coordinates in keys begin at 1.
  const [columns, rows, layers = [0, 0]] = sides.map((side, axis) =>
    cellsOf(world, side, axis).map((cell) => cell + ((world.period[axis] as number) > 0 ? 1 : 0)),
  ) as [number[], number[], number[]?];
  forEachOf(layers, (layer) => {
    forEachOf(rows, (row) => {
      for (let part = 0; part < columns.length; part += 2) {
        const rowKey = layer * layerStride + row * rowStride;
        const lastKey = rowKey + (columns[part + 1] as number);
        let slot = lowerBound(keys, activeCount, rowKey + (columns[part] as number));
        for (; (keys[slot] as number) <= lastKey; slot++) consider(slot);
      }
    });
  });
}
