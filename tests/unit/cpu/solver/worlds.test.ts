import { describe, expect, it } from 'vitest';
import type { SettingsOptions } from '../../../../src/core/contact/settings';
import type { Measures, SimulationOptions } from '../../../../src/core/simulation/simulation';
import { type CpuSimulation, createCpuSimulation } from '../../../../src/cpu';
import { minimumImageInDoubles } from '../../../../src/reference/solve/contact';
import { ReferenceSimulation } from '../../../../src/reference/solve/simulation';
import { Random } from '../../../../src/scenes';
import { repeat } from '../../../../src/scenes/scene';
import { optionsOf, unusualCrowds } from '../../../helpers/inputs/unusual-worlds';

import { expectSteadyMemory } from '../../../helpers/memory';
import { expectSeen, fc, runs } from '../../../helpers/properties';

type Dimensions = 2 | 3;

const arbitraryCrowd = (kind: string, dimensions: Dimensions, most: number) =>
  (unusualCrowds[kind] as (typeof unusualCrowds)[string])(dimensions, most);

const KINDS = Object.keys(unusualCrowds);

function crowd(kind: string, dimensions: Dimensions, count: number, seed: number): SimulationOptions {
  const random = new Random(seed);
  const edge = Math.ceil((count * (dimensions === 2 ? 1.2 : 1.1)) ** (1 / dimensions));
  const number = (low: number, high: number) => random.between(1024 * low, 1024 * high) / 1024;
  const corners = {
    min: repeat(-1, dimensions),
    max: repeat(edge + 0.375, dimensions),
  };
  const world =
    kind === 'unbounded'
      ? { unbounded: true }
      : kind === 'periodic'
        ? { ...corners, periodic: true }
        : { ...corners, periodic: [false, true, false].slice(0, dimensions) };
  return {
    dimensions,
    radius: 0.5,
    ...world,
    positions: Float32Array.from({ length: dimensions * count }, () => number(-1, edge)),
    velocities: Float32Array.from({ length: dimensions * count }, () => number(-4, 4)),
    gravity: [0.5, -9.8, 0.25].slice(0, dimensions),
  };
}

const WORLDS = ['periodic', 'partly periodic', 'unbounded'];

const hashOf = (simulation: CpuSimulation) => simulation.measure().hash;

const INTEGERS = [
  'count',
  'candidates',
  'contacts',
  'occupiedCells',
  'greatestOccupancy',
  'crowded',
  'bucketCollisions',
  'outside',
  'nonFinite',
] as const;

function expectSameMeasures(fast: Measures, plain: Measures): void {
  for (const name of INTEGERS) expect(fast[name], name).toBe(plain[name]);
  expect(fast.hash).toBe(plain.hash);
  expect(fast.borderline).toBe(0);
  expect(fast.deepestOverlap).toBeCloseTo(plain.deepestOverlap, 5);
  expect(fast.meanOverlap).toBeCloseTo(plain.meanOverlap, 5);
}

