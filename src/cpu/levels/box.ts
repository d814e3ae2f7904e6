/**
 * Purpose: which particles of different sizes are in a box, and which may reach into one: level by level, in the cells of
 * the box, or so far around it as the largest there reach. Where these are more than the particles, all are asked.
 */
import { isInside, sidesOf } from '../equal/box';
import { wrapPoint } from '../equal/near';
import { cellsIn, listSlots, visitLevelCells } from './near';
import type { LevelOrder } from './order';

/** Whose centres are in a box, bounds included: their sources, ascending. As findInBox of box.ts. */
export function findInBoxLevels(
  order: LevelOrder,
  min: readonly number[],
  max: readonly number[],
): Uint32Array {
  const { lattice, filing, live, cells, source, positions } = order;
  const sides = sidesOf(lattice.world, min, max);
  if (sides === undefined) return new Uint32Array(0);
  const found: number[] = [];
  const consider = (slot: number) => {
    if (isInside(sides, positions, slot)) found.push(source[slot] as number);
  };
  const levels = [...filing.used.subarray(0, filing.usedLevels)].map((level) => ({
    level,
    parts: sides.map((side, axis) => cells.clip(cells.between(side, axis, level), axis, level)),
  }));
  // Of cells with buckets of their own, those along x are looked up at once.
  const looked = levels.reduce((sum, { parts }) => {
    const counts = parts.map(cellsIn);
    if (cells.isDense) counts[0] = Math.min(counts[0] as number, 1);
    return sum + counts.reduce((product, count) => product * count, 1);
  }, 0);
  if (looked > live) for (let slot = 0; slot < live; slot++) consider(slot);
  else for (const { level, parts } of levels) visitLevelCells(order, level, parts, consider);
  return Uint32Array.from(found).sort();
}

/**
 * Who may reach into a box: the low corner must not be above the high one; `wider` is how much wider all are taken to
 * be. Calls `visit` with the slot of each; others nearby are among them. Ordering: none.
 */
export function visitBoxLevels(
  order: LevelOrder,
  low: readonly number[],
  high: readonly number[],
  wider: number,
  visit: (slot: number) => void,
): void {
  const { lattice, filing, live, cells } = order;
  const { baseDiameter } = lattice.world;
  const middle = low.map((along, axis) => (along + (high[axis] as number)) / 2);
  const centre = wrapPoint(lattice, middle);
  const slots: number[] = [];
  let looked = 0;
  for (let place = 0; place < filing.usedLevels; place++) {
    const level = filing.used[place] as number;
    const reach = (wider * baseDiameter * 2 ** level) / 2;
    const parts = centre.map((coordinate, axis) => {
      const half = ((high[axis] as number) - (low[axis] as number)) / 2 + reach;
      return cells.clip(cells.within(coordinate, half, axis, level), axis, level);
    });
    looked += parts.reduce((product, part) => product * cellsIn(part), 1);
    if (looked > live) {
      for (let slot = 0; slot < live; slot++) visit(slot);
      return;
    }
    listSlots(order, level, parts, slots);
  }
  for (const slot of slots) visit(slot);
}
