/** Tests that any number of threads gives the same bits as one. Stand-ins for threads take turns, so no test waits. */
import { describe, expect, test } from 'vitest';
import { createCpuGrid, createCpuSimulation, type SimulationOptions } from '../../../../src/cpu';
import { createScene, sceneOptions } from '../../../../src/scenes';
import { repeat } from '../../../../src/scenes/scene';
import { createNoise } from '../../../../src/testing/noise';
import { runsAll } from '../../../helpers/tiers';
import { createTurnGrid, createTurnSimulation } from './crew';

const COUNT = 4500;
const DT = 1 / 60;
/** In the default tier, eight threads are enough here, because other tests use two or four. */
const THREADS = runsAll ? [2, 4, 8] : [8];

type Case = readonly [name: string, scene: string, changes: Partial<Omit<SimulationOptions, 'dimensions'>>];

const CASES: readonly Case[] = [
  ['a pile in a box', 'pile', {}],
  ['a gas that bounces', 'gas', {}],
  ['a periodic world with restitution', 'gas', { periodic: true, restitution: 0.5 }],
  ['an unbounded world', 'uniform', { unbounded: true, min: undefined, max: undefined }],
  ['obstacles with restitution', 'obstacles', { restitution: 0.7 }],
  ['a pair list that several substeps share', 'packing', { friction: 0.5 }],
  ['one substep', 'pile', { substeps: 1 }],
];

function place(box: number, dimensions: number, count: number): Float32Array {
  const next = createNoise(dimensions);
  return Float32Array.from({ length: dimensions * count }, () => box * next());
}

describe.each([2, 3] as const)('A simulation in %dD', (dimensions) => {
  test.each(CASES)('of %s has the bits of one thread', { tags: 'case' }, (_, name, changes) => {
    const options = { ...sceneOptions(createScene(name, { dimensions, count: COUNT })), ...changes };
    const one = createCpuSimulation(options);
    for (let step = 0; step < 3; step++) one.step(DT);
    for (const threads of THREADS) {
      const { simulation, crew } = createTurnSimulation(options, threads);
      for (let step = 0; step < 3; step++) simulation.step(DT);
      expect(crew.jobs).toBeGreaterThan(0);
      expect(simulation.measure()).toEqual(one.measure());
      expect(simulation.checkpoint()).toEqual(one.checkpoint());
    }
  });

  test('of particles that are too crowded for a list has the bits of one thread', () => {
    const box = { min: repeat(0, dimensions), max: repeat(dimensions === 2 ? 40 : 10, dimensions) };
    const positions = place(box.max[0] as number, dimensions, COUNT);
    const options = { dimensions, ...box, radius: 0.5, positions, restitution: 0.2 };
    const one = createCpuSimulation(options);
    const { simulation } = createTurnSimulation(options, 2);
    expect(one.measure().contacts).toBeGreaterThan(4 * COUNT);
    for (let step = 0; step < 2; step++) for (const each of [one, simulation]) each.step(DT);
    expect(simulation.measure()).toEqual(one.measure());
  });

  test('whose buffers, particles and obstacles change between steps has the bits of one thread', () => {
    const options = {
      ...sceneOptions(createScene('obstacles', { dimensions, count: COUNT })),
      capacity: COUNT + 10,
    };
    const one = createCpuSimulation(options);
    const { simulation } = createTurnSimulation(options, 4);
    const moved = new Float32Array(options.obstacles as Float32Array).map((value) => value + 0.25);
    for (const each of [one, simulation]) {
      const { buffers } = each;
      each.step(DT);
      buffers.positions.fill(Number.NaN, 0, 2 * dimensions);
      buffers.velocities.fill(3e38, 20, 22);
      each.step(DT);
      each.remove([5, 6, 4000]);
      each.add({ positions: place(1, dimensions, 7) });
      each.setObstacles(moved);
      each.step(DT);
      each.step(DT);
    }
    expect(one.measure().nonFinite).toBeGreaterThan(1);
    expect(simulation.measure()).toEqual(one.measure());
    expect(simulation.checkpoint()).toEqual(one.checkpoint());
    expect(simulation.buffers).toEqual(one.buffers);
  });

  test('with a naive broad phase runs on one thread', () => {
    const options = { ...sceneOptions(createScene('pile', { dimensions, count: COUNT })), substeps: 2 };
    const one = createCpuSimulation(options);
    const { simulation, crew } = createTurnSimulation({ ...options, broadPhase: 'naive' }, 2);
    for (const each of [one, simulation]) each.step(DT);
    expect(crew.jobs).toBe(0);
    expect(simulation.measure().hash).toBe(one.measure().hash);
  });
});

describe.each([2, 3] as const)('A grid in %dD', (dimensions) => {
  const side = dimensions === 2 ? 60 : 15;
  const box = { min: repeat(0, dimensions), max: repeat(side, dimensions) };
  test.each([
    ['bounded', box],
    ['bounded and sparse', { min: repeat(-400, dimensions), max: repeat(200, dimensions) }],
    ['periodic', { ...box, periodic: true }],
    ['unbounded', { unbounded: true }],
  ] as const)('in a world that is %s lists the same ids and pairs in the same order', (_, world) => {
    const positions = place(side, dimensions, COUNT);
    positions[3] = Number.NaN;
    positions[301] = Number.POSITIVE_INFINITY;
    const options = { dimensions, ...world, diameter: 1, capacity: COUNT };
    const one = createCpuGrid(options);
    one.build(positions);
    const { count, pairs } = one.collectPairs();
    expect(count).toBeGreaterThan(COUNT / 2);
    for (const threads of THREADS) {
      const { grid, crew } = createTurnGrid(options, threads);
      grid.build(positions);
      expect(crew.jobs).toBe(3);
      expect(grid.ids()).toEqual(one.ids());
      expect(grid.cells()).toEqual(one.cells());
      expect(grid.nonFinite).toBe(one.nonFinite);
      expect(grid.countPairs()).toBe(count);
      const found = grid.collectPairs();
      expect(found.count).toBe(count);
      expect(found.pairs.slice(0, 2 * count)).toEqual(pairs.slice(0, 2 * count));
      expect(grid.findPairs()).toEqual(one.findPairs());
      expect(grid.countCandidates()).toBe(one.countCandidates());
      expect(grid.findNear(repeat(side / 2, dimensions), 2)).toEqual(
        one.findNear(repeat(side / 2, dimensions), 2),
      );
    }
  });

  test('grows its list of pairs, and sorts again when particles have moved far', () => {
    const positions = place(side / 2, dimensions, COUNT);
    const options = { dimensions, ...box, diameter: 1, capacity: COUNT };
    const one = createCpuGrid(options);
    const { grid } = createTurnGrid(options, 2);
    for (const given of [place(side, dimensions, COUNT), positions, positions.toReversed()]) {
      one.build(given);
      grid.build(given);
      expect(grid.findPairs()).toEqual(one.findPairs());
    }
  });
});
