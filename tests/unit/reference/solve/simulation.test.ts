import { describe, expect, it } from 'vitest';
import { ArgumentError, DestroyedError } from '../../../../src/core/base/errors';
import { planSimulation } from '../../../../src/core/simulation/plan';
import type { SimulationOptions } from '../../../../src/core/simulation/simulation';
import { bruteForcePairs } from '../../../../src/reference/query/brute-force';
import { ReferenceSimulation } from '../../../../src/reference/solve/simulation';
import { createScene, sceneOptions } from '../../../../src/scenes';
import { EQUAL_RADIUS_CASES } from '../../../helpers/scene-names';

const DT = 1 / 60;

function create(
  name: string,
  dimensions: 2 | 3,
  count: number,
  changes: Partial<SimulationOptions> = {},
): ReferenceSimulation {
  return new ReferenceSimulation(sceneOptions(createScene(name, { dimensions, count, seed: 7 }), changes));
}

function advance(simulation: ReferenceSimulation, steps: number): ReferenceSimulation {
  for (let step = 0; step < steps; step++) simulation.step(DT);
  return simulation;
}

const hashOf = (simulation: ReferenceSimulation) => simulation.measure().hash;

describe('the state after 100 steps', () => {
  it.each([
    [2, 64, {}, '978797887d7889a6'],
    [3, 64, {}, '3b69c4add6b948a6'],
    [2, 40, { restitution: 0.5, substeps: 2 }, '3b5f56048369a566'],
  ] as const)(
    'of a pile in %dD with %d particles and the settings %j is the recorded one',
    (dimensions, count, changes, golden) => {
      const simulation = advance(create('pile', dimensions, count, changes), 100);
      expect(hashOf(simulation)).toBe(golden);
      expect(simulation.measure()).toMatchObject({ count, outside: 0, nonFinite: 0 });
      expect(simulation.time).toBeCloseTo(100 / 60, 9);
    },
  );
});

// Steps of the reference are slow in 3D.
describe.each([2, 3] as const)('in %dD', (dimensions) => {
  const tags = dimensions === 3 ? 'full' : [];

  it('a gas between walls keeps its energy over 1,000 steps', { tags }, () => {
    const simulation = create('gas', dimensions, 30);
    const before = simulation.measure();
    advance(simulation, 1000);
    const after = simulation.measure();
    expect(Math.abs(after.kineticEnergy / before.kineticEnergy - 1)).toBeLessThan(0.02);
    expect(after).toMatchObject({ outside: 0, nonFinite: 0 });
  });

  it('a gas without walls keeps its momentum', { tags }, () => {
    const simulation = create('gas', dimensions, 50, { walls: false });
    const before = simulation.measure();
    const size = Math.hypot(...before.momentum);
    advance(simulation, 200);
    const after = simulation.measure();
    const change = after.momentum.map((along, axis) => along - (before.momentum[axis] as number));
    expect(Math.hypot(...change) / size).toBeLessThan(1e-4);
    expect(hashOf(simulation)).not.toBe(before.hash);
  });

  it('a small pile comes to rest with little overlap', { tags }, () => {
    const count = 30;
    const simulation = advance(create('pile', dimensions, count), 400);
    const measures = simulation.measure();
    expect(measures.meanOverlap).toBeLessThan(0.02);
    expect(measures.deepestOverlap).toBeLessThan(0.1);
    expect(measures.kineticEnergy / count).toBeLessThan(0.01);
    expect(measures.outside).toBe(0);
  });
});

