/** Visits the particles with variable radii whose centres are within a search radius; see ../equal/near.ts. */

import { forEachOf, type Visit, visitAll, visitSlots, wrapPoint } from '../equal/near';
import { type Nearest, widen } from '../equal/nearest';
import type { LevelOrder } from './order';

export function visitNearLevels(
  order: LevelOrder,
  point: readonly number[],
  radius: number,
  visit: Visit,
): void {
  const { lattice, levelChoice, activeCount } = order;
  const centre = wrapPoint(lattice, point);
  const slots: number[] = [];
  let cellCount = 0;
  for (let index = 0; index < levelChoice.usedLevels; index++) {
    const level = levelChoice.used[index] as number;
    const parts = centre.map((coordinate, axis) =>
      order.cells.clip(order.cells.within(coordinate, radius, axis, level), axis, level),
    );
    cellCount += parts.reduce((product, part) => product * cellsIn(part), 1);
    if (cellCount > activeCount) {
      visitAll(order, order.positions, point, radius, visit);
      return;
    }
    listSlots(order, level, parts, slots);
  }
  slots.sort((a, b) => a - b);
  visitSlots(order, order.positions, centre, radius, slots, visit);
}

export function findNearestLevels(
  order: LevelOrder,
  point: readonly number[],
  k: number,
  radius: number,
): Nearest {
  const { lattice, levelChoice, activeCount } = order;
  return widen(k, radius, {
    activeCount,
    dimensions: lattice.dimensions,
    cellSize: lattice.world.baseDiameter * 2 ** (levelChoice.used[0] as number),
    halfPeriod: Math.min(...lattice.periods) / 2,
    near: (reach, visit) => visitNearLevels(order, point, reach, visit),
    all: (visit) => visitAll(order, order.positions, point, radius, visit),
  });
}

/** Returns the number of cells in ranges. A range that ends before it begins is empty. */
export function cellsIn(parts: readonly number[]): number {
  let sum = 0;
  for (let part = 0; part < parts.length; part += 2) {
    sum += Math.max(0, (parts[part + 1] as number) - (parts[part] as number) + 1);
  }
  return sum;
}

export function listSlots(
  order: LevelOrder,
  level: number,
  parts: readonly (readonly number[])[],
  slots: number[],
): void {
  visitLevelCells(order, level, parts, (slot) => slots.push(slot));
}

/**
 * Visits the slots of the cells in ranges along x, y and, in 3D, z. A range is its first and its last cell. The cells
 * must have buckets.
 */
export function visitLevelCells(
  order: LevelOrder,
  level: number,
  [columns = [], rows = [], layers = [0, 0]]: readonly (readonly number[])[],
  visit: (slot: number) => void,
): void {
  forEachOf(layers, (z) => {
    forEachOf(rows, (y) => {
      for (let part = 0; part < columns.length; part += 2) {
        visitLevelRow(order, level, columns[part] as number, columns[part + 1] as number, y, z, visit);
      }
    });
  });
}

/** Visits the slots of a row's cells from `first` to `end`, both included. */
export function visitLevelRow(
  order: LevelOrder,
  level: number,
  first: number,
  end: number,
  y: number,
  z: number,
  visit: (slot: number) => void,
): void {
  const { cells, starts, assignedLevels, lattice } = order;
  const { isDense } = cells;
  const is3D = lattice.dimensions === 3;
  for (let x = first; x <= end; ) {
    const last = Math.min(end, cells.lastTogether(x));
    const bucket = cells.bucket(x, y, z, level);
    const lastSlot = starts[bucket + last - x + 1] as number;
    for (let slot = starts[bucket] as number; slot < lastSlot; slot++) {
      if (!isDense) {
        if (assignedLevels[slot] !== level || order.cellOf(slot, 1) !== y) continue;
        const column = order.cellOf(slot, 0);
        if (column < x || column > last || (is3D && order.cellOf(slot, 2) !== z)) continue;
      }
      visit(slot);
    }
    x = last + 1;
  }
}
