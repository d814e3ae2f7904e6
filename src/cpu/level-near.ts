/**
 * Purpose: which particles of different radii have their centres near a point. Inputs: their order, a point, a radius
 * (where the world wraps around, half the shortest period at most). Calls `visit` with the source of each particle no
 * farther than that, and its distance². Ordering: canonical. Takes as much memory as is looked at.
 */
import type { LevelOrder } from './level-order';
import { bringInside, forEachOf, type Visit, visitAll, visitSlots } from './near';
import { type Nearest, widen } from './nearest';

export function visitNearLevels(
  order: LevelOrder,
  point: readonly number[],
  radius: number,
  visit: Visit,
): void {
  const { lattice, filing, live } = order;
  const centre = bringInside(lattice, point);
  const slots: number[] = [];
  let looked = 0;
  for (let place = 0; place < filing.usedLevels; place++) {
    const level = filing.used[place] as number;
    const parts = centre.map((coordinate, axis) =>
      order.cells.clip(order.cells.within(coordinate, radius, axis, level), axis, level),
    );
    looked += parts.reduce((product, part) => product * cellsIn(part), 1);
    if (looked > live) {
      visitAll(order, order.positions, point, radius, visit);
      return;
    }
    listSlots(order, level, parts, slots);
  }
  slots.sort((a, b) => a - b);
  visitSlots(order, order.positions, centre, radius, slots, visit);
}

/** As findNearest of nearest.ts. */
export function findNearestLevels(
  order: LevelOrder,
  point: readonly number[],
  k: number,
  radius: number,
): Nearest {
  const { lattice, filing, live } = order;
  return widen(k, radius, {
    live,
    dimensions: lattice.dimensions,
    cellSize: lattice.world.baseDiameter * 2 ** (filing.used[0] as number),
    halfPeriod: Math.min(...lattice.periods) / 2,
    near: (reach, visit) => visitNearLevels(order, point, reach, visit),
    all: (visit) => visitAll(order, order.positions, point, radius, visit),
  });
}

export function cellsIn(parts: readonly number[]): number {
  return parts.reduce((sum, cell, index) => sum + (index % 2 === 0 ? -cell : cell + 1), 0);
}

/** The slots of the particles in some cells of a level. */
export function listSlots(
  order: LevelOrder,
  level: number,
  [columns = [], rows = [], layers = [0, 0]]: readonly (readonly number[])[],
  slots: number[],
): void {
  const { cells, starts, filed, lattice } = order;
  const inSpace = lattice.dimensions === 3;
  forEachOf(layers, (z) => {
    forEachOf(rows, (y) => {
      for (let part = 0; part < columns.length; part += 2) {
        const end = columns[part + 1] as number;
        for (let x = columns[part] as number; x <= end; ) {
          const last = Math.min(end, cells.lastTogether(x));
          const bucket = cells.bucket(x, y, z, level);
          const lastSlot = starts[bucket + last - x + 1] as number;
          for (let slot = starts[bucket] as number; slot < lastSlot; slot++) {
            if (filed[slot] !== level || order.cellOf(slot, 1) !== y) continue;
            const column = order.cellOf(slot, 0);
            if (column < x || column > last || (inSpace && order.cellOf(slot, 2) !== z)) continue;
            slots.push(slot);
          }
          x = last + 1;
        }
      }
    });
  });
}
