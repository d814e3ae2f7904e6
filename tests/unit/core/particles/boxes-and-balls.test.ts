import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../../../src/core/contact/settings';
import { defineShapes } from '../../../../src/core/particles/shapes';
import type { ParticleSimulation, SimulationOptions } from '../../../../src/core/simulation/simulation';
import { decodeCheckpoint, encodeCheckpoint } from '../../../../src/core/state/state-file';
import { createCpuSimulation } from '../../../../src/cpu';
import { comparePairs } from '../../../../src/reference/query/pair-list';
import { sweepShapes } from '../../../../src/reference/query/shape-pairs';
import { ReferenceSimulation } from '../../../../src/reference/solve/simulation';
import { createNoise } from '../../../../src/testing/noise';
import { inPairs } from '../../../helpers/inputs/pairs';
import { shapedOptions, WORLD_CASES } from '../../../helpers/inputs/shaped-simulations';
import { DIMENSIONS } from '../../../helpers/passes';

const ENGINES = [
  ['the reference', (options: SimulationOptions): ParticleSimulation => new ReferenceSimulation(options)],
  ['the CPU engine', (options: SimulationOptions): ParticleSimulation => createCpuSimulation(options)],
] as const;

describe.each(ENGINES)('boxes and balls in %s', (engine, create) => {
  it('have masses in proportion to their volume', () => {
    // The disc and the square have the same area.
    const half = Math.sqrt(Math.PI) / 2;
    const options = {
      dimensions: 2,
      walls: false,
      friction: 0,
      restitution: 1,
      substeps: 1,
      min: [0, 0],
      max: [16, 16],
    } as const;
    const pair = create({
      ...options,
      positions: new Float32Array([4, 4, 5.75, 4]),
      velocities: new Float32Array([3, 0, -1, 0]),
      radii: new Float32Array([1, 0]),
      halfExtents: new Float32Array([0, 0, half, half]),
    });
    pair.step(1 / 64);
    const { velocities } = pair.read() as Awaited<ReturnType<ParticleSimulation['read']>>;
    [-1, 0, 3, 0].forEach((along, index) => {
      expect(velocities[index]).toBeCloseTo(along, 5);
    });
  });

  // The reference is slow, because it compares all pairs.
  const crowdTier = engine === 'the reference' ? { tags: 'full' } : {};
  it('keep momentum among many with restitution 1', crowdTier, () => {
    const settings = { restitution: 1, friction: 0.5, substeps: 2 };
    const crowd = create(shapedOptions({ dimensions: 3, kind: 'periodic', count: 200 }, settings));
    const before = crowd.measure() as Awaited<ReturnType<ParticleSimulation['measure']>>;
    for (let step = 0; step < 4; step++) crowd.step(1 / 64);
    const after = crowd.measure() as Awaited<ReturnType<ParticleSimulation['measure']>>;
    expect(after.kineticEnergy).toBeLessThan(before.kineticEnergy);
    after.momentum.forEach((along, axis) => {
      expect(along).toBeCloseTo(before.momentum[axis] as number, 4);
    });
  });

  it.each(DIMENSIONS)('keep momentum in pairs without gravity in %dD', (dimensions) => {
    for (const restitution of [0, 0.5]) {
      const settings = { restitution, friction: 0.5, substeps: 2 };
      const request = { dimensions, kind: 'periodic', count: 60 } as const;
      const pairs = create(inPairs(shapedOptions(request, settings)));
      const before = pairs.measure() as Awaited<ReturnType<ParticleSimulation['measure']>>;
      expect(before.contacts).toBe(30);
      for (let step = 0; step < 4; step++) pairs.step(1 / 64);
      const after = pairs.measure() as Awaited<ReturnType<ParticleSimulation['measure']>>;
      expect(after.kineticEnergy).toBeLessThan(0.98 * before.kineticEnergy);
      after.momentum.forEach((along, axis) => {
        expect(along).toBeCloseTo(before.momentum[axis] as number, 4);
      });
    }
  });

  it('stop with their edges at the walls', () => {
    const simulation = create({
      dimensions: 2,
      min: [0, 0],
      max: [16, 16],
      positions: new Float32Array([0, 16, 15, 1]),
      halfExtents: new Float32Array([2, 0.5, 1, 3]),
    });
    simulation.step(1 / 60);
    const { positions, radii } = simulation.read() as Awaited<ReturnType<ParticleSimulation['read']>>;
    expect([...positions]).toEqual([2, 15.5, 15, 3]);
    expect([...(radii ?? [])]).toEqual([0, 0]);
  });

  describe.each(DIMENSIONS)('in %dD', (dimensions) => {
    const tier = dimensions === 2 ? {} : { tags: 'case' };

    it.each(WORLD_CASES)(
      'have the same pairs as a search of all pairs, in a world that is %s',
      tier,
      (kind) => {
        for (const dyadic of [true, false]) {
          const options = shapedOptions({ dimensions, kind, count: 150, dyadic });
          const simulation = create(options);
          const found = simulation.findPairs() as Awaited<ReturnType<ParticleSimulation['findPairs']>>;
          const shapes = defineShapes(dimensions, options.radii, options.halfExtents);
          const expected = sweepShapes(dimensions, options.positions, shapes, simulation.world);
          const { missing, extra, excused } = comparePairs(found, expected);
          expect([missing.count, extra.count]).toEqual([0, 0]);
          expect(found.count).toBeGreaterThan(20);
          if (dyadic) expect(excused).toBe(0);
          const measures = simulation.measure() as Awaited<ReturnType<ParticleSimulation['measure']>>;
          expect(measures.contacts).toBe(found.count);
          expect(measures.candidates).toBeGreaterThanOrEqual(found.count);
        }
      },
    );

    it.each(WORLD_CASES)(
      'continue from a checkpoint with the same bits, after removals and additions, in a world that is %s',
      tier,
      (kind) => {
        const settings = { restitution: 0.5, friction: 0.4, substeps: 2, capacity: 70 };
        const options = shapedOptions({ dimensions, kind, count: 60 }, settings);
        const straight = create(options);
        const { positions: _p, velocities: _v, radii: _r, halfExtents: _h, ...empty } = options;
        const resumed = create({ ...empty, boxes: true });
        straight.step(1 / 64);
        straight.remove([3, 17, 40]);
        const added = shapedOptions({ dimensions, kind, count: 2, seed: 9 });
        const { positions, radii, halfExtents } = added;
        expect([...straight.add({ positions, radii, halfExtents })]).toEqual([3, 17]);
        const checkpoint = straight.checkpoint() as Awaited<ReturnType<ParticleSimulation['checkpoint']>>;
        expect(checkpoint.radii?.subarray(0, 3)).toEqual(options.radii.subarray(0, 3));
        expect(checkpoint.halfExtents?.subarray(0, 3 * dimensions)).toEqual(
          options.halfExtents.subarray(0, 3 * dimensions),
        );
        expect(checkpoint.halfExtents?.subarray(3 * dimensions, 4 * dimensions)).toEqual(
          halfExtents.subarray(0, dimensions),
        );
        const stored = decodeCheckpoint(encodeCheckpoint(checkpoint));
        expect(stored).toEqual(checkpoint);
        resumed.restore(stored);
        for (let step = 0; step < 3; step++) {
          straight.step(1 / 64);
          resumed.step(1 / 64);
        }
        expect(resumed.measure()).toEqual(straight.measure());
      },
    );

    // The reference takes ten seconds for cubes.
    const restTier = engine === 'the reference' && dimensions === 3 ? { tags: 'full' } : {};
    it('come to rest in layers that are shifted by half a box', restTier, () => {
      const side = 4;
      const positions: number[] = [];
      for (let index = 0; index < side ** dimensions; index++) {
        const [layer, ...across] = Array.from(
          { length: dimensions },
          (__, axis) => Math.floor(index / side ** axis) % side,
        ) as [number, ...number[]];
        const [x = 0, z] = across.map((along) => along + 1 + (layer % 2) / 2);
        positions.push(x, layer + 0.5, ...(z === undefined ? [] : [z]));
      }
      const count = side ** dimensions;
      const simulation = create({
        dimensions,
        min: new Array(dimensions).fill(0),
        max: new Array(dimensions).fill(8),
        positions: Float32Array.from(positions),
        halfExtents: new Float32Array(dimensions * count).fill(0.5),
        gravity: new Array<number>(dimensions).fill(0).with(1, -10),
      });
      for (let step = 0; step < 90; step++) simulation.step(1 / 60);
      const { kineticEnergy, deepestOverlap, contacts } = simulation.measure() as Awaited<
        ReturnType<ParticleSimulation['measure']>
      >;
      expect(Math.sqrt((2 * kineticEnergy) / count)).toBeLessThan(2e-3);
      expect(deepestOverlap).toBeLessThan(0.01);
      expect(contacts).toBeGreaterThan(count);
    });
  });
});

