import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../src/core/base/errors';
import { planSimulation } from '../../../src/core/simulation/plan';
import { hashState } from '../../../src/core/state/hash';
import { defineLevels } from '../../../src/core/world/level-world';
import { bruteForceLevelPairs } from '../../../src/reference/grid/levels';
import {
  createScene,
  requireScene,
  SCENES,
  type Scene,
  type SceneRequest,
  sceneNames,
  sceneOptions,
  scenesOf,
  worldOptions,
} from '../../../src/scenes';
import { EQUAL_RADIUS_SCENES } from '../../helpers/scene-names';

const SIZED_BALLS = sceneNames({ variableRadii: true, hasBoxes: false, driven: false });

const ACCEPTED = `but it must be one of ${sceneNames().join(', ')}.`;

/** Generators without random numbers leave out the last parameter. */
const isRandom = (name: string) => requireScene('collisions', name).generate.length > 2;

const hashOf = (scene: Scene) => hashState(scene.dimensions, scene.positions, scene.velocities);

describe.each(['2', '3'])('in %sD', (text) => {
  const dimensions = Number(text) as 2 | 3;

  describe.each(EQUAL_RADIUS_SCENES)('%s', (name) => {
    it.each([0, 1, 2, 9, 28, 1000, 4097])(
      'with %d particles has dyadic numbers, lies inside its world and makes a valid simulation',
      (count) => {
        const scene = createScene(name, { dimensions, count, seed: 5 });
        expect(scene.positions.length).toBe(count * dimensions);
        expect(scene.velocities.length).toBe(count * dimensions);
        expect(Number.isInteger(scene.radius * 1024)).toBe(true);
        let notDyadic = 0;
        let outside = 0;
        for (let index = 0; index < scene.positions.length; index++) {
          const position = scene.positions[index] as number;
          const axis = index % dimensions;
          if (!Number.isInteger(position * 1024)) notDyadic++;
          if (!Number.isInteger((scene.velocities[index] as number) * 1024)) notDyadic++;
          // The whole particle must lie inside, so that no wall acts at first; along periodic axes only its centre.
          const { periodic = false } = scene;
          const wraps = typeof periodic === 'boolean' ? periodic : periodic[axis];
          const spare = wraps ? 0 : scene.radius;
          if (position < (scene.min[axis] as number) + spare) outside++;
          if (position > (scene.max[axis] as number) - spare) outside++;
        }
        expect([notDyadic, outside]).toEqual([0, 0]);
        const plan = planSimulation(sceneOptions(scene));
        expect(plan.count).toBe(count);
        expect(plan.world.inverseCellSize).toBe(1);
      },
    );

    it('is the same for the same seed and, if it is random, differs for another', () => {
      const first = createScene(name, { dimensions, count: 500, seed: 7 });
      const again = createScene(name, { dimensions, count: 500, seed: 7 });
      const other = createScene(name, { dimensions, count: 500, seed: 8 });
      expect(hashOf(again)).toBe(hashOf(first));
      expect([again.min, again.max]).toEqual([first.min, first.max]);
      expect(hashOf(other) !== hashOf(first)).toBe(isRandom(name));
    });
  });
});