describe('a step of the reference', () => {
  it('gives the same bits for both broad phases, and counts their candidates', () => {
    const grid = advance(create('pile', 2, 50), 20);
    const naive = advance(create('pile', 2, 50, { broadPhase: 'naive' }), 20);
    expect(hashOf(naive)).toBe(hashOf(grid));
    expect(naive.measure().candidates).toBe((50 * 49) / 2);
    expect(grid.measure().candidates).toBeLessThan((50 * 49) / 2);
  });

  it('quarantines non-finite particles; the others continue as without them', () => {
    const scene = createScene('pile', { dimensions: 2, count: 40, seed: 7 });
    const alone = new ReferenceSimulation(sceneOptions(scene, { capacity: 41 }));
    const other = new ReferenceSimulation(sceneOptions(scene, { capacity: 41 }));
    const { positions, velocities, ids, ...rest } = other.checkpoint();
    other.restore({
      ...rest,
      ids: Uint32Array.from([...ids, 40]),
      positions: Float32Array.from([...positions, Number.NaN, 3]),
      velocities: Float32Array.from([...velocities, 1, 1]),
    });
    advance(alone, 50);
    advance(other, 50);
    expect(other.measure()).toMatchObject({ count: 41, nonFinite: 1 });
    expect(other.read().positions.slice(0, 80)).toEqual(alone.read().positions);
    expect([...other.read().positions.slice(80)]).toEqual([Number.NaN, 3]);
    other.remove([40]);
    expect(hashOf(other)).toBe(hashOf(alone));
  });

  it('quarantines a particle that is too fast', () => {
    const simulation = new ReferenceSimulation({
      dimensions: 2,
      radius: 0.5,
      min: [0, 0],
      max: [8, 8],
      walls: false,
      positions: new Float32Array([2, 2, 5, 5]),
      velocities: new Float32Array([2 ** 47, 0, 0, 1]),
    });
    const { positions, velocities, ...rest } = simulation.checkpoint();
    simulation.restore({ ...rest, positions, velocities: new Float32Array([2 ** 48, 0, 0, 1]) });
    expect(simulation.measure().nonFinite).toBe(0);
    advance(simulation, 200);
    expect(simulation.measure()).toMatchObject({ count: 2, nonFinite: 1 });
    expect(simulation.read().positions[3]).toBeCloseTo(5 + 200 / 60, 3);
  });
});