describe('boxes in the CPU engine and the reference', () => {
  it.each(DIMENSIONS.flatMap((dimensions) => WORLD_CASES.map((kind) => [dimensions, kind] as const)))(
    'have nearly the same positions after a step, in %dD in a world that is %s',
    { tags: 'case' },
    (dimensions, kind) => {
      const options = shapedOptions(
        { dimensions, kind, count: 120, seed: 4 },
        { restitution: 0.25, substeps: 1 },
      );
      const simulation = createCpuSimulation(options);
      const reference = new ReferenceSimulation(options);
      simulation.step(1 / 64);
      reference.step(1 / 64);
      const got = simulation.read().positions;
      reference.read().positions.forEach((along, index) => {
        expect(Math.abs((got[index] as number) - along)).toBeLessThan(1e-4);
      });
    },
  );

  it('are pushed apart by `separate` to nearly the same positions', () => {
    const options = shapedOptions({ dimensions: 3, kind: 'unbounded', count: 120, seed: 6 });
    const simulation = createCpuSimulation(options);
    const reference = new ReferenceSimulation(options);
    simulation.separate(2);
    reference.separate(2);
    const got = simulation.read().positions;
    reference.read().positions.forEach((along, index) => {
      expect(Math.abs((got[index] as number) - along)).toBeLessThan(1e-4);
    });
  });

  it('overlap if their corners overlap by a millionth, and not if they just touch', () => {
    const count = 20;
    const noise = createNoise(8);
    const halfExtents = Float32Array.from({ length: 4 * count }, () => 1 + noise());
    const positions = new Float32Array(4 * count);
    for (let pair = 0; pair < count; pair++) {
      for (let axis = 0; axis < 2; axis++) {
        const sides = (halfExtents[4 * pair + axis] as number) + (halfExtents[4 * pair + 2 + axis] as number);
        // One body is at 0, so that differences do not round.
        positions[4 * pair + 2 + axis] = Math.floor(sides * 2 ** 20 - 0.5) / 2 ** 20;
      }
    }
    for (let pair = 0; pair < count; pair++) {
      const [one, two] = [
        positions.subarray(4 * pair, 4 * pair + 4),
        halfExtents.subarray(4 * pair, 4 * pair + 4),
      ];
      for (const create of [
        createCpuSimulation,
        (options: SimulationOptions) => new ReferenceSimulation(options),
      ]) {
        const found = create({
          dimensions: 2,
          unbounded: true,
          positions: one.slice(),
          halfExtents: two.slice(),
        }).findPairs();
        expect(found.count).toBe(1);
      }
    }
    const squares = Float32Array.from(
      { length: 50 },
      (_, index) => 1 + (index % 2 === 0 ? (index / 2) % 5 : Math.floor(index / 10)),
    );
    for (const create of [
      createCpuSimulation,
      (options: SimulationOptions) => new ReferenceSimulation(options),
    ]) {
      const lattice = create({
        dimensions: 2,
        min: [0, 0],
        max: [8, 8],
        positions: squares,
        halfExtents: new Float32Array(50).fill(0.5),
      });
      expect(lattice.measure()).toMatchObject({ contacts: 0, borderline: 0 });
    }
  });

  it('have a default relaxation of 0.3 in 2D and 0.15 in 3D', () => {
    const range = { smallest: 1, largest: 2 };
    expect(DIMENSIONS.map((dimensions) => defaultSettings(dimensions, range, true).relaxation)).toEqual([
      0.3, 0.15,
    ]);
  });
});

