/** The slope gives the known figures of cellstorm's contact law, and rigid-body engines stand. */
import { describe, expect, it } from 'vitest';
import { BOX2D3 } from '../../../../../bench/physics/engines/box2d3';
import { RAPIER } from '../../../../../bench/physics/engines/rapier';
import { coulombDistance } from '../../../../../bench/physics/measures/slope';
import { figuresOf, findCase } from '../cases';

const speedOn = async (dimensions: 2 | 3, scene: string) =>
  (await figuresOf(findCase('slope', dimensions, scene))).speed as number;

describe('a body below its friction angle', () => {
  it('stands on a wall', async () => {
    expect(await speedOn(2, '20°, ball on a wall')).toBeLessThan(1e-4);
    expect(await speedOn(3, '20°, box on a wall')).toBeLessThan(1e-4);
  });

  it.each([
    [2, 5, 0.0101],
    [2, 10, 0.0201],
    [2, 20, 0.0394],
    [3, 5, 0.0934],
    [3, 10, 0.186],
    [3, 20, 0.365],
  ] as const)('slides on an obstacle in %dD at %d° at %f diameters/s', async (dimensions, degrees, speed) => {
    for (const shape of ['ball', 'box']) {
      const measured = await speedOn(dimensions, `${degrees}°, ${shape} on an obstacle`);
      expect(measured / speed).toBeCloseTo(1, 1);
    }
  });

  it('slides on a body of its own shape', async () => {
    expect(await speedOn(2, '5°, ball on a ball')).toBeGreaterThan(5e-3);
    expect(await speedOn(3, '5°, box on a box')).toBeGreaterThan(5e-2);
  });

  it.each([BOX2D3, RAPIER])('stands in $name', async (engine) => {
    for (const scene of ['20°, ball on a wall', '20°, box on an obstacle', '20°, ball on a ball']) {
      const { speed } = await figuresOf(findCase('slope', 2, scene), engine);
      expect(speed).toBeLessThan(1e-4);
    }
  });
});

describe('a body above its friction angle', () => {
  const excess = 'acceleration above Coulomb';

  it('slides on a wall with the acceleration of Coulomb, in all engines', async () => {
    const scene = findCase('slope', 2, '30°, box on a wall');
    for (const engine of [undefined, BOX2D3, RAPIER]) {
      expect(Math.abs((await figuresOf(scene, engine))[excess] as number)).toBeLessThan(1);
    }
    // At 30° and friction 0.5 the acceleration is 0.067 g.
    expect(coulombDistance(30)).toBeCloseTo(1.5 * 9.81 * 0.067, 2);
  });

  it('slides too fast on an obstacle', async () => {
    const on = async (dimensions: 2 | 3) =>
      (await figuresOf(findCase('slope', dimensions, '30°, ball on an obstacle')))[excess];
    expect(await on(2)).toBeCloseTo(3.5, 0);
    expect(await on(3)).toBeCloseTo(32, 0);
  });
});
