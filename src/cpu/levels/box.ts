/** Finds particles with variable radii in a box. If lookups would outnumber the particles, tests all particles. */
import { isInside, sidesOf } from '../equal/box';
import { wrapPoint } from '../equal/near';
import { cellsIn, listSlots, visitLevelCells } from './near';
import type { LevelOrder } from './order';

export function findInBoxLevels(
  order: LevelOrder,
  min: readonly number[],
  max: readonly number[],
): Uint32Array {
  const { lattice, levelChoice, activeCount, cells, source, positions } = order;
  const sides = sidesOf(lattice.world, min, max);
  if (sides === undefined) return new Uint32Array(0);
  const found: number[] = [];
  const consider = (slot: number) => {
    if (isInside(sides, positions, slot)) found.push(source[slot] as number);
  };
  const levels = [...levelChoice.used.subarray(0, levelChoice.usedLevels)].map((level) => ({
    level,
    parts: sides.map((side, axis) => cells.clip(cells.between(side, axis, level), axis, level)),
  }));
  // If each cell has its own bucket, a row of cells takes one lookup.
  const lookups = levels.reduce((sum, { parts }) => {
    const counts = parts.map(cellsIn);
    if (cells.isDense) counts[0] = Math.min(counts[0] as number, 1);
    return sum + counts.reduce((product, count) => product * count, 1);
  }, 0);
  if (lookups > activeCount) for (let slot = 0; slot < activeCount; slot++) consider(slot);
  else for (const { level, parts } of levels) visitLevelCells(order, level, parts, consider);
  return Uint32Array.from(found).sort();
}

/**
 * Visits the slot of every particle that reaches into a box, and perhaps others. `low` must not be above `high`.
 * `wider` scales radii.
 */
export function visitBoxLevels(
  order: LevelOrder,
  low: readonly number[],
  high: readonly number[],
  wider: number,
  visit: (slot: number) => void,
): void {
  const { lattice, levelChoice, activeCount, cells } = order;
  const { baseDiameter } = lattice.world;
  const middle = low.map((along, axis) => (along + (high[axis] as number)) / 2);
  const centre = wrapPoint(lattice, middle);
  const slots: number[] = [];
  let lookups = 0;
  for (let index = 0; index < levelChoice.usedLevels; index++) {
    const level = levelChoice.used[index] as number;
    const reach = (wider * baseDiameter * 2 ** level) / 2;
    const parts = centre.map((coordinate, axis) => {
      const half = ((high[axis] as number) - (low[axis] as number)) / 2 + reach;
      return cells.clip(cells.within(coordinate, half, axis, level), axis, level);
    });
    lookups += parts.reduce((product, part) => product * cellsIn(part), 1);
    if (lookups > activeCount) {
      for (let slot = 0; slot < activeCount; slot++) visit(slot);
      return;
    }
    listSlots(order, level, parts, slots);
  }
  for (const slot of slots) visit(slot);
}
