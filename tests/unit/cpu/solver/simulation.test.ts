import { describe, expect, it } from 'vitest';
import { ArgumentError, DestroyedError } from '../../../../src/core/base/errors';
import type { SettingsOptions } from '../../../../src/core/contact/settings';
import type { ParticleArrays, SimulationOptions } from '../../../../src/core/simulation/simulation';
import { hashState } from '../../../../src/core/state/hash';
import { type CpuSimulation, createCpuSimulation } from '../../../../src/cpu';
import { ReferenceSimulation } from '../../../../src/reference/solve/simulation';
import { createScene, Random, sceneOptions } from '../../../../src/scenes';
import { repeat } from '../../../../src/scenes/scene';
import { expectSteadyMemory } from '../../../helpers/memory';
import { fc } from '../../../helpers/properties';

type Dimensions = 2 | 3;

const hashOf = (simulation: CpuSimulation) => simulation.measure().hash;

/** A crowd with overlaps of all depths and velocities in all directions. Some particles overlap walls. */
function crowd(dimensions: Dimensions, count: number, seed: number): SimulationOptions {
  const random = new Random(seed);
  const edge = Math.ceil((count * (dimensions === 2 ? 1.2 : 1.1)) ** (1 / dimensions));
  const number = (low: number, high: number) => random.between(1024 * low, 1024 * high) / 1024;
  return {
    dimensions,
    radius: 0.5,
    min: new Array<number>(dimensions).fill(-1),
    max: new Array<number>(dimensions).fill(edge),
    positions: Float32Array.from({ length: dimensions * count }, () => number(-1, edge)),
    velocities: Float32Array.from({ length: dimensions * count }, () => number(-4, 4)),
    gravity: [0.5, -9.8, 0.25].slice(0, dimensions),
  };
}

function difference(a: ParticleArrays, b: ParticleArrays) {
  expect([...a.ids]).toEqual([...b.ids]);
  const greatest = (first: Float32Array, second: Float32Array) =>
    first.reduce((most, value, index) => Math.max(most, Math.abs(value - (second[index] as number))), 0);
  return {
    positions: greatest(a.positions, b.positions),
    velocities: greatest(a.velocities, b.velocities),
  };
}

