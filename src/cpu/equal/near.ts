/**
 * Visits the particles no farther than a radius from a point, in the order of slots. Ids are indices in the input.
 * In a periodic world, the radius is at most half the shortest period, or Infinity.
 */
import { cellCoordinate } from '../../core/world/cells';
import { type Lattice, lowerBound } from '../shared/lattice';
import { minimumDistance } from '../shared/overlap';
import { CellScale, visitCells } from './hashed';
import type { CellOrder } from './order';

export type Slots = Pick<CellOrder, 'activeCount' | 'lattice' | 'source'>;

export type Visit = (id: number, distanceSquared: number) => void;

export function visitNear(
  order: CellOrder,
  positions: Float32Array,
  point: readonly number[],
  radius: number,
  visit: Visit,
): void {
  const seek = { bounded: seekBounded, periodic: seekPeriodic, unbounded: seekUnbounded };
  seek[order.lattice.world.kind](order, positions, point, radius, visit);
}

function seekBounded(
  order: CellOrder,
  positions: Float32Array,
  point: readonly number[],
  radius: number,
  visit: Visit,
): void {
  const { keys, activeCount, lattice, source } = order;
  const { dimensions } = lattice;
  const [x, y, z = 0] = point as [number, number, number?];
  const limit = radius * radius;
  const firstColumn = cellAlong(lattice, 0, x - radius, -1);
  const width = cellAlong(lattice, 0, x + radius, 1) - firstColumn;
  const lastLayer = cellAlong(lattice, 2, z + radius, 1);
  const lastRow = cellAlong(lattice, 1, y + radius, 1);
  for (let layer = cellAlong(lattice, 2, z - radius, -1); layer <= lastLayer; layer++) {
    for (let row = cellAlong(lattice, 1, y - radius, -1); row <= lastRow; row++) {
      const firstKey = layer * lattice.layerStride + row * lattice.rowStride + firstColumn;
      let slot = lowerBound(keys, activeCount, firstKey);
      for (; (keys[slot] as number) <= firstKey + width; slot++) {
        const dx = (positions[dimensions * slot] as number) - x;
        const dy = (positions[dimensions * slot + 1] as number) - y;
        const dz = dimensions === 3 ? (positions[dimensions * slot + 2] as number) - z : 0;
        const distanceSquared = dx * dx + dy * dy + dz * dz;
        if (distanceSquared <= limit) visit(source[slot] as number, distanceSquared);
      }
    }
  }
}

/** Returns the cell of a position, plus `spare` to allow for rounding errors, clamped to the cells inside the ring. */
function cellAlong(lattice: Lattice, axis: number, position: number, spare: number): number {
  const { cells, min, inverseCellSize } = lattice.world;
  const count = cells[axis];
  if (count === undefined) return 0;
  const cell = cellCoordinate(position, min[axis] as number, inverseCellSize, count);
  return Math.max(1, Math.min(count - 2, cell + spare));
}

function seekPeriodic(
  order: CellOrder,
  positions: Float32Array,
  point: readonly number[],
  radius: number,
  visit: Visit,
): void {
  const { keys, activeCount, lattice, source } = order;
  const limit = radius * radius;
  const centre = wrapPoint(lattice, point);
  const [columns, rows, layers = [0, 0]] = centre.map((coordinate, axis) =>
    cellsAlong(lattice, axis, coordinate, radius),
  ) as [number[], number[], number[]?];
  forEachOf(layers, (layer) => {
    forEachOf(rows, (row) => {
      const rowKey = layer * lattice.layerStride + row * lattice.rowStride;
      for (let part = 0; part < columns.length; part += 2) {
        const lastKey = rowKey + (columns[part + 1] as number);
        let slot = lowerBound(keys, activeCount, rowKey + (columns[part] as number));
        for (; (keys[slot] as number) <= lastKey; slot++) {
          const distanceSquared = distanceSquaredTo(centre, positions, slot, lattice.periods);
          if (distanceSquared <= limit) visit(source[slot] as number, distanceSquared);
        }
      }
    });
  });
}

