import { describe, expect, it } from 'vitest';
import { GREATEST_SPEED_BITS } from '../../../src/core/base/constants';
import { ArgumentError } from '../../../src/core/base/errors';
import { defaultSettings } from '../../../src/core/contact/settings';
import { checkCheckpoint } from '../../../src/core/simulation/checkpoint';
import { IdAllocator } from '../../../src/core/simulation/ids';
import { describeWorld } from '../../../src/core/simulation/particles-checkpoint';
import { planSimulation } from '../../../src/core/simulation/plan';
import type { Checkpoint, SimulationOptions } from '../../../src/core/simulation/simulation';
import { defineWorld, GREATEST_SPEED } from '../../../src/core/world/world';
import { fc } from '../../helpers/properties';

describe('the greatest speed', () => {
  it('has the bits of the constant in the shaders', () => {
    expect(new Uint32Array(Float32Array.of(GREATEST_SPEED).buffer)[0]).toBe(GREATEST_SPEED_BITS);
  });
});

describe('planSimulation', () => {
  it('completes missing options', () => {
    const plan = planSimulation({ dimensions: 2, radius: 0.5, positions: new Float32Array([1, 1, 2, 2]) });
    expect([plan.count, plan.capacity, plan.diameter]).toEqual([2, 2, 1]);
    expect(plan.velocities).toEqual(new Float32Array(4));
    expect(plan.settings).toEqual(defaultSettings(2));
    expect(plan.world.inverseCellSize).toBe(1);
  });

  it('fills about a fifth of the default box at capacity', () => {
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
    // Other axes keep their length.
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
    [
      'positions',
      { capacity: 1 },
      /^positions is a Float32Array of 16 bytes, .*at most 1 particle \(the capacity\)/,
    ],
    ['positions', { positions: [1, 2] }, /^positions is \[1, 2\], .*Float32Array with 2 numbers/],
    ['positions.length', { positions: new Float32Array(3) }, /^positions\.length is 3, .*must be 2 /],
    ['positions', { positions: new Float32Array([1, Number.NaN]) }, /^positions\[1\] \(particle 0\) is NaN/],
    ['velocities.length', { velocities: new Float32Array(2) }, /^velocities\.length is 2, .*must be 4 /],
    [
      'velocities',
      { velocities: new Float32Array([0, 0, 0, Number.NEGATIVE_INFINITY]) },
      /^velocities\[3\] \(particle 1\) is -Infinity/,
    ],
    ['world.min', { min: [0, 0, 0] }, /^world\.min is \[0, 0, 0\], .*2 finite numbers/],
    ['world.max', { max: [0.5, 9] }, /^world\.max\[0\] is 0\.5/],
    ['world.cellSize', { cellSize: 0.5 }, /^world\.cellSize is 0\.5, .*at least the largest diameter, 1/],
    ['options.radios', { radios: 1 }, /^options\.radios is 1, .*one of /],
    ['restitution', { restitution: 2 }, /^restitution is 2, .*from 0 to 1/],
  ])('rejects a bad %s', (_, change, message) => {
    const options = {
      dimensions: 2,
      radius: 0.5,
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
    planSimulation({ dimensions: 2, positions, ...change } as unknown as SimulationOptions);
  const radii = new Float32Array([0.5, 0.125]);

  it('has a range from the smallest to the largest radius, or as given, in 32-bit floats', () => {
    const { radius, diameter, radiusRange, world } = plan({ radii });
    expect([radius, diameter, radiusRange]).toEqual([0.5, 1, { smallest: 0.125, largest: 0.5 }]);
    expect([world.levels, world.diameter]).toEqual([3, 1]);
    const range = { smallest: 0.1, largest: 3 };
    const given = plan({ radii, radiusRange: range });
    expect(given.radiusRange).toEqual({ smallest: Math.fround(0.1), largest: 3 });
    expect([given.radius, given.radii]).toEqual([3, radii]);
    const empty = plan({ positions: undefined, radiusRange: range, capacity: 5 });
    expect([empty.count, empty.capacity, empty.radius]).toEqual([0, 5, 3]);
    expect(empty.radii).toEqual(new Float32Array(0));
    // As a 32-bit float, 0.1 is more than 0.1.
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
      /^radii is .*, but it must be a Float32Array with a radius for each of 2/,
    ],
    [
      'radii of another type',
      { radii: [0.5, 0.125] },
      /^radii is \[0\.5, 0\.125\], .*Float32Array with a radius for each of 2/,
    ],
    ['radii left out', { radiusRange: range }, /^radii is undefined, .*a radius for each of 2 particles\.$/],
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
      /^obstacles is a Float32Array of 8 bytes, but it must be an object with positions and radii, since each particle has its own radius\.$/,
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

describe('checkCheckpoint', () => {
  const world = defineWorld({ dimensions: 2, min: [0, 0], max: [9, 9] }, 1);
  const simulation = {
    dimensions: 2,
    radius: 0.5,
    radiusRange: undefined,
    world,
    obstacleCapacity: 0,
    capacity: 4,
    continuous: false,
    boxes: false,
  } as const;
  const good: Checkpoint = {
    version: 1,
    dimensions: 2,
    radius: 0.5,
    min: [0, 0],
    max: [9, 9],
    time: 1,
    settings: defaultSettings(2),
    ids: new Uint32Array([0, 3]),
    positions: new Float32Array(4),
    velocities: new Float32Array(4),
  };

  it('accepts checkpoints of the same kind, including particles that are not finite', () => {
    expect(() => checkCheckpoint(good, simulation)).not.toThrow();
    expect(() =>
      checkCheckpoint({ ...good, positions: new Float32Array(4).fill(NaN) }, simulation),
    ).not.toThrow();
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['version', { version: 2 }, /^checkpoint\.version is 2, but it must be 1\.$/],
    ['radius', { radius: 1 }, /^checkpoint\.radius is 1, .*0\.5, like this/],
    ['min', { min: [1, 0] }, /^checkpoint\.min is \[1, 0\], .*\[0, 0\], like/],
    ['max', { max: undefined }, /^checkpoint\.max is undefined, /],
    ['dimensions', { dimensions: 3 }, /^checkpoint\.dimensions is 3, .*2, like this simulation/],
    ['id past the capacity', { ids: new Uint32Array([0, 4]) }, /^checkpoint\.ids\[1\] is 4, /],
    ['order of ids', { ids: new Uint32Array([3, 0]) }, /^checkpoint\.ids\[1\] is 0, .*above 3/],
    ['id twice', { ids: new Uint32Array([3, 3]) }, /^checkpoint\.ids\[1\] is 3, /],
    ['ids', { ids: [0, 3] }, /^checkpoint\.ids is \[0, 3\], .*Uint32Array/],
    ['positions', { positions: undefined }, /^checkpoint\.positions is undefined, .*Float32Array/],
    ['time', { time: Number.NaN }, /^checkpoint\.time is NaN, /],
    ['settings', { settings: { friction: -1 } }, /^friction is -1, /],
    [
      'length of positions',
      { positions: new Float32Array(3) },
      /^checkpoint\.positions is a Float32Array of 12 bytes, .* 4 numbers/,
    ],
    [
      'length of velocities',
      { velocities: new Float32Array(6) },
      /^checkpoint\.velocities is a Float32Array of 24 bytes, .* 4 numbers/,
    ],
  ])('rejects a bad %s', (_, change, message) => {
    const checkpoint = { ...good, ...change } as unknown as Checkpoint;
    expect(() => checkCheckpoint(checkpoint, simulation)).toThrow(ArgumentError);
    expect(() => checkCheckpoint(checkpoint, simulation)).toThrow(message);
  });

  it('distinguishes an unbounded world from a box', () => {
    const unbounded = defineWorld({ dimensions: 2, unbounded: true }, 1);
    const free: Checkpoint = { ...good, ...describeWorld(unbounded) };
    expect(free).toMatchObject({ unbounded: true });
    expect(() => checkCheckpoint(free, { ...simulation, world: unbounded })).not.toThrow();
    expect(() => checkCheckpoint(good, { ...simulation, world: unbounded })).toThrow(
      /^checkpoint\.unbounded is undefined, but it must be true, like this simulation's world\.$/,
    );
    expect(() => checkCheckpoint(free, simulation)).toThrow(
      /^checkpoint\.unbounded is true, but it must be left out, since this simulation's world is a box\.$/,
    );
    expect(describeWorld(world)).toEqual({ min: [0, 0], max: [9, 9] });
  });

  it('distinguishes continuous simulations from others', () => {
    const following = { ...simulation, continuous: true };
    const followed: Checkpoint = { ...good, continuous: true };
    expect(() => checkCheckpoint(followed, following)).not.toThrow();
    expect(() => checkCheckpoint(good, following)).toThrow(
      /^checkpoint\.continuous is undefined, but it must be true, since this simulation was created with `continuous: true`\.$/,
    );
    expect(() => checkCheckpoint(followed, simulation)).toThrow(
      /^checkpoint\.continuous is true, but it must be left out, since this simulation was created without `continuous`\.$/,
    );
  });

  it('distinguishes variable radii from one radius', () => {
    const radiusRange = { smallest: 0.25, largest: 0.5 };
    const own = { ...simulation, radiusRange };
    const radii = new Float32Array([0.25, 0.5]);
    expect(() => checkCheckpoint({ ...good, radiusRange, radii }, own)).not.toThrow();
    expect(() => checkCheckpoint(good, own)).toThrow(
      /^checkpoint\.radiusRange is undefined, but it must be \{ smallest: 0\.25, largest: 0\.5 \}, like this simulation\.$/,
    );
    expect(() => checkCheckpoint({ ...good, radiusRange, radii }, simulation)).toThrow(
      /^checkpoint\.radiusRange is .*, but it must be left out, since all particles of this simulation have one radius\.$/,
    );
    expect(() => checkCheckpoint({ ...good, radii }, simulation)).toThrow(
      /^checkpoint\.radii is .*, but it must be left out, since all particles of this simulation have one radius\.$/,
    );
    expect(() => checkCheckpoint({ ...good, radiusRange }, own)).toThrow(
      /^checkpoint\.radii is undefined, .*a Float32Array with a radius for each of 2 particles\.$/,
    );
    const tooLarge = new Float32Array([0.25, 0.75]);
    expect(() => checkCheckpoint({ ...good, radiusRange, radii: tooLarge }, own)).toThrow(
      /^checkpoint\.radii\[1\] is 0\.75, .*from 0\.25 to 0\.5/,
    );
  });

  it('rejects more particles than the capacity, and a missing checkpoint', () => {
    expect(() => checkCheckpoint(good, { ...simulation, capacity: 1 })).toThrow(
      /^checkpoint\.ids\.length is 2, .*at most 1/,
    );
    expect(() => checkCheckpoint(undefined as unknown as Checkpoint, simulation)).toThrow(ArgumentError);
  });
});

describe('IdAllocator', () => {
  it('hands out the lowest free ids', () => {
    const allocator = new IdAllocator(6);
    expect([...allocator.take(4)]).toEqual([0, 1, 2, 3]);
    allocator.release([1, 2]);
    expect([...allocator.take(1)]).toEqual([1]);
    expect([...allocator.take(3)]).toEqual([2, 4, 5]);
    expect(allocator.count).toBe(6);
    expect(() => allocator.checkRoom(1)).toThrow(/^positions is 1 particle, .*at most 0 particles/);
  });

  it('rejects ids that are free, repeated or malformed', () => {
    const allocator = new IdAllocator(4);
    allocator.take(3);
    expect(() => allocator.checkLiving('ids', [0, 2])).not.toThrow();
    for (const bad of [[3], [0, 0], [-1], [0.5], [Number.NaN], [4]]) {
      expect(() => allocator.checkLiving('ids', bad)).toThrow(ArgumentError);
    }
  });

  it('accepts radii within the range, and none without a range', () => {
    const allocator = new IdAllocator(4);
    const range = { smallest: 0.5, largest: 2 };
    const positions = new Float32Array(4);
    const radii = new Float32Array([0.5, 2]);
    const sizes = (radiusRange: typeof range | undefined) =>
      ({ dimensions: 2, radiusRange, boxes: false }) as const;
    const refused = (particles: object, within: typeof range | undefined, message: RegExp) =>
      expect(() => allocator.admit(sizes(within), { positions, ...particles })).toThrow(message);
    refused({ radii }, undefined, /^radii is .*, but it must be left out, since all particles of this/);
    refused({}, range, /^radii is undefined, .*a Float32Array with a radius for each of 2 particles\.$/);
    refused({ radii: radii.slice(1) }, range, /^radii is .*a radius for each of 2 particles\.$/);
    refused(
      { radii: new Float32Array([1, 2.5]) },
      range,
      /^radii\[1\] is 2\.5, .*from 0\.5 to 2 \(the radiusRange\)\.$/,
    );
    refused({ radii: new Float32Array([0.25, 1]) }, range, /^radii\[0\] is 0\.25, /);
    expect(allocator.count).toBe(0);
    expect(allocator.admit(sizes(range), { positions, radii })).toMatchObject({ positions, radii });
    expect(allocator.admit(sizes(undefined), { positions }).radii).toBeUndefined();
    expect(allocator.count).toBe(4);
  });

  it('agrees with a set of free ids after any calls', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(5)), { maxLength: 30 }), (moves) => {
        const allocator = new IdAllocator(16);
        const living = new Set<number>();
        for (const [isTake, amount] of moves) {
          if (isTake) {
            if (amount > 16 - living.size) continue;
            const expected = Array.from({ length: 16 }, (_, id) => id)
              .filter((id) => !living.has(id))
              .slice(0, amount);
            expect([...allocator.take(amount)]).toEqual(expected);
            for (const id of expected) living.add(id);
          } else {
            const victims = [...living].filter((id) => id % 5 === amount);
            allocator.release(victims);
            for (const id of victims) living.delete(id);
          }
          expect(allocator.count).toBe(living.size);
          for (let id = 0; id < 16; id++) expect(allocator.has(id)).toBe(living.has(id));
        }
      }),
      { seed: 23 },
    );
  });

  it('starts over from a checkpoint', () => {
    const allocator = new IdAllocator(5);
    allocator.take(5);
    allocator.replaceAll(new Uint32Array([0, 2]));
    expect(allocator.count).toBe(2);
    expect([...allocator.take(2)]).toEqual([1, 3]);
  });
});
