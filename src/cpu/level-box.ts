/**
 * Purpose: which particles of different sizes may reach into a box: level by level, those in the cells so far around it as
 * the largest there reach. Inputs: their order, two corners (the low one not above the high one), how much wider all are
 * taken to be. Calls `visit` with the slot of each; others nearby are among them. Ordering: none.
 */
import { cellsIn, listSlots } from './level-near';
import type { LevelOrder } from './level-order';
import { bringInside } from './near';

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
  const centre = bringInside(lattice, middle);
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