export function wrapPoint({ world }: Lattice, point: readonly number[]): number[] {
  return point.map((coordinate, axis) => {
    const low = world.min[axis] as number;
    const period = world.period[axis] as number;
    return period === 0 ? coordinate : coordinate - period * Math.floor((coordinate - low) / period);
  });
}

export function forEachOf(parts: readonly number[], call: (value: number) => void): void {
  for (let part = 0; part < parts.length; part += 2) {
    for (let value = parts[part] as number; value <= (parts[part + 1] as number); value++) call(value);
  }
}

/**
 * Returns the cells within `radius`, and one more on each side, as the ends of one or two ranges.
 * The first cell inside the ring is 1, as in keys.
 */
function cellsAlong(lattice: Lattice, axis: number, position: number, radius: number): number[] {
  const { world } = lattice;
  const period = world.period[axis] as number;
  if (period === 0) {
    return [cellAlong(lattice, axis, position - radius, -1), cellAlong(lattice, axis, position + radius, 1)];
  }
  const count = world.cells[axis] as number;
  const low = world.min[axis] as number;
  const cellAt = (inside: number) => {
    const cell = Math.floor((inside - low) * world.inverseCellSize);
    return Math.max(0, Math.min(count - 1, cell));
  };
  // Numbers below 0 and from `count` on stand for cells across an end.
  const below = position - radius < low;
  const above = position + radius >= low + period;
  const first = (below ? cellAt(position - radius + period) - count : cellAt(position - radius)) - 1;
  const last = (above ? cellAt(position + radius - period) + count : cellAt(position + radius)) + 1;
  if (last - first + 1 >= count) return [1, count];
  if (first < 0) return [1, last + 1, first + count + 1, count];
  if (last >= count) return [1, last - count + 1, first + 1, count];
  return [first + 1, last + 1];
}

function seekUnbounded(
  order: CellOrder,
  positions: Float32Array,
  point: readonly number[],
  radius: number,
  visit: Visit,
): void {
  const { activeCount, lattice } = order;
  const scale = new CellScale(lattice.world);
  const lowest = point.map((coordinate) => scale.cell(coordinate - radius) - 1);
  const highest = point.map((coordinate) => scale.cell(coordinate + radius) + 1);
  const cells = lowest.reduce((product, low, axis) => product * ((highest[axis] as number) - low + 1), 1);
  if (cells > activeCount) {
    visitAll(order, positions, point, radius, visit);
    return;
  }
  const slots: number[] = [];
  visitCells(order, lowest, highest, (slot) => slots.push(slot));
  slots.sort((a, b) => a - b);
  visitSlots(order, positions, point, radius, slots, visit);
}

/** Tests all particles, so the radius may be of any size. */
export function visitAll(
  order: Slots,
  positions: Float32Array,
  point: readonly number[],
  radius: number,
  visit: Visit,
): void {
  const slots = { length: order.activeCount };
  visitSlots(order, positions, wrapPoint(order.lattice, point), radius, slots, visit);
}

/** Visits those of `slots` within the radius. Without elements, `slots` stands for all slots below its length. */
export function visitSlots(
  order: Slots,
  positions: Float32Array,
  point: readonly number[],
  radius: number,
  slots: { readonly length: number; readonly [index: number]: number },
  visit: Visit,
): void {
  const { lattice, source } = order;
  const limit = radius * radius;
  for (let index = 0; index < slots.length; index++) {
    const slot = slots[index] ?? index;
    const distanceSquared = distanceSquaredTo(point, positions, slot, lattice.periods);
    if (distanceSquared <= limit) visit(source[slot] as number, distanceSquared);
  }
}

function distanceSquaredTo(
  point: readonly number[],
  positions: Float32Array,
  slot: number,
  periods: readonly number[],
): number {
  let sum = 0;
  for (let axis = 0; axis < point.length; axis++) {
    const apart = (positions[point.length * slot + axis] as number) - (point[axis] as number);
    sum += minimumDistance(apart, periods[axis] as number) ** 2;
  }
  return sum;
}
