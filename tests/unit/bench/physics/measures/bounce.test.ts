import { expect, it } from 'vitest';
import { figuresOf, findCase, SMALL, scriptedEngine } from '../cases';

it.each([2, 3] as const)('an elastic gas keeps its energy in %dD', async (dimensions) => {
  const name = `elastic gas of 30 ${dimensions === 2 ? 'discs' : 'balls'}`;
  const { 'change of energy, 200 steps': change } = await figuresOf(
    findCase('bounce', dimensions, name, SMALL),
  );
  expect(change).toBeLessThan(1e-6);
});

it.each([
  [2, 'a wall'],
  [2, 'an obstacle'],
  [3, 'a wall'],
  [3, 'an obstacle'],
] as const)(
  'in %dD, a ball with restitution 0.5 rises to the right heights on %s',
  async (dimensions, floor) => {
    const figures = await figuresOf(findCase('bounce', dimensions, `ball dropped on ${floor}`));
    [2.5, 0.625, 0.15625].forEach((right, bounce) => {
      const error = (figures[`height ${bounce + 1}`] as number) / right - 1;
      expect(Math.abs(error)).toBeLessThanOrEqual(0.025);
    });
  },
);

it.each([2, 3] as const)(
  'in %dD, a ball with restitution 0 stays on a wall and on an obstacle',
  async (dimensions) => {
    for (const floor of ['a wall', 'an obstacle']) {
      const scene = `ball dropped on ${floor}, restitution 0`;
      const figures = await figuresOf(findCase('bounce', dimensions, scene));
      expect(figures['height after 1.6 s']).toBeLessThan(1e-3);
    }
  },
);

it('a ball that never bounces has no heights', async () => {
  const still = { positions: Float32Array.of(4, 0.5), velocities: new Float32Array(2) };
  const engine = scriptedEngine(() => still);
  const figures = await figuresOf(findCase('bounce', 2, 'ball dropped on a wall'), engine);
  expect(Object.values(figures)).toEqual([Number.NaN, Number.NaN, Number.NaN]);
});
