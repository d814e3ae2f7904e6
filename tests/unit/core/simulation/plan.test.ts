import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../../src/core/base/errors';
import { defaultSettings } from '../../../../src/core/contact/settings';
import { planSimulation } from '../../../../src/core/simulation/plan';
import type { SimulationOptions } from '../../../../src/core/simulation/simulation';

describe('planSimulation', () => {
  it('completes missing options', () => {
    const positions = new Float32Array([1, 1, 2, 2]);
    const plan = planSimulation({ dimensions: 2, radius: 0.5, min: [0, 0], max: [3, 3], positions });
    expect([plan.count, plan.capacity, plan.diameter]).toEqual([2, 2, 1]);
    expect(plan.velocities).toEqual(new Float32Array(4));
    expect(plan.settings).toEqual(defaultSettings(2));
    expect(plan.world.inverseCellSize).toBe(1);
  });

  it('sizes the default box so that particles at capacity fill about a fifth of it', () => {
    for (const dimensions of [2, 3] as const) {
      const plan = planSimulation({ dimensions, radius: 0.5, capacity: 10_000 });
      const particle = dimensions === 2 ? Math.PI / 4 : Math.PI / 6;
      const box = plan.world.max.reduce((product, high) => product * high, 1);
      expect((10_000 * particle) / box).toBeGreaterThan(0.17);
      expect((10_000 * particle) / box).toBeLessThan(0.23);
    }
  });

  it('makes the default box long enough along periodic axes, even with few particles', () => {
    for (const dimensions of [2, 3] as const) {
      for (const radius of [0.5, 0.05, 0.37]) {
        for (const cellSize of [undefined, 3]) {
          for (let capacity = 0; capacity < 30; capacity++) {
            const { world } = planSimulation({ dimensions, radius, capacity, periodic: true, cellSize });
            const shortest = Math.min(...world.period);
            expect(shortest).toBeGreaterThanOrEqual(4 * Math.fround(cellSize ?? 2 * radius));
          }
        }
      }
    }
    // Axes that are not periodic keep their length.
    const one = { dimensions: 2, radius: 0.5, capacity: 1 } as const;
    expect(planSimulation({ ...one, periodic: [false, true] }).world.max).toEqual([2, 4]);
  });

  it('starts empty without positions', () => {
    const plan = planSimulation({ dimensions: 3, radius: 0.5 });
    expect([plan.count, plan.capacity]).toEqual([0, 0]);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['dimensions', { dimensions: 1 }, /^dimensions is 1, but it must be 2 or 3\.$/],
    ['radius', { radius: 0 }, /^radius is 0, .*greater than 0/],
    ['radius', { radius: -1 }, /^radius is -1, .*greater than 0/],
    ['radius', { radius: Number.NaN }, /^radius is NaN, /],
    [
      'radius',
      { radius: 2e38 },
      /radius is 4e\+38|radius is Infinity, but it must be a number from 2\^-40 to 2\^60/,
    ],
    ['capacity', { capacity: 1.5 }, /^capacity is 1\.5, .*whole number from 0/],
    ['capacity', { capacity: -1 }, /^capacity is -1, /],
    ['positions', { capacity: 1 }, /^positions is 2 particles, .*at most 1 particle \(the capacity\)/],
    ['positions', { positions: [1, 2] }, /^positions is \[1, 2\], .*Float32Array with 2 numbers/],
    ['positions.length', { positions: new Float32Array(3) }, /^positions\.length is 3, .*must be 2 /],
    ['positions', { positions: new Float32Array([1, Number.NaN]) }, /^positions\[1\] \(particle 0\) is NaN/],
    ['velocities.length', { velocities: new Float32Array(2) }, /^velocities\.length is 2, .*must be 4 /],
    [
      'velocities',
      { velocities: new Float32Array([0, 0, 0, Number.NEGATIVE_INFINITY]) },
      /^velocities\[3\] \(particle 1\) is -Infinity/,
    ],
    [
      'box: none for particles',
      { min: undefined, max: undefined },
      /^min is undefined, but it must be given: set both `min` and `max`, or `unbounded: true` \(the bodies reach from \[0\.5,0\.5\] to \[2\.5,2\.5\]\)\.$/,
    ],
    ['box: periodic, none for particles', { min: undefined, max: undefined, periodic: true }, /^min is und/],
    [
      'box: none for obstacles',
      { min: undefined, max: undefined, positions: undefined, obstacles: new Float32Array([-1024, 7.25]) },
      /^min is undefined, .*reach from \[-1024\.5,6\.75\] to \[-1023\.5,7\.75\]\)\.$/,
    ],
    [
      'box: half of it',
      { max: undefined },
      /^max is undefined, but it must be given: set both `min` and `max`/,
    ],
    [
      'box: the other half',
      { min: undefined },
      /^min is undefined, but it must be given: set both `min` and/,
    ],
    [
      'box: half of it, without bodies',
      { max: undefined, positions: undefined, capacity: 9 },
      /^max is undefined, but it must be given: set both `min` and `max`, or leave out both\.$/,
    ],
    ['world.min', { min: [0, 0, 0] }, /^world\.min is \[0, 0, 0\], .*2 finite numbers/],
    ['world.min[0]', { min: [Object.create(null), 0] }, /^world\.min\[0\] is an object, /],
    ['world.max', { max: [0.5, 9] }, /^world\.max\[0\] is 0\.5/],
    ['world.cellSize', { cellSize: 0.5 }, /^world\.cellSize is 0\.5, .*at least the largest diameter, 1/],
    ['options.radios', { radios: 1 }, /^options\.radios is 1, .*one of /],
    ['restitution', { restitution: 2 }, /^restitution is 2, .*from 0 to 1/],
    ['longestStep', { longestStep: 0 }, /^longestStep is 0, .*a number from 1e-7 to 1000000000\.$/],
  ])('rejects a bad %s: %j', (_, change, message) => {
    const options = {
      dimensions: 2,
      radius: 0.5,
      min: [0, 0],
      max: [3, 3],
      positions: new Float32Array([1, 1, 2, 2]),
      ...change,
    } as unknown as SimulationOptions;
    expect(() => planSimulation(options)).toThrow(ArgumentError);
    expect(() => planSimulation(options)).toThrow(message);
  });
});

