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

// The ball falls 10 units. The obstacle's push throws it up a little.
it.each([
  [2, 0.34],
  [3, 0.34],
] as const)(
  'in %dD, a ball with restitution 0 stays on a wall, and rises at most %f from an obstacle',
  async (dimensions, most) => {
    const heightOn = async (floor: string) =>
      (await figuresOf(findCase('bounce', dimensions, `ball dropped on ${floor}, restitution 0`)))[
        'height after 1.6 s'
      ];
    expect(await heightOn('a wall')).toBeLessThan(1e-3);
    expect(await heightOn('an obstacle')).toBeLessThan(most);
  },
);

it('a ball that never bounces has no heights', async () => {
  const still = { positions: Float32Array.of(4, 0.5), velocities: new Float32Array(2) };
  const engine = scriptedEngine(() => still);
  const figures = await figuresOf(findCase('bounce', 2, 'ball dropped on a wall'), engine);
  expect(Object.values(figures)).toEqual([Number.NaN, Number.NaN, Number.NaN]);
});