describe.each([2, 3] as const)('CpuSimulation in %dD', (dimensions) => {
  const tags = dimensions === 3 ? 'case' : [];

  describe.each(WORLDS)('in a world that is %s', { tags }, (kind) => {
    /** Returns the greatest differences of components of the positions (as minimum images) and of the velocities. */
    function difference(fast: CpuSimulation, plain: ReferenceSimulation) {
      const [a, b] = [fast.read(), plain.read()];
      expect([...a.ids]).toEqual([...b.ids]);
      const { period } = fast.world;
      let positions = 0;
      let velocities = 0;
      a.positions.forEach((value, index) => {
        const apart = value - (b.positions[index] as number);
        positions = Math.max(
          positions,
          Math.abs(minimumImageInDoubles(apart, period[index % dimensions] as number)),
        );
        velocities = Math.max(
          velocities,
          Math.abs((a.velocities[index] as number) - (b.velocities[index] as number)),
        );
      });
      return { positions, velocities };
    }

    const cases: SettingsOptions[] = [
      { restitution: 0, friction: 0.4 },
      { restitution: 0.5, friction: 0.4 },
      { restitution: 0.5, friction: 0.4, broadPhase: 'naive' },
      { restitution: 1, friction: 0, walls: false },
    ];
    it.each(cases)(
      'differs from the reference only by rounding after each of 8 steps with %o',
      (settings) => {
        const options = { ...crowd(kind, dimensions, 200, 1), ...settings, substeps: 1 };
        const fast = createCpuSimulation(options);
        const plain = new ReferenceSimulation(options);
        const dt = 1 / 240;
        for (let step = 0; step < 8; step++) {
          fast.step(dt);
          plain.step(dt);
          const { positions, velocities } = difference(fast, plain);
          // Twice the bound of simulation.test.ts, because a difference across an end is rounded twice.
          const rounding = 2 * 16 * 2 ** -24;
          expect(positions).toBeLessThan(40 * rounding);
          expect(velocities).toBeLessThan((40 * rounding * 0.175) / dt);
          // Start from the same bits again, because rounding errors grow.
          plain.restore(fast.checkpoint());
          expectSameMeasures(fast.measure(), plain.measure());
          expect(fast.findPairs()).toMatchObject({ count: plain.findPairs().count, borderline: 0 });
        }
      },
    );

    it('moves a sparse crowd to the positions of the reference in 20 steps', () => {
      const { positions, velocities, ...options } = crowd(kind, dimensions, 200, 2);
      const some = { ...options, gravity: repeat(0, dimensions), substeps: 2 };
      const few = {
        ...some,
        positions: (positions as Float32Array).slice(0, 20 * dimensions),
        velocities: (velocities as Float32Array).slice(0, 20 * dimensions),
      };
      const fast = createCpuSimulation(few);
      const plain = new ReferenceSimulation(few);
      for (let step = 0; step < 20; step++) {
        fast.step(1 / 20);
        plain.step(1 / 20);
      }
      expect(difference(fast, plain).positions).toBeLessThan(1e-3);
      const [a, b] = [fast.measure(), plain.measure()];
      for (const name of INTEGERS) expect(a[name], name).toBe(b[name]);
      expect(a.outside).toBe(0);
    });

    it('differs only by rounding after pushing apart, which does not change velocities', () => {
      const options = crowd(kind, dimensions, 200, 4);
      const fast = createCpuSimulation(options);
      const plain = new ReferenceSimulation(options);
      fast.separate(4);
      plain.separate(4);
      const { positions, velocities } = difference(fast, plain);
      expect(positions).toBeLessThan(80 * 16 * 2 ** -24);
      expect(velocities).toBe(0);
    });

    it.each([0, 0.5, 1])('gives the same bits with both broad phases at restitution %d', (restitution) => {
      const options = { ...crowd(kind, dimensions, 150, 6), restitution };
      const grid = createCpuSimulation(options);
      const naive = createCpuSimulation({ ...options, broadPhase: 'naive' });
      for (let step = 0; step < 5; step++) {
        grid.step(1 / 60);
        naive.step(1 / 60);
        grid.separate(2);
        naive.separate(2);
      }
      expect(hashOf(naive)).toBe(hashOf(grid));
      expect(naive.measure().candidates).toBe((150 * 149) / 2);
      expect(naive.findPairs()).toEqual(grid.findPairs());
    });

    it('gives the same bits in every run, whatever was in memory before', () => {
      const options = { ...crowd(kind, dimensions, 300, 7), restitution: 0.3, capacity: 310 };
      const hashes = [0, 1, 2].map((run) => {
        const simulation = createCpuSimulation(options);
        const { positions, velocities } = options as { positions: Float32Array; velocities: Float32Array };
        if (run > 0) {
          const leaving = [5, 17, 18, 200, 299].slice(run - 1);
          simulation.remove(leaving);
          expect(simulation.count).toBe(300 - leaving.length);
          const packed = (from: Float32Array) =>
            Float32Array.from(
              leaving.flatMap((id) => [...from.subarray(dimensions * id, dimensions * (id + 1))]),
            );
          const ids = simulation.add({ positions: packed(positions), velocities: packed(velocities) });
          expect([...ids]).toEqual(leaving);
        }
        for (let step = 0; step < 20; step++) {
          simulation.step(1 / 60);
          if (run === 2) simulation.measure();
        }
        return hashOf(simulation);
      });
      expect(new Set(hashes).size).toBe(1);
    });

    it('continues from a checkpoint with the same bits', () => {
      const options = { ...crowd(kind, dimensions, 250, 8), restitution: 0.4, friction: 0.3 };
      const straight = createCpuSimulation(options);
      for (let step = 0; step < 10; step++) straight.step(1 / 60);
      const checkpoint = straight.checkpoint();
      for (let step = 0; step < 10; step++) straight.step(1 / 60);
      const { positions: _, velocities: __, ...empty } = options;
      const resumed = createCpuSimulation({ ...empty, capacity: 250 });
      resumed.restore(checkpoint);
      for (let step = 0; step < 10; step++) resumed.step(1 / 60);
      expect(hashOf(resumed)).toBe(hashOf(straight));
      const plain = new ReferenceSimulation({ ...empty, capacity: 250 });
      plain.restore(checkpoint);
      resumed.restore(checkpoint);
      expectSameMeasures(resumed.measure(), plain.measure());
    });

    it('allocates nothing in a step, and alternates between the same buffers', () => {
      const options = { ...crowd(kind, dimensions, 100, 11), restitution: 0.5 };
      const simulation = createCpuSimulation(options);
      expectSteadyMemory(simulation);
    });

    it('pushes coincident particles apart like the reference', () => {
      const { positions: _, velocities: __, ...options } = crowd(kind, dimensions, 100, 1);
      const low = options.unbounded ? 1e6 : -1;
      const positions = new Float32Array(dimensions * 7).fill(low);
      const fast = createCpuSimulation({ ...options, positions, substeps: 1 });
      const plain = new ReferenceSimulation({ ...options, positions, substeps: 1 });
      for (let step = 0; step < 8; step++) {
        fast.step(1 / 480);
        plain.step(1 / 480);
        // Floats near a million are multiples of 1/16.
        expect(difference(fast, plain).positions).toBeLessThan(options.unbounded ? 0.1 : 1e-6);
        // Start from the same bits again, because rounding errors grow.
        plain.restore(fast.checkpoint());
      }
      expectSameMeasures(
        createCpuSimulation({ ...options, positions }).measure(),
        new ReferenceSimulation({ ...options, positions }).measure(),
      );
    });

    it.each([0, 1, 2])('works with %d particles', (count) => {
      const { positions: _, velocities: __, ...options } = crowd(kind, dimensions, 100, 1);
      const simulation = createCpuSimulation({
        ...options,
        positions: new Float32Array(dimensions * count).fill(1),
      });
      expect(simulation.findPairs().pairs.length).toBe(count === 2 ? 2 : 0);
      simulation.step(1 / 60);
      expect(simulation.measure().count).toBe(count);
      simulation.separate(2);
      simulation.remove(simulation.read().ids);
      simulation.step(1 / 60);
      expect(simulation.count).toBe(0);
    });
  });

  it.each(KINDS)(
    'has the measures and results of the reference, at any positions, in a world that is %s',
    (kind) => {
      let collisions = 0;
      fc.assert(
        fc.property(
          arbitraryCrowd(kind, dimensions, 60).filter(({ positions }) => positions.every(Number.isFinite)),
          ({ world, positions }) => {
            const options = { ...optionsOf(world), radius: world.diameter / 2, positions, capacity: 60 };
            const fast = createCpuSimulation(options);
            const plain = new ReferenceSimulation(options);
            expect(fast.world).toEqual(world);
            expect([...fast.read().positions]).toEqual([...plain.read().positions]);
            const [a, b] = [fast.measure(), plain.measure()];
            collisions += a.bucketCollisions;
            for (const name of INTEGERS) {
              // The reference decides borderline pairs in 32-bit floats; the CPU engine decides them exactly.
              if (name !== 'contacts' || b.borderline === 0) expect(a[name], name).toBe(b[name]);
            }
            expect(a.hash).toBe(b.hash);
          },
        ),
        runs(100),
      );
      if (kind === 'unbounded') expectSeen(collisions, 1000);
    },
  );

  it('resolves a contact across the ends of a periodic world like any other', () => {
    const edge = 8;
    const options = {
      dimensions,
      radius: 0.5,
      min: repeat(0, dimensions),
      max: repeat(edge, dimensions),
      periodic: true,
      restitution: 0.5,
      friction: 0.3,
    };
    const { positions, velocities } = crowd('unbounded', dimensions, 30, 12) as {
      positions: Float32Array;
      velocities: Float32Array;
    };
    const at = (shift: number) => {
      const simulation = createCpuSimulation({
        ...options,
        velocities,
        positions: positions.map((value) => (((value + shift) % edge) + edge) % edge),
      });
      const run = [simulation.measure()];
      simulation.step(1 / 60);
      run.push(simulation.measure());
      return run;
    };
    const [start, end] = at(1) as [Measures, Measures];
    // Even differences do not change to which side deep contacts push.
    for (const shift of [3, 5, 7]) {
      const [first, last] = at(shift) as [Measures, Measures];
      expect(first.contacts).toBe(start.contacts);
      expect(first.meanOverlap).toBeCloseTo(start.meanOverlap, 10);
      expect(last.kineticEnergy).toBeCloseTo(end.kineticEnergy, 1);
    }
  });

  it('gives the same bits away from the ends of a periodic world as in a box without walls', () => {
    const { positions, velocities, radius } = crowd('unbounded', dimensions, 60, 13);
    const box = {
      dimensions,
      radius,
      positions,
      velocities,
      min: repeat(-16, dimensions),
      max: repeat(48, dimensions),
      restitution: 0.5,
      walls: false,
    };
    const bounded = createCpuSimulation(box);
    const periodic = createCpuSimulation({ ...box, periodic: true });
    for (let step = 0; step < 3; step++) {
      bounded.step(1 / 60);
      periodic.step(1 / 60);
    }
    expect(hashOf(periodic)).toBe(hashOf(bounded));
    const { min: _, max: __, ...rest } = box;
    const unbounded = createCpuSimulation({ ...rest, unbounded: true });
    unbounded.step(1 / 480);
    const again = createCpuSimulation(box);
    again.step(1 / 480);
    // Sums have a different order in an unbounded world.
    const [a, b] = [unbounded.read(), again.read()];
    a.positions.forEach((value, index) => {
      expect(value).toBeCloseTo(b.positions[index] as number, 5);
    });
  });

  it('finds equal contacts in two equal clusters a million cells apart', () => {
    const { positions, ...options } = crowd('unbounded', dimensions, 40, 14);
    const cluster = positions as Float32Array;
    // Multiples of 1/8 are exact in both clusters.
    const coarse = cluster.map((value) => Math.round(8 * value) / 8);
    const twice = Float32Array.from([...coarse, ...coarse.map((value) => value + 2 ** 20)]);
    const simulation = createCpuSimulation({ ...options, positions: twice, velocities: undefined });
    const { contacts, candidates, occupiedCells } = createCpuSimulation({
      ...options,
      positions: coarse,
      velocities: undefined,
    }).measure();
    const both = simulation.measure();
    expect([both.contacts, both.candidates, both.occupiedCells]).toEqual([
      2 * contacts,
      2 * candidates,
      2 * occupiedCells,
    ]);
    simulation.step(1 / 60);
    expect(simulation.measure()).toMatchObject({ count: 80, nonFinite: 0, outside: 0 });
  });
});