describe('a plan with variable radii', () => {
  const positions = new Float32Array([1, 1, 2, 2]);
  const plan = (change: Record<string, unknown>) =>
    planSimulation({
      dimensions: 2,
      min: [0, 0],
      max: [3, 3],
      positions,
      ...change,
    } as unknown as SimulationOptions);
  const radii = new Float32Array([0.5, 0.125]);

  it('has the given range of radii, or that of its particles if none is given, in 32-bit floats', () => {
    const { radius, diameter, radiusRange, world } = plan({ radii });
    expect([radius, diameter, radiusRange]).toEqual([0.5, 1, { smallest: 0.125, largest: 0.5 }]);
    expect([world.levels, world.diameter]).toEqual([3, 1]);
    const range = { smallest: 0.1, largest: 3 };
    const given = plan({ radii, radiusRange: range, max: [9, 9] });
    expect(given.radiusRange).toEqual({ smallest: Math.fround(0.1), largest: 3 });
    expect([given.radius, given.radii]).toEqual([3, radii]);
    const empty = plan({ positions: undefined, max: [9, 9], radiusRange: range, capacity: 5 });
    expect([empty.count, empty.capacity, empty.radius]).toEqual([0, 5, 3]);
    expect(empty.radii).toEqual(new Float32Array(0));
    // The 32-bit float nearest to 0.1 is greater than 0.1.
    const tenth = Float32Array.from([0.1, 0.1]);
    expect(plan({ radii: tenth, radiusRange: { smallest: 0.1, largest: 0.1 } }).radius).toBe(
      Math.fround(0.1),
    );
  });

  const range = { smallest: 0.125, largest: 0.5 };
  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      'radius beside radii',
      { radii, radius: 1 },
      /^radius is 1, but it must be left out if each particle has/,
    ],
    [
      'radius beside a range',
      { radiusRange: range, radii, radius: 1 },
      /^radius is 1, but it must be left out/,
    ],
    [
      'too few radii',
      { radii: radii.slice(1) },
      /^radii is .*, but it must be a Float32Array of length 2, one radius per body/,
    ],
    [
      'radii of another type',
      { radii: [0.5, 0.125] },
      /^radii is \[0\.5, 0\.125\], .*Float32Array of length 2, one radius per body/,
    ],
    ['radii left out', { radiusRange: range }, /^radii is undefined, .*length 2, one radius per body\.$/],
    [
      'a radius of 0',
      { radii: new Float32Array([1, 0]) },
      /^radii\[1\] is 0, but it must be a finite number greater than 0\.$/,
    ],
    ['an infinite radius', { radii: new Float32Array([Infinity, 1]) }, /^radii\[0\] is Infinity, /],
    [
      'NaN',
      { radii: new Float32Array([Number.NaN, 1]), radiusRange: range },
      /^radii\[0\] is NaN, .*from 0\.125 to 0\.5 \(the radiusRange\)\.$/,
    ],
    [
      'a radius out of range',
      { radii: new Float32Array([0.25, 1]), radiusRange: range },
      /^radii\[1\] is 1, .*from 0\.125 to 0\.5/,
    ],
    [
      'a range upside down',
      { radii, radiusRange: { smallest: 2, largest: 1 } },
      /^radiusRange\.smallest is 2, .*at most radiusRange\.largest, 1\.$/,
    ],
    [
      'half a range',
      { radii, radiusRange: { largest: 1 } },
      /^radiusRange\.smallest is undefined, .*greater than 0/,
    ],
    [
      'a range with an unknown key',
      { radii, radiusRange: { ...range, mean: 1 } },
      /^radiusRange\.mean is 1, /,
    ],
    [
      'neither particles nor a range',
      { positions: undefined, radii: new Float32Array(0) },
      /^radiusRange is undefined, .*given if there are no particles yet/,
    ],
    [
      'obstacles without sizes',
      { radii, obstacles: new Float32Array(2) },
      /^obstacles is a Float32Array of length 2, but it must be an object with positions and radii, since each particle has its own radius\.$/,
    ],
    [
      'crowds: false',
      { radii, crowds: false },
      /^world\.crowds is false, .*left out or true if radii are given\.$/,
    ],
  ])('rejects %s', (_, change, message) => {
    expect(() => plan(change)).toThrow(ArgumentError);
    expect(() => plan(change)).toThrow(message);
  });
});
