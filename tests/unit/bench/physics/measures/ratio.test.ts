/** Heavy on light gives the known figures: small ratios hold, large ones sink in 3D. */
import { expect, it } from 'vitest';
import { RAPIER } from '../../../../../bench/physics/engines/rapier';
import { ratioScene } from '../../../../../bench/physics/measures/ratio';
import { figuresOf, findCase } from '../cases';

it('the upper ball touches the lower one at the start', () => {
  const [lower, upper] = ratioScene(3, 15).bodies;
  expect([lower?.size, upper?.size]).toEqual([1, 15]);
  expect((upper?.position[1] as number) - (lower?.position[1] as number)).toBe(16);
});

it('equal balls hold the gap, in 2D and 3D', async () => {
  for (const dimensions of [2, 3] as const) {
    const figures = await figuresOf(findCase('ratio', dimensions, 'radius 1 on radius 1'));
    expect(figures['lowest gap, 1.5 to 2 s']).toBeCloseTo(1, 2);
    expect(figures['highest gap, 9.5 to 10 s']).toBeCloseTo(1, 2);
    expect(figures['centres have passed']).toBe(0);
  }
});

it('a ball of radius 10 still moves after ten seconds in 3D, and one of radius 20 lies on the floor', async () => {
  const ten = await figuresOf(findCase('ratio', 3, 'radius 10 on radius 1'));
  expect(ten['lowest gap, 9.5 to 10 s']).toBeGreaterThan(0.8);
  expect(ten['lowest gap, 9.5 to 10 s']).toBeLessThan(0.98);
  expect(ten['speed, 9.5 to 10 s']).toBeGreaterThan(0.1);
  const twenty = await figuresOf(findCase('ratio', 3, 'radius 20 on radius 1'));
  expect(twenty['highest gap, 9.5 to 10 s']).toBeLessThan(0.01);
});

it('Rapier holds a ratio of 5 in 2D', async () => {
  const figures = await figuresOf(findCase('ratio', 2, 'radius 5 on radius 1'), RAPIER);
  expect(figures['lowest gap, 9.5 to 10 s']).toBeGreaterThan(0.98);
});
