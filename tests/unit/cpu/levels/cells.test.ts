import { expect, it } from 'vitest';
import { createCpuLevelGrid } from '../../../../src/cpu';
import { LevelCells } from '../../../../src/cpu/levels/cells';

const PERIOD = 16;

it('near a point on an axis that wraps, each cell is listed once', () => {
  const { world } = createCpuLevelGrid({
    dimensions: 2,
    min: [0, 0],
    max: [PERIOD, PERIOD],
    periodic: true,
    radii: { smallest: 0.5, largest: 2 },
    capacity: 1,
  });
  const cells = new LevelCells(world, 64);
  const [found, expected]: [string[], string[]] = [[], []];
  for (const level of [0, 1, 2]) {
    const edge = 2 ** level;
    const count = PERIOD / edge;
    for (let position = 0.25; position < PERIOD; position += 0.5) {
      for (let radius = 0.5; radius <= PERIOD / 2; radius++) {
        const name = `level ${level}, position ${position}, radius ${radius}: `;
        const parts = cells.within(position, radius, 0, level);
        const list: number[] = [];
        for (let part = 0; part < parts.length; part += 2) {
          for (let cell = parts[part] as number; cell <= (parts[part + 1] as number); cell++) list.push(cell);
        }
        found.push(name + list.sort((a, b) => a - b).join());
        // The list has one more cell on each side than the radius reaches.
        const first = Math.floor((position - radius) / edge) - 1;
        const last = Math.floor((position + radius) / edge) + 1;
        const near = Array.from({ length: count }, (_, cell) => cell).filter((cell) =>
          [cell - count, cell, cell + count].some((image) => image >= first && image <= last),
        );
        expected.push(name + near.join());
      }
    }
  }
  expect(found).toEqual(expected);
});