function contactsOf(scene: Scene): number[] {
  const { dimensions, positions, count } = scene;
  return Array.from({ length: count }, (_, a) => {
    let contacts = 0;
    for (let b = 0; b < count; b++) {
      let squared = 0;
      for (let axis = 0; axis < dimensions; axis++) {
        const apart =
          (positions[a * dimensions + axis] as number) - (positions[b * dimensions + axis] as number);
        squared += apart * apart;
      }
      if (a !== b && squared < (2 * scene.radius) ** 2) contacts++;
    }
    return contacts;
  });
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe.each([2, 3] as const)('in %dD the scene', (dimensions) => {
  it('uniform has one overlap per particle on average', () => {
    const contacts = mean(contactsOf(createScene('uniform', { dimensions, count: 4000 })));
    expect(contacts).toBeGreaterThan(dimensions === 2 ? 0.85 : 0.75);
    expect(contacts).toBeLessThan(1.1);
  });

  it('gas has no overlaps, and neither has pile', () => {
    for (const name of ['gas', 'pile']) {
      for (const count of [2, 9, 28, 1000]) {
        expect(Math.max(...contactsOf(createScene(name, { dimensions, count })))).toBe(0);
      }
    }
  });

  it('gas fills a tenth of the box, and has a momentum', () => {
    const scene = createScene('gas', { dimensions, count: 4000 });
    const box = scene.max.reduce((product, high) => product * high, 1);
    const particle = dimensions === 2 ? Math.PI / 4 : Math.PI / 6;
    expect((4000 * particle) / box).toBeGreaterThan(0.085);
    expect((4000 * particle) / box).toBeLessThanOrEqual(0.1);
    const along = scene.velocities.filter((_, index) => index % dimensions === 0);
    expect(mean([...along])).toBeGreaterThan(0.8);
    expect(mean([...along])).toBeLessThan(1.2);
    expect(scene.settings).toMatchObject({ restitution: 1, friction: 0 });
  });

  it('pile has gravity along −y, and a floor that is about as wide as the box is high', () => {
    const scene = createScene('pile', { dimensions, count: 10_000 });
    expect(scene.settings.gravity?.[1]).toBe(-9.8125);
    const [width, height] = scene.max as [number, number];
    expect(width).toBe(Math.ceil(10_000 ** (1 / dimensions) - 1e-9) + 1);
    expect(height / width).toBeGreaterThan(1);
    expect(height / width).toBeLessThan(1.4);
  });

  it('packing has inner particles that touch all 6 (in 3D 12) neighbours', () => {
    const contacts = contactsOf(createScene('packing', { dimensions, count: 1000 }));
    expect(Math.max(...contacts)).toBe(dimensions === 2 ? 6 : 12);
    expect(contacts.filter((count) => count === (dimensions === 2 ? 6 : 12)).length).toBeGreaterThan(400);
  });

  it('clustered has at least 89% of its particles in 1% of the world, about 8 per cell', () => {
    const count = 20_000;
    const scene = createScene('clustered', { dimensions, count });
    const low = Math.floor((scene.max[0] as number) * 0.3 * 1024) / 1024;
    const high = low + (scene.max[0] as number) * 0.01 ** (1 / dimensions);
    let inside = 0;
    for (let particle = 0; particle < count; particle++) {
      const centre = scene.positions.subarray(particle * dimensions, (particle + 1) * dimensions);
      if (centre.every((coordinate) => coordinate >= low && coordinate <= high)) inside++;
    }
    expect(inside / count).toBeGreaterThanOrEqual(0.89);
    expect(inside / (high - low) ** dimensions).toBeGreaterThan(7);
    expect(inside / (high - low) ** dimensions).toBeLessThan(9);
  });

  it('one-cell has all its particles in the middle cell', () => {
    const scene = createScene('one-cell', { dimensions, count: 5000 });
    expect([...scene.positions].every((coordinate) => Math.floor(coordinate) === 1)).toBe(true);
  });

  it('lattice has positions that are multiples of half a cell, some of them on borders', () => {
    const scene = createScene('lattice', { dimensions, count: 1000 });
    expect([...scene.positions].every((coordinate) => Number.isInteger(coordinate * 2))).toBe(true);
    expect([...scene.positions].some((coordinate) => Number.isInteger(coordinate))).toBe(true);
    expect(Math.max(...contactsOf(scene))).toBe(dimensions === 2 ? 8 : 26);
  });

  it('negative has particles on both sides of the origin along every axis', () => {
    const scene = createScene('negative', { dimensions, count: 1000 });
    for (let axis = 0; axis < dimensions; axis++) {
      const along = scene.positions.filter((_, index) => index % dimensions === axis);
      expect(scene.min[axis]).toBeLessThan(0);
      expect(Math.min(...along)).toBeLessThan(-5);
      expect(Math.max(...along)).toBeGreaterThan(5);
    }
  });
});

describe('createScene', () => {
  it.each<[string, unknown, string | RegExp]>([
    ['heap', { dimensions: 2, count: 1 }, `scene is "heap", ${ACCEPTED}`],
    ['dam-break', { dimensions: 2, count: 1 }, `scene is "dam-break", ${ACCEPTED}`],
    ['mixed', { dimensions: 2, count: -1 }, /^count is -1, /],
    ['gas', { dimensions: 4, count: 1 }, /^dimensions is 4, /],
    ['gas', { dimensions: 2, count: -1 }, /^count is -1, .*whole number from 0/],
    ['gas', { dimensions: 2, count: 1.5 }, /^count is 1\.5, /],
    ['gas', { dimensions: 2, count: 1, seed: -1 }, /^seed is -1, .*from 0 to 4294967295/],
    ['gas', { dimensions: 2, count: 1, seed: Number.NaN }, /^seed is NaN, /],
    [
      'gas',
      undefined,
      /^request is undefined, but it must be an object with some of dimensions, count, seed\.$/,
    ],
    ['gas', { dimensions: 2, cuont: 1 }, /^request\.cuont is 1, /],
  ])('rejects %s %j', (name, request, message) => {
    expect(() => createScene(name, request as { dimensions: 2; count: number })).toThrow(ArgumentError);
    expect(() => createScene(name, request as { dimensions: 2; count: number })).toThrow(message);
  });

  it('makes a scene; changes given to sceneOptions override its options', () => {
    const scene = createScene('pile', { dimensions: 2, count: 10 });
    const options = sceneOptions(scene, { capacity: 20, friction: 0.5, gravity: [0, 0] });
    expect(planSimulation(options)).toMatchObject({
      capacity: 20,
      count: 10,
      settings: { friction: 0.5, gravity: [0, 0] },
    });
  });
});

function createSized(name: string, request: SceneRequest) {
  const scene = createScene(name, request);
  const { radii, radiusRange } = scene;
  if (!radii || !radiusRange) throw new Error(`${name} has no radii.`);
  return { ...scene, radii, radiusRange };
}

describe.each([2, 3] as const)('in %dD, with variable radii, the scene', (dimensions) => {
  it.each(SIZED_BALLS)('%s has only multiples of 1/32, and is the same for the same seed', (name) => {
    for (const count of [0, 1, 2, 1000]) {
      const scene = createSized(name, { dimensions, count, seed: 7 });
      const { positions, radii, radiusRange, radius, settings: sceneSettings } = scene;
      expect([positions.length, radii.length]).toEqual([dimensions * count, count]);
      expect(positions.every((along) => Number.isInteger(along * 32) && Math.abs(along) < 2 ** 19)).toBe(
        true,
      );
      expect(radii.every((one) => Number.isInteger(one * 32))).toBe(true);
      expect(radii.every((one) => one >= radiusRange.smallest && one <= radiusRange.largest)).toBe(true);
      expect(radius).toBe(radiusRange.largest);
      expect(createSized(name, { dimensions, count, seed: 7 })).toEqual(scene);
      const { world, settings } = planSimulation(sceneOptions(scene));
      expect([world.kind, world.diameter]).toEqual([scene.world, 2 * radius]);
      expect(settings).toMatchObject({ ...sceneSettings, relaxation: dimensions === 2 ? 0.3 : 0.25 });
    }
    const request = { dimensions, count: 1000 };
    const other = createScene(name, { ...request, seed: 8 });
    const isSame = hashOf(other) === hashOf(createScene(name, { ...request, seed: 7 }));
    expect(isSame).toBe(!isRandom(name));
  });

  it.each([
    ['mixed-pile', 3, 2000, 0.12],
    // The scene has about 88 squares (in 3D, 32 cubes), each full of particles of one octave. An octave gets about a
    // sixth of them. The tolerance is three standard deviations of this share.
    ['mixed-wide', 6, dimensions === 2 ? 20_000 : 200_000, dimensions === 2 ? 0.12 : 0.2],
  ] as const)(
    '%s gives each of %i octaves the same area or volume; the first particles do not touch',
    (name, octaves, count, tolerance) => {
      const scene = createSized(name, { dimensions, count });
      const { positions, radii, max } = scene;
      expect(scene.radiusRange).toEqual({ smallest: 1, largest: 2 ** octaves });
      const levels = defineLevels(worldOptions(scene), { smallest: 1, largest: 2 ** octaves }, count);
      const first = 2000;
      const [some, sizes] = [positions.subarray(0, dimensions * first), radii.subarray(0, first)];
      expect(bruteForceLevelPairs(levels, some, sizes)).toHaveLength(0);
      const cubes = Array.from({ length: octaves }, (_, octave) => {
        const inside = radii.filter((radius) => Math.floor(Math.log2(radius)) === octave).length;
        return inside / 2 ** (dimensions * (octaves - 1 - octave));
      });
      const all = cubes.reduce((sum, inside) => sum + inside, 0);
      for (const inside of cubes) expect(Math.abs(inside / all - 1 / octaves)).toBeLessThan(tolerance);
      const outside = positions.filter((along, index) => {
        const radius = radii[Math.floor(index / dimensions)] as number;
        return along - radius < 0 || along + radius > (max[index % dimensions] as number);
      });
      expect(outside).toHaveLength(0);
    },
  );

  it('mixed has equally many particles in each octave; one-large has one large particle', () => {
    const { radii } = createSized('mixed', { dimensions, count: 6000 });
    for (let octave = 0; octave < 6; octave++) {
      const inside = radii.filter((radius) => radius >= 2 ** octave && radius < 2 ** (octave + 1));
      expect(Math.abs(inside.length - 1000)).toBeLessThan(150);
      const lower = inside.filter((radius) => radius < 2 ** octave * Math.SQRT2);
      expect(Math.abs(lower.length / inside.length - 0.5)).toBeLessThan(0.07);
    }
    const large = createSized('one-large', { dimensions, count: 500 }).radii;
    expect([
      large.filter((radius) => radius === 64).length,
      large.filter((radius) => radius === 1).length,
    ]).toEqual([1, 499]);
  });
});

describe('the registry', () => {
  it('lists no name twice', () => {
    expect(new Set(SCENES.map(({ name }) => name)).size).toBe(SCENES.length);
  });

  it.each(scenesOf('collisions'))('declares the properties that $name generates', (definition) => {
    const { name, world = 'bounded', variableRadii, hasBoxes, driven, continuous } = definition;
    const scene = createScene(name, { dimensions: 2, count: 200 });
    expect({
      world: scene.world === 'unbounded' ? 'unbounded' : scene.periodic ? 'periodic' : 'bounded',
      variableRadii: scene.radii !== undefined,
      hasBoxes: scene.halfExtents !== undefined,
      driven: scene.drive !== undefined,
      continuous: scene.continuous === true,
    }).toEqual({
      world,
      variableRadii: variableRadii ?? false,
      hasBoxes: hasBoxes ?? false,
      driven: driven ?? false,
      continuous: continuous ?? false,
    });
  });
});

it('sceneNames leaves no scene out if a flag is undefined', () => {
  const flags = { driven: undefined } as unknown as { readonly driven: boolean };
  expect(sceneNames(flags)).toEqual(sceneNames());
});
