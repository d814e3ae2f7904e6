import { expect, it } from 'vitest';
import { impactScene } from '../../../../../bench/physics/measures/impact';
import { figuresOf, findCase, scriptedEngine } from '../cases';

it('the 49 bodies at rest touch, and the shot flies at them', () => {
  const [shot, first, second, ...others] = impactScene(3, 'ball').bodies;
  expect(others).toHaveLength(47);
  expect(shot?.velocity).toEqual([5, 0, 0]);
  expect((second?.position[1] as number) - (first?.position[1] as number)).toBe(1);
  expect(impactScene(2, 'box').bodies[8]?.position).toEqual([11, 17.5]);
});

it.each([
  [2, 'disc'],
  [2, 'square'],
  [3, 'ball'],
  [3, 'cube'],
] as const)(
  'in %dD, a %s that hits 49 at rest keeps the momentum and adds no energy',
  async (dimensions, body) => {
    const figures = await figuresOf(findCase('impact', dimensions, `a ${body} hits 49 at rest`));
    expect(Math.abs((figures['momentum after 3 s'] as number) - 1)).toBeLessThan(1e-6);
    expect(figures['energy after 3 s']).toBeLessThan(0.06);
  },
);

it('the figures compare momentum along x and energy with those at the start', async () => {
  const engine = scriptedEngine((steps) => ({
    positions: new Float32Array(4),
    velocities: steps < 180 ? Float32Array.of(4, 1, 0, 0) : Float32Array.of(1, 3, 2, 0),
  }));
  const figures = await figuresOf(findCase('impact', 2, 'a disc hits 49 at rest'), engine);
  expect(Object.values(figures)).toEqual([3 / 4, 14 / 17]);
});
