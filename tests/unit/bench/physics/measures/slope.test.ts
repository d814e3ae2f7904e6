import { describe, expect, it } from 'vitest';
import { advance, stepsIn, withRun } from '../../../../../bench/physics/engine';
import { BOX2D3 } from '../../../../../bench/physics/engines/box2d3';
import { CELLSTORM_CPU } from '../../../../../bench/physics/engines/cellstorm';
import { RAPIER } from '../../../../../bench/physics/engines/rapier';
import { coulombAcceleration, hillScene, slopeScene } from '../../../../../bench/physics/measures/slope';
import { figuresOf, findCase } from '../cases';

const speedOn = async (dimensions: 2 | 3, scene: string) =>
  (await figuresOf(findCase('slope', dimensions, scene))).speed as number;

/** Greatest speed of a body that stands, in diameters/s. */
const STANDS = 1e-4;
/** Ends of the names of scenes with either restitution. */
const RESTITUTIONS = ['', ', restitution 0.5'];

it('a pair of bodies lies on a wall or on an obstacle', () => {
  for (const [support, heights] of [
    ['other', [0.5, 1.5]],
    ['other on an obstacle', [2.5, 3.5]],
  ] as const) {
    const { bodies, obstacles } = slopeScene(2, 'box', support, 5);
    expect(bodies.map(({ position }) => position[1])).toEqual(heights);
    expect(obstacles).toHaveLength(support === 'other' ? 0 : 1);
  }
});

describe('a body below its friction angle', () => {
  it('stands on a wall', async () => {
    expect(await speedOn(2, '20°, ball on a wall')).toBeLessThanOrEqual(STANDS);
    expect(await speedOn(3, '20°, box on a wall')).toBeLessThanOrEqual(STANDS);
  });

  const scenes = ([2, 3] as const).flatMap((dimensions) =>
    [5, 10, 20].map((degrees) => [dimensions, degrees] as const),
  );

  it.each(scenes)('stands on an obstacle in %dD at %d°', async (dimensions, degrees) => {
    for (const shape of ['ball', 'box']) {
      for (const end of RESTITUTIONS) {
        const scene = `${degrees}°, ${shape} on an obstacle${end}`;
        expect(await speedOn(dimensions, scene), scene).toBeLessThanOrEqual(STANDS);
      }
    }
  });

  it.each(scenes)('stands on a body of its own shape in %dD at %d°', async (dimensions, degrees) => {
    for (const shape of ['ball', 'box']) {
      for (const end of RESTITUTIONS) {
        const scene = `${degrees}°, ${shape} on a ${shape}${end}`;
        expect(await speedOn(dimensions, scene), scene).toBeLessThanOrEqual(STANDS);
      }
    }
  });

  it.each(scenes)('stands on a ball of radius 16 in %dD, %d° from its top', async (dimensions, degrees) => {
    for (const hill of ['a ball obstacle', 'a free ball']) {
      expect(await speedOn(dimensions, `${degrees}°, ball on ${hill} of radius 16`)).toBeLessThanOrEqual(
        STANDS,
      );
    }
  });

  it.each([BOX2D3, RAPIER])('stands in the engine $name', async (engine) => {
    const hill = '20°, ball on a ball obstacle of radius 16';
    for (const scene of ['20°, ball on a wall', '20°, box on an obstacle', '20°, ball on a ball', hill]) {
      const { speed } = await figuresOf(findCase('slope', 2, scene), engine);
      expect(speed).toBeLessThanOrEqual(STANDS);
    }
  });
});

it.each([2, 3] as const)(
  'a hill is a large ball on the floor, and a small ball touches the large one, in %dD',
  (dimensions) => {
    const { bodies } = hillScene(dimensions, 'body', 20);
    const [large, small] = bodies.map(({ position }) => position) as [number[], number[]];
    expect(large[1]).toBe(16);
    const apart = small.map((along, axis) => along - (large[axis] as number));
    expect(Math.hypot(...apart)).toBeCloseTo(16.5, 9);
    expect(Math.atan2(apart[0] as number, apart[1] as number)).toBeCloseTo(Math.PI / 9, 9);
    expect(hillScene(dimensions, 'obstacle', 20)).toMatchObject({
      bodies: [bodies[1]],
      obstacles: [bodies[0]],
    });
  },
);

describe('a body above its friction angle', () => {
  const excess = 'acceleration above Coulomb';

  it('slides on a wall with the acceleration of Coulomb, in rigid-body engines, too', async () => {
    const scene = findCase('slope', 2, '30°, box on a wall');
    for (const engine of [undefined, BOX2D3, RAPIER]) {
      expect(Math.abs((await figuresOf(scene, engine))[excess] as number)).toBeLessThan(1);
    }
    // At 30° and friction 0.5 the acceleration is 0.067 g.
    expect(coulombAcceleration(30)).toBeCloseTo(9.81 * 0.067, 2);
  });

  it.each([
    [2, 'ball'],
    [2, 'box'],
    [3, 'ball'],
    [3, 'box'],
  ] as const)(
    'slides on an obstacle with the acceleration of Coulomb in %dD: %s',
    async (dimensions, shape) => {
      const figures = await figuresOf(findCase('slope', dimensions, `30°, ${shape} on an obstacle`));
      expect(Math.abs(figures[excess] as number)).toBeLessThanOrEqual(1);
    },
  );

  // The acceleration alone does not show a speed that the body gains at the start and keeps.
  it.each([
    [2, 0.5],
    [3, 2],
  ] as const)(
    'has the speed of Coulomb on an obstacle after a second in %dD, within %d percent',
    async (dimensions, most) => {
      for (const shape of ['ball', 'box'] as const) {
        const scene = slopeScene(dimensions, shape, 'obstacle', 30);
        const { velocities } = await withRun(CELLSTORM_CPU, scene, (run) => advance(run, stepsIn(1)));
        const error = 100 * ((velocities[0] as number) / coulombAcceleration(30) - 1);
        expect(Math.abs(error)).toBeLessThanOrEqual(most);
      }
    },
  );
});
