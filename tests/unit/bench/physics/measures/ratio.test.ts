import { expect, it } from 'vitest';
import { RAPIER } from '../../../../../bench/physics/engines/rapier';
import { ratioScene } from '../../../../../bench/physics/measures/ratio';
import { figuresOf, findCase, scriptedEngine } from '../cases';

it('the upper ball touches the lower one at the start', () => {
  const [lower, upper] = ratioScene(3, 15).bodies;
  expect([lower?.size, upper?.size]).toEqual([1, 15]);
  expect((upper?.position[1] as number) - (lower?.position[1] as number)).toBe(16);
});

it('a dropped ball starts above the lower one', () => {
  const { bodies, obstacles } = ratioScene(2, 5, 0.5, 'obstacle', 0.25);
  expect((bodies[1]?.position[1] as number) - (bodies[0]?.position[1] as number)).toBe(6.25);
  expect(obstacles).toHaveLength(1);
});

const GAPS = [
  'lowest gap, 1.5 to 2 s',
  'highest gap, 1.5 to 2 s',
  'lowest gap, 9.5 to 10 s',
  'highest gap, 9.5 to 10 s',
];

it.each(
  ([2, 3] as const).flatMap((dimensions) =>
    [1, 5, 10, 15, 20].flatMap((ratio) =>
      ['', ', restitution 0.5', ' on an obstacle', ' on an obstacle, restitution 0.5'].map(
        (end) => [dimensions, `radius ${ratio} on radius 1${end}`] as const,
      ),
    ),
  ),
)('in %dD, the gap below the upper ball changes by at most 2 percent: %s', async (dimensions, scene) => {
  const figures = await figuresOf(findCase('ratio', dimensions, scene));
  for (const gap of GAPS) {
    expect(figures[gap]).toBeGreaterThanOrEqual(0.98);
    expect(figures[gap]).toBeLessThanOrEqual(1.02);
  }
  expect(figures['centres have passed']).toBe(0);
});

it.each(([2, 3] as const).flatMap((dimensions) => [2, 5].map((ratio) => [dimensions, ratio] as const)))(
  'in %dD, a ball of radius %d that drops onto a stack comes to rest',
  async (dimensions, ratio) => {
    const scene = `radius ${ratio} on 2 of radius 1, restitution 0.5, dropped by 0.2`;
    const figures = await figuresOf(findCase('ratio', dimensions, scene));
    expect(figures['lowest gap, 9.5 to 10 s']).toBeGreaterThanOrEqual(0.98);
    expect(figures['highest gap, 9.5 to 10 s']).toBeLessThanOrEqual(1.02);
    expect(figures['speed, 9.5 to 10 s']).toBeLessThan(0.25);
  },
);

it('a ball of radius 20 is almost at rest after ten seconds in 3D', async () => {
  const figures = await figuresOf(findCase('ratio', 3, 'radius 20 on radius 1'));
  expect(figures['speed, 9.5 to 10 s']).toBeLessThan(0.005);
});

it('Rapier holds a ratio of 5 in 2D, but lets a ball of radius 20 sink to the floor in 3D', async () => {
  const five = await figuresOf(findCase('ratio', 2, 'radius 5 on radius 1'), RAPIER);
  expect(five['lowest gap, 9.5 to 10 s']).toBeGreaterThan(0.98);
  const twenty = await figuresOf(findCase('ratio', 3, 'radius 20 on radius 1'), RAPIER);
  expect(twenty['highest gap, 9.5 to 10 s']).toBeLessThan(0.01);
});

it('the figures give the extremes in both windows of time, and whether the centres pass each other at any time', async () => {
  const one = findCase('ratio', 2, 'radius 1 on radius 1');
  // The upper ball's centre is below the lower ball's only at step 30. In each window, the upper ball moves once.
  const heights = new Map([
    [30, 0.5],
    [100, 2.9],
    [580, 3.2],
  ]);
  const engine = scriptedEngine((steps) => ({
    positions: Float32Array.of(6, 1, 6, heights.get(steps) ?? 3),
    velocities: Float32Array.of(0, 0, 0, steps === 580 ? -2 : 0),
  }));
  const figures = await figuresOf(one, engine);
  const expected = [0.95, 1, 0, 1, 1.1, 2, 1];
  Object.values(figures).forEach((value, index) => {
    expect(value).toBeCloseTo(expected[index] as number, 6);
  });
  const passed = 'centres have passed';
  heights.delete(30);
  expect((await figuresOf(one, engine))[passed]).toBe(0);
  heights.set(300, 0.5);
  expect((await figuresOf(one, engine))[passed]).toBe(1);
});