describe('a simulation that gains and loses particles', () => {
  it('uses the lowest free ids for new particles, and removes by id', () => {
    const simulation = create('gas', 2, 10, { capacity: 12 });
    simulation.remove([3, 7]);
    expect(simulation.count).toBe(8);
    expect([...simulation.read().ids]).toEqual([0, 1, 2, 4, 5, 6, 8, 9]);
    const ids = simulation.add({ positions: new Float32Array([1, 1, 2, 2, 3, 3]) });
    expect([...ids]).toEqual([3, 7, 10]);
    const state = simulation.read();
    expect([...state.ids]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect([...state.positions.slice(6, 8), ...state.velocities.slice(6, 8)]).toEqual([1, 1, 0, 0]);
    expect(simulation.count).toBe(11);
    advance(simulation, 3);
    expect([...simulation.read().ids]).toEqual([...state.ids]);
  });

  it('can be emptied and filled again', () => {
    const simulation = create('pile', 3, 5);
    simulation.remove([0, 1, 2, 3, 4]);
    simulation.step(DT);
    simulation.separate();
    expect(simulation.measure()).toMatchObject({ count: 0, contacts: 0 });
    expect(simulation.findPairs().count).toBe(0);
    expect([...simulation.add({ positions: new Float32Array([1, 1, 1]) })]).toEqual([0]);
  });

  it('rejects invalid arguments, and keeps its state', () => {
    const simulation = create('gas', 2, 4, { capacity: 5 });
    const before = hashOf(simulation);
    for (const attempt of [
      () => simulation.add({ positions: new Float32Array(4) }),
      () => simulation.add({ positions: new Float32Array([1, Number.NaN]) }),
      () => simulation.add({ positions: new Float32Array(3) }),
      () => simulation.add({ positions: new Float32Array(2), velocities: new Float32Array(4) }),
      () => simulation.remove([4]),
      () => simulation.remove([0, 0]),
      () => simulation.step(-1),
      () => simulation.step(Number.NaN),
      () => simulation.set({ friction: -1 }),
      () => simulation.separate(0),
      () => new ReferenceSimulation({ dimensions: 2, radius: 0.5, capacity: 1, exact: true }),
      () => simulation.restore({ ...simulation.checkpoint(), dimensions: 3 }),
      () => simulation.restore({ ...simulation.checkpoint(), time: Number.NaN }),
      () => simulation.restore({ ...simulation.checkpoint(), time: -1 }),
      () => {
        const { velocities, ...rest } = simulation.checkpoint();
        simulation.restore({ ...rest, velocities: velocities.with(1, Number.NaN) });
      },
    ]) {
      expect(attempt).toThrow(ArgumentError);
      expect([simulation.count, simulation.time, hashOf(simulation)]).toEqual([4, 0, before]);
    }
  });
});

describe('checkpoints', () => {
  it.each(EQUAL_RADIUS_CASES)(
    'of the scene %s in %dD continue with the same bits',
    { tags: 'case' },
    (name, dimensions) => {
      const whole = create(name, dimensions, 40, { friction: 0.3 });
      advance(whole, 5);
      const checkpoint = structuredClone(whole.checkpoint());
      advance(whole, 5);
      // These particles have another seed, so restoring must overwrite all their data.
      const restored = new ReferenceSimulation({
        ...sceneOptions(createScene(name, { dimensions, count: 40, seed: 8 })),
        capacity: 60,
      });
      restored.restore(checkpoint);
      expect(restored.settings).toEqual(whole.settings);
      advance(restored, 5);
      expect(hashOf(restored)).toBe(hashOf(whole));
      expect(restored.time).toBe(whole.time);
      expect(restored.read()).toEqual(whole.read());
    },
  );
});

describe('a simulation of the reference', () => {
  it('finds pairs at the present positions', () => {
    const simulation = advance(create('uniform', 2, 200), 1);
    const { positions } = simulation.read();
    const { overlapping, ambiguous } = bruteForcePairs(2, positions, 1);
    expect(ambiguous.count).toBe(0);
    expect(simulation.findPairs()).toEqual({ ...overlapping, borderline: 0 });
    expect(simulation.measure().contacts).toBe(overlapping.count);
  });

  it('pushes apart without changing velocities or time', () => {
    const simulation = create('packing', 2, 100);
    const before = simulation.measure();
    const velocities = simulation.read().velocities;
    simulation.separate(20);
    expect(simulation.measure().meanOverlap).toBeLessThan(before.meanOverlap);
    expect(simulation.read().velocities).toEqual(velocities);
    expect(simulation.time).toBe(0);
  });

  it('changes settings between steps, and does nothing in a step of 0 s', () => {
    const simulation = create('pile', 2, 20);
    const before = hashOf(simulation);
    simulation.step(0);
    expect(hashOf(simulation)).toBe(before);
    simulation.set({ gravity: [0, 0] });
    advance(simulation, 5);
    expect(simulation.measure().kineticEnergy).toBe(0);
    expect(simulation.settings.gravity).toEqual([0, 0]);
    expect(simulation.memoryBytes).toBeGreaterThan(20 * 24);
  });

  it('rejects all use after destroy()', () => {
    const simulation = create('gas', 2, 3);
    simulation.destroy();
    for (const attempt of [
      () => simulation.step(DT),
      () => simulation.separate(),
      () => simulation.measure(),
      () => simulation.findPairs(),
      () => simulation.read(),
      () => simulation.checkpoint(),
      () => simulation.set({}),
      () => simulation.add({ positions: new Float32Array(0) }),
      () => simulation.remove([]),
    ]) {
      expect(attempt).toThrow(DestroyedError);
    }
  });

  it('has the world, the radius, the counts and the settings of the plan', () => {
    const options = sceneOptions(createScene('lattice', { dimensions: 3, count: 30 }), { capacity: 99 });
    const plan = planSimulation(options);
    const simulation = new ReferenceSimulation(options);
    expect(simulation).toMatchObject({
      backend: 'cpu',
      dimensions: 3,
      world: plan.world,
      radius: 0.4375,
      capacity: 99,
      count: 30,
      settings: plan.settings,
    });
  });
});
