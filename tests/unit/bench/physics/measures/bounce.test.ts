/** Bounces give the known figures: a gas keeps its energy, and a ball loses three quarters of its height. */
import { expect, it } from 'vitest';
import { figuresOf, findCase, SMALL, scriptedEngine } from '../cases';

it.each([2, 3] as const)('an elastic gas keeps its energy in %dD', async (dimensions) => {
  const name = `elastic gas of 30 ${dimensions === 2 ? 'discs' : 'balls'}`;
  const { 'change of energy, 200 steps': change } = await figuresOf(
    findCase('bounce', dimensions, name, SMALL),
  );
  expect(change).toBeLessThan(1e-6);
});

it.each(['a wall', 'an obstacle'])('a ball with restitution 0.5 keeps its heights on %s', async (floor) => {
  const figures = await figuresOf(findCase('bounce', 2, `ball dropped on ${floor}`));
  expect((figures['height 1'] as number) / 2.5).toBeCloseTo(1, 1);
  expect((figures['height 2'] as number) / 0.625).toBeCloseTo(1, 1);
  expect((figures['height 3'] as number) / 0.156).toBeCloseTo(1, 1);
});

it('a ball with restitution 0 stays on a wall, and is thrown up by an obstacle', async () => {
  const heightOn = async (floor: string) =>
    (await figuresOf(findCase('bounce', 3, `ball dropped on ${floor}, restitution 0`)))['height after 1.6 s'];
  expect(await heightOn('a wall')).toBeLessThan(1e-3);
  expect(await heightOn('an obstacle')).toBeGreaterThan(0.5);
});

it('a ball that never bounces has no heights', async () => {
  const still = { positions: Float32Array.of(4, 0.5), velocities: new Float32Array(2) };
  const engine = scriptedEngine(() => still);
  const figures = await figuresOf(findCase('bounce', 2, 'ball dropped on a wall'), engine);
  expect(Object.values(figures)).toEqual([Number.NaN, Number.NaN, Number.NaN]);
});
