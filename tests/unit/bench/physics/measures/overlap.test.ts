/** Deep overlaps give the known figures, and their scenes are the same every time. */
import { expect, it } from 'vitest';
import { crowdScene } from '../../../../../bench/physics/measures/overlap';
import { figuresOf, findCase, scriptedEngine } from '../cases';

it('a crowd lies in its square, has small velocities, and is the same every time', () => {
  const request = [2, { count: 12, edge: 1 }, { world: 20, gravity: 0, speed: 1 }] as const;
  const scene = crowdScene(...request);
  expect(crowdScene(...request)).toEqual(scene);
  expect(scene.bodies).toHaveLength(12);
  for (const { position, velocity } of scene.bodies) {
    for (const along of position) expect(Math.abs(along - 10)).toBeLessThanOrEqual(0.5);
    for (const speed of velocity ?? []) expect(Math.abs(speed)).toBeLessThanOrEqual(1);
  }
  expect(scene.bodies[0]?.position).toEqual([9.8505859375, 9.58984375]);
});

it.each([
  ['12 discs in 1 × 1', 1.5, 6],
  ['60 discs in 1 × 1', 60, 250],
  ['200 discs in 3 × 3', 1500, 8000],
])('%s gain energy', async (scene, least, most) => {
  const figures = await figuresOf(findCase('overlap', 2, scene));
  expect(figures['energy after one step']).toBeGreaterThan(least);
  expect(figures['energy after one step']).toBeLessThan(most);
  expect(figures['deepest overlap after 1 s']).toBeLessThan(0.2);
});

it('50 discs at rest leave 30 times as fast as a fall of 28 units/s', async () => {
  const scene = findCase('overlap', 2, '50 discs in 1 × 1 at rest, gravity 9.81');
  expect((await figuresOf(scene))['greatest speed after one step']).toBeCloseTo(854 / 28, -1);
});

it('finds the greatest energy and speed of the first second, and the first and last energy', async () => {
  const engine = scriptedEngine((steps) => ({
    positions: Float32Array.of(0, 0, 0, 0.75),
    velocities: Float32Array.of(
      0,
      0,
      0,
      new Map([
        [1, 2],
        [30, 4],
        [60, 3],
        [61, 9],
      ]).get(steps) ?? 1,
    ),
  }));
  const drifting = await figuresOf(findCase('overlap', 2, '12 discs in 1 × 1'), engine);
  expect(Object.values(drifting)).toEqual([4, 9, 16, 0.25]);
  const resting = findCase('overlap', 2, '50 discs in 1 × 1 at rest, gravity 9.81');
  const fall = Math.sqrt(2 * 9.81 * 40);
  expect(Object.values(await figuresOf(resting, engine))).toEqual([2 / fall, 4 / fall]);
});