describe('options for boxes', () => {
  const options = {
    dimensions: 2,
    min: [0, 0],
    max: [16, 16],
    positions: new Float32Array([4, 4, 8, 8]),
  } as const;
  const both = { radii: new Float32Array([1, 0]), halfExtents: new Float32Array([0, 0, 1, 2]) };

  it.each<[string, object, RegExp]>([
    [
      'a radius of a box',
      { ...both, radii: new Float32Array([1, 1]) },
      /^radii\[1\] is 1, but it must be 0, since this body is a box\.$/,
    ],
    [
      'a ball without a radius',
      { ...both, radii: new Float32Array(2) },
      /^radii\[0\] is 0, but it must be a finite number greater than 0\.$/,
    ],
    ['balls without radii', { halfExtents: new Float32Array([0, 0, 1, 2]) }, /^radii\[0\] is 0, /],
    [
      'a flat box',
      { ...both, halfExtents: new Float32Array([0, 0, 1, 0]) },
      /^halfExtents\[3\] is 0, but it must be finite and at least .*, or 0 on every axis for a ball\.$/,
    ],
    [
      'a negative half extent',
      { ...both, halfExtents: new Float32Array([-1, 2, 1, 1]) },
      /^halfExtents\[0\] is -1, /,
    ],
    [
      'an infinite box',
      { ...both, halfExtents: new Float32Array([0, 0, 1, Number.POSITIVE_INFINITY]) },
      /^halfExtents\[3\] is Infinity, /,
    ],
    [
      'too few half extents',
      { ...both, halfExtents: new Float32Array(3) },
      /^halfExtents is .*a Float32Array of length 4, 2 per body\.$/,
    ],
    [
      'a box out of range',
      { ...both, radiusRange: { smallest: 0.5, largest: 2 } },
      /^halfExtents\[2…\] is \[1, 2\], .*the half extents of a box whose surrounding ball has a radius from 0\.5 to 2 \(the radiusRange\)\.$/,
    ],
    ['a radius besides radii', { ...both, radius: 1 }, /^radius is 1, but it must be left out/],
    [
      'half extents without `boxes`',
      { ...both, boxes: false },
      /^halfExtents is .*left out, since no particle may be a box/,
    ],
    ['a string for `boxes`', { ...both, boxes: 'yes' }, /^boxes is "yes", but it must be true or false\.$/],
    [
      'obstacles without sizes',
      { ...both, obstacles: new Float32Array(2) },
      /^obstacles is .*an object with positions and radii, since each particle has its own radius/,
    ],
    [
      'neither particles nor a range',
      { positions: undefined, boxes: true, capacity: 4 },
      /^radiusRange is undefined, /,
    ],
  ])('reject %s', (_, changes, message) => {
    expect(() => createCpuSimulation({ ...options, ...changes } as SimulationOptions)).toThrow(message);
  });

  it('accept a state with boxes or balls only, whose missing sizes are 0', () => {
    const balls = createCpuSimulation({ ...options, radii: new Float32Array([1, 1]), boxes: true });
    const { halfExtents: _none, ...checkpoint } = balls.checkpoint();
    const stored = decodeCheckpoint(encodeCheckpoint(checkpoint));
    expect(stored.halfExtents).toEqual(new Float32Array(4));
    balls.restore(stored);
    const squares = createCpuSimulation({ ...options, halfExtents: new Float32Array([1, 1, 1, 2]) });
    const { radii: _radii, ...rest } = squares.checkpoint();
    squares.restore(decodeCheckpoint(encodeCheckpoint(rest)));
    expect(squares.read().radii).toEqual(new Float32Array(2));
  });

  it('reject a box that is too large or that `boxes` does not allow, and nothing changes', () => {
    const simulation = createCpuSimulation({
      ...options,
      ...both,
      capacity: 4,
      radiusRange: { smallest: 0.5, largest: 4 },
    });
    const positions = new Float32Array([2, 2]);
    expect(() => simulation.add({ positions, halfExtents: new Float32Array([4, 4]) })).toThrow(
      /^halfExtents\[0…\] is \[4, 4\]/,
    );
    expect(() => simulation.add({ positions })).toThrow(/^radii is undefined, /);
    expect(simulation.count).toBe(2);
    expect([...simulation.add({ positions, halfExtents: new Float32Array([1, 1]) })]).toEqual([2]);
    const plain = createCpuSimulation({ ...options, radii: new Float32Array([1, 1]), capacity: 4 });
    expect(() =>
      plain.add({ positions, radii: new Float32Array([1]), halfExtents: new Float32Array(2) }),
    ).toThrow(/^halfExtents is .*left out, since no particle may be a box/);
    const balls = createCpuSimulation({
      ...options,
      radii: new Float32Array([1, 1]),
      radiusRange: { smallest: 0.5, largest: 4 },
      capacity: 4,
    });
    expect(() => balls.restore(simulation.checkpoint())).toThrow(
      /^checkpoint\.boxes is true, but it must be left out, since no particle of this simulation may be a box\.$/,
    );
    expect(() => simulation.restore(balls.checkpoint())).toThrow(
      /^checkpoint\.boxes is undefined, but it must be true/,
    );
  });
});