describe.each([2, 3] as const)('CpuSimulation in %dD', (dimensions) => {
  describe('compared with the reference', () => {
    const cases: SettingsOptions[] = [
      { restitution: 0, friction: 0 },
      { restitution: 0, friction: 0.4 },
      { restitution: 0.5, friction: 0.4 },
      { restitution: 1, friction: 0.4, walls: false },
      { restitution: 0.5, friction: 0.4, broadPhase: 'naive' },
    ];
    it.each(cases)('differs only by rounding after a step with %o', (settings) => {
      for (const seed of [1, 2, 3]) {
        const options = { ...crowd(dimensions, 200, seed), ...settings, substeps: 1 };
        const fast = createCpuSimulation(options);
        const plain = new ReferenceSimulation(options);
        const dt = 1 / 480;
        fast.step(dt);
        plain.step(dt);
        const { positions, velocities } = difference(fast.read(), plain.read());
        // The reference rounds each result to 24 bits, the CPU engine only what it stores. Positions are below 16, and
        // about 40 operations round them. An error of an overlap, times ½ relaxation / dt, is an error of velocity.
        const rounding = 16 * 2 ** -24;
        expect(positions).toBeLessThan(40 * rounding);
        expect(velocities).toBeLessThan((40 * rounding * 0.175) / dt);
        expect(fast.time).toBe(dt);
      }
    });

    it('differs only by rounding after pushing apart, which does not change velocities', () => {
      const options = crowd(dimensions, 200, 4);
      const fast = createCpuSimulation(options);
      const plain = new ReferenceSimulation(options);
      fast.separate(4);
      plain.separate(4);
      const { positions, velocities } = difference(fast.read(), plain.read());
      expect(positions).toBeLessThan(40 * 16 * 2 ** -24);
      expect(velocities).toBe(0);
      expect(fast.time).toBe(0);
    });

    it('pushes coincident particles apart in the same way', () => {
      const positions = new Float32Array(dimensions * 7).fill(2.5);
      const options = { dimensions, radius: 0.5, positions, min: [0, 0, 0].slice(0, dimensions) };
      const max = [5, 5, 5].slice(0, dimensions);
      const fast = createCpuSimulation({ ...options, max });
      const plain = new ReferenceSimulation({ ...options, max });
      fast.step(1 / 60);
      plain.step(1 / 60);
      expect(difference(fast.read(), plain.read()).positions).toBeLessThan(1e-4);
      fast.separate(60);
      expect(fast.measure().meanOverlap).toBeLessThan(0.1);
    });

    it.each(['grid', 'naive'] as const)(
      'has the same measures and pairs with the broad phase %s',
      (broadPhase) => {
        const options = { ...crowd(dimensions, 150, 5), broadPhase };
        const positions = (options.positions as Float32Array).slice();
        positions[0] = 100;
        const fast = createCpuSimulation({ ...options, positions });
        const plain = new ReferenceSimulation({ ...options, positions });
        const a = fast.measure();
        const b = plain.measure();
        for (const name of [
          'count',
          'candidates',
          'contacts',
          'occupiedCells',
          'greatestOccupancy',
          'crowded',
          'outside',
          'nonFinite',
          'hash',
        ] as const) {
          expect(a[name], name).toBe(b[name]);
        }
        expect(a.outside).toBe(1);
        expect(a.kineticEnergy).toBeCloseTo(b.kineticEnergy, 2);
        expect(a.deepestOverlap).toBeCloseTo(b.deepestOverlap, 5);
        expect(a.meanOverlap).toBeCloseTo(b.meanOverlap, 5);
        a.momentum.forEach((component, axis) => {
          expect(component).toBeCloseTo(b.momentum[axis] as number, 3);
        });
        expect(fast.findPairs()).toEqual(plain.findPairs());
        expect(a.contacts).toBe(fast.findPairs().count);
      },
    );
  });

  it.each([0, 0.5, 1])('gives the same bits with both broad phases at restitution %d', (restitution) => {
    const options = { ...crowd(dimensions, 150, 6), restitution };
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
  });

  it('keeps the momentum and the energy of a dilute gas', () => {
    // Walls would change the momentum.
    const scene = createScene('gas', { dimensions, count: 1000 });
    const simulation = createCpuSimulation(sceneOptions(scene, { walls: false }));
    const before = simulation.measure();
    expect(before.kineticEnergy).toBeGreaterThan(0);
    let contacts = 0;
    for (let step = 0; step < 300; step++) {
      simulation.step(1 / 60);
      contacts += simulation.measure().contacts;
    }
    const after = simulation.measure();
    expect(contacts).toBeGreaterThan(100);
    before.momentum.forEach((component, axis) => {
      const change = Math.abs((after.momentum[axis] as number) - component);
      expect(change).toBeLessThan(1e-4 * Math.abs(component));
    });
    expect(Math.abs(after.kineticEnergy / before.kineticEnergy - 1)).toBeLessThan(0.02);
  });

  for (const { count, tags } of [
    { count: 300, tags: [] },
    { count: 1000, tags: 'full' },
  ]) {
    it(`brings a pile of ${count} particles to rest`, { tags }, () => {
      const scene = createScene('pile', { dimensions, count });
      const simulation = createCpuSimulation(sceneOptions(scene));
      for (let step = 0; step < 600; step++) simulation.step(1 / 60);
      const measures = simulation.measure();
      expect(measures.contacts).toBeGreaterThan(count);
      expect(measures.meanOverlap).toBeLessThanOrEqual(0.02);
      expect(measures.deepestOverlap).toBeLessThanOrEqual(0.1);
      expect(measures.outside).toBe(0);
      expect(measures.nonFinite).toBe(0);
      // Gravity adds a speed of 0.02 per substep. Contacts under load may keep a few times this speed as noise.
      expect(Math.sqrt((2 * measures.kineticEnergy) / count)).toBeLessThan(0.1);
    });
  }

  it('gives the same bits in every run, whatever was in memory before', () => {
    const options = { ...crowd(dimensions, 300, 7), restitution: 0.3, capacity: 310 };
    const hashes = [0, 1, 2].map((run) => {
      const simulation = createCpuSimulation(options);
      const { positions, velocities } = options as { positions: Float32Array; velocities: Float32Array };
      if (run > 0) {
        const leaving = [5, 17, 18, 200, 299].slice(run - 1);
        simulation.remove(leaving);
        const packed = (from: Float32Array) =>
          Float32Array.from(
            leaving.flatMap((id) => [...from.subarray(dimensions * id, dimensions * (id + 1))]),
          );
        const ids = simulation.add({ positions: packed(positions), velocities: packed(velocities) });
        expect([...ids]).toEqual(leaving);
        if (run === 2) simulation.measure();
      }
      for (let step = 0; step < 20; step++) simulation.step(1 / 60);
      return hashOf(simulation);
    });
    expect(new Set(hashes).size).toBe(1);
  });

  it('continues from a checkpoint with the same bits', () => {
    const options = { ...crowd(dimensions, 250, 8), restitution: 0.4, friction: 0.3 };
    const straight = createCpuSimulation(options);
    for (let step = 0; step < 10; step++) straight.step(1 / 60);
    const checkpoint = straight.checkpoint();
    const copy = structuredClone(checkpoint);
    for (let step = 0; step < 10; step++) straight.step(1 / 60);
    const resumed = createCpuSimulation({
      dimensions,
      radius: 0.5,
      min: options.min,
      max: options.max,
      capacity: 250,
    });
    resumed.restore(checkpoint);
    for (let step = 0; step < 10; step++) resumed.step(1 / 60);
    expect(hashOf(resumed)).toBe(hashOf(straight));
    expect(resumed.time).toBe(straight.time);
    expect(resumed.settings).toEqual(straight.settings);
    expect(checkpoint).toEqual(copy);
    const { ids, positions, velocities } = checkpoint;
    expect(hashState(dimensions, positions, velocities, ids)).toMatch(/^[0-9a-f]{16}$/);
  });

  it('quarantines particles that are too fast, and the others continue', () => {
    const options = { ...crowd(dimensions, 60, 9), walls: false };
    const clean = createCpuSimulation({ ...options, capacity: 62 });
    const strange = createCpuSimulation({ ...options, capacity: 62 });
    // Two more particles start far from all others, at the ends of the range of 32-bit floats.
    const far = new Float32Array(dimensions).fill(3.4028234e38);
    strange.add({ positions: far });
    strange.add({ positions: far.map((value) => -value) });
    const fast = (speed: number) => {
      const { velocities, ...checkpoint } = strange.checkpoint();
      const changed = velocities.map((value, index) => (index < 60 * dimensions ? value : speed));
      strange.restore({ ...checkpoint, velocities: changed });
    };
    // A speed of 2⁴⁷ is accepted. 2⁴⁸, GREATEST_SPEED, is too much: a step makes the positions NaN.
    fast(2 ** 47);
    strange.step(1e-3);
    expect(strange.measure().nonFinite).toBe(0);
    clean.step(1e-3);
    fast(2 ** 48);
    for (let step = 0; step < 60; step++) {
      clean.step(1 / 60);
      strange.step(1 / 60);
    }
    const measures = strange.measure();
    expect(measures.nonFinite).toBe(2);
    expect(measures.count).toBe(62);
    const { ids, positions } = strange.read();
    expect([...ids.subarray(60)]).toEqual([60, 61]);
    expect(positions.subarray(60 * dimensions).every(Number.isFinite)).toBe(false);
    expect([...positions.subarray(0, 60 * dimensions)]).toEqual([...clean.read().positions]);
    // Quarantined particles survive a checkpoint unchanged.
    const resumed = createCpuSimulation({ ...options, capacity: 62 });
    resumed.restore(strange.checkpoint());
    resumed.step(1 / 60);
    strange.step(1 / 60);
    expect(hashOf(resumed)).toBe(hashOf(strange));
    resumed.remove([60, 61]);
    expect(resumed.measure().nonFinite).toBe(0);
  });

  it('removes particles, and gives new ones the lowest free ids', () => {
    const positions = (count: number, value = 1) =>
      Float32Array.from({ length: dimensions * count }, (_, index) => value + index);
    const simulation = createCpuSimulation({ dimensions, radius: 0.5, capacity: 6, unbounded: true });
    expect([...simulation.add({ positions: positions(4) })]).toEqual([0, 1, 2, 3]);
    simulation.remove([1, 2]);
    expect(simulation.count).toBe(2);
    expect([...simulation.read().ids]).toEqual([0, 3]);
    expect([...simulation.read().positions]).toEqual([
      ...positions(4).subarray(0, dimensions),
      ...positions(4).subarray(3 * dimensions),
    ]);
    expect([...simulation.add({ positions: positions(3, 2) })]).toEqual([1, 2, 4]);
    expect(simulation.count).toBe(5);
    expect([...simulation.read().positions.subarray(dimensions, 2 * dimensions)]).toEqual([
      ...positions(3, 2).subarray(0, dimensions),
    ]);
  });

  it('rejects particles outside the default box, but moves those outside a chosen box to its walls without adding speed', () => {
    const far = new Float32Array(dimensions).fill(-100);
    const empty = createCpuSimulation({ dimensions, radius: 0.5, capacity: 4 });
    const [high] = empty.world.max as [number];
    expect(() => empty.add({ positions: far })).toThrow(ArgumentError);
    expect(() => empty.add({ positions: far })).toThrow(
      `positions[0] (particle 0) is -100, but it must be in the default box (set \`min\` and \`max\` to choose another), from 0 to ${high}.`,
    );
    expect(empty.count).toBe(0);
    empty.add({ positions: far.fill(high) });
    const stony = createCpuSimulation({ dimensions, radius: 0.5, capacity: 4, obstacleCapacity: 1 });
    expect(() => stony.setObstacles(far.fill(-100))).toThrow(
      `obstacles[0] (obstacle 0) is -100, but it must be in the default box (set \`min\` and \`max\` to choose another), from 0 to ${high}.`,
    );
    expect(stony.checkpoint().obstacles).toBeUndefined();
    stony.setObstacles(far.fill(high));
    const sizes = { radiusRange: { smallest: 0.5, largest: 0.5 }, obstacleCapacity: 1 };
    const sized = createCpuSimulation({ dimensions, capacity: 4, ...sizes });
    expect(() => sized.setObstacles({ positions: far.fill(-9), radii: Float32Array.of(20) })).toThrow(
      /^obstacles\.positions\[0\] \(obstacle 0\) is -9, but it must be in the default box/,
    );
    const box = { min: repeat(0, dimensions), max: repeat(8, dimensions) };
    for (const walls of [true, false]) {
      const chosen = createCpuSimulation({ dimensions, radius: 0.5, ...box, capacity: 4, walls });
      chosen.add({ positions: far.fill(-100) });
      expect(chosen.measure().outside).toBe(1);
      chosen.step(1 / 60);
      expect(chosen.measure()).toMatchObject({ outside: walls ? 0 : 1, kineticEnergy: 0 });
      expect(chosen.read().positions).toEqual(far.fill(walls ? 0.5 : -100));
    }
  });

  it('rejects bad input with an explanation and keeps its state', () => {
    const options = crowd(dimensions, 20, 10);
    const simulation = createCpuSimulation({ ...options, capacity: 25 });
    const before = hashOf(simulation);
    const nan = new Float32Array(dimensions).fill(Number.NaN);
    const checkpoint = simulation.checkpoint();
    const attempts: (() => unknown)[] = [
      () => simulation.step(-1),
      () => simulation.step(Number.NaN),
      () => simulation.step(16),
      () => simulation.profile(16),
      () => simulation.separate(0),
      () => simulation.set({ friction: -1 }),
      () => simulation.set({ gravty: [0, 0] } as SettingsOptions),
      () => simulation.add({ positions: new Float32Array(6 * dimensions) }),
      () => simulation.add({ positions: nan }),
      () => simulation.add({ positions: new Float32Array(dimensions), velocities: nan }),
      () => simulation.add({} as { positions: Float32Array }),
      () => simulation.remove([3, 3]),
      () => simulation.remove([24]),
      () => simulation.restore({ ...checkpoint, ids: checkpoint.ids.map((id) => id + 10) }),
      () => simulation.restore({ ...checkpoint, positions: new Float32Array(1) }),
      () => simulation.restore({ ...checkpoint, settings: { ...checkpoint.settings, friction: -1 } }),
      () => createCpuSimulation({ ...options, radius: 0 }),
      () => createCpuSimulation({ ...options, cellSize: 0.5 }),
      () => createCpuSimulation({ ...options, capacity: 10 }),
    ];
    for (const attempt of attempts) expect(attempt).toThrow(ArgumentError);
    for (const attempt of attempts) expect(attempt).toThrow(/^.+ is .+, but it must be .+\.$/);
    expect(simulation.count).toBe(20);
    expect(hashOf(simulation)).toBe(before);
    const slow = createCpuSimulation({ ...options, longestStep: 16 });
    slow.step(16);
    expect([slow.longestStep, slow.time, simulation.longestStep]).toEqual([16, 16, 1]);
    simulation.destroy();
    simulation.destroy();
    expect(() => simulation.step(1)).toThrow(DestroyedError);
    expect(() => simulation.read()).toThrow(DestroyedError);
    expect(() => simulation.measure()).toThrow(DestroyedError);
  });

  it('allocates nothing in a step, and alternates between the same buffers', () => {
    const simulation = createCpuSimulation({ ...crowd(dimensions, 100, 11), restitution: 0.5 });
    expectSteadyMemory(simulation);
  });

  it.each([0, 1, 2])('works with %d particles', (count) => {
    const simulation = createCpuSimulation({
      dimensions,
      radius: 0.5,
      min: new Array(dimensions).fill(0),
      max: new Array(dimensions).fill(3),
      positions: new Float32Array(dimensions * count).fill(1),
    });
    expect(simulation.findPairs().pairs.length).toBe(count === 2 ? 2 : 0);
    simulation.step(1 / 60);
    simulation.step(0);
    simulation.separate();
    expect(simulation.time).toBe(1 / 60);
    expect(simulation.measure().count).toBe(count);
    expect(simulation.read().ids.length).toBe(count);
    simulation.remove(simulation.read().ids);
    simulation.step(1 / 60);
    expect(simulation.count).toBe(0);
  });

  it('keeps all particles inside the walls, whatever the settings', () => {
    const settings = fc.record({
      restitution: fc.double({ min: 0, max: 1, noNaN: true }),
      friction: fc.double({ min: 0, max: 10, noNaN: true }),
      relaxation: fc.double({ min: 0.01, max: 1, noNaN: true }),
      substeps: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(settings, fc.integer({ min: 0, max: 1000 }), (changes, seed) => {
        const simulation = createCpuSimulation({ ...crowd(dimensions, 40, seed), ...changes });
        for (let step = 0; step < 4; step++) simulation.step(1 / 60);
        const { outside, nonFinite, count } = simulation.measure();
        expect({ outside, nonFinite, count }).toEqual({ outside: 0, nonFinite: 0, count: 40 });
      }),
    );
  });
});

describe('simulations of both dimensions side by side', () => {
  const all = { periodic: true } as const;
  const ofSizes = { radius: undefined, radiusRange: { smallest: 0.5, largest: 0.75 } } as const;
  it.each([
    ['bounded', {}],
    ['periodic', all],
    ['bounded, with many sizes', ofSizes],
    ['periodic, with many sizes', { ...all, ...ofSizes }],
    ['periodic, with boxes', { ...all, ...ofSizes, boxes: true }],
  ] as const)('give the same bits as one alone, in a world that is %s', (_, world) => {
    const run = (dimensions: Dimensions, interrupt: () => void) => {
      const options = { ...crowd(dimensions, 200, 5), ...world };
      const count = (options.positions as Float32Array).length / dimensions;
      const radii = new Float32Array(count).fill(0.5).fill(0.75, 0, 20);
      const sizes = 'radiusRange' in world ? { radii } : {};
      const simulation = createCpuSimulation({ ...options, ...sizes, friction: 0.5, restitution: 0.5 });
      for (let step = 0; step < 3; step++) {
        interrupt();
        simulation.step(1 / 60);
      }
      return hashOf(simulation);
    };
    const alone = run(2, () => undefined);
    expect(run(2, () => run(3, () => undefined))).toBe(alone);
  });
});
