/** Tests measures, pairs and pair events of exact simulations on both engines. */
import { describe, expect } from 'vitest';
import { toExactObstacles } from '../../../src/core/exact/convert';
import { defineQuanta } from '../../../src/core/exact/quanta';
import { pairEvents } from '../../../src/core/simulation/pair-events';
import { createCpuSimulation } from '../../../src/cpu';
import { HashGrid } from '../../../src/engine/grid/hash-grid';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { DT, exactScene } from '../../helpers/exact/cases';
import { eventsBetween, exactObstacleContactsOf, exactPairsOf } from '../../helpers/exact/oracle';
import { gpuTest, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS } from '../../helpers/passes';

const FULL = { ...SHARED, tags: 'full' } as const;

describe.each(DIMENSIONS)('queries of exact simulations, %dD', (dimensions) => {
  gpuTest(
    'find the pairs and the events of brute force, on both engines',
    async (_, { wrap }) => {
      const options = exactScene('clustered', dimensions, 300, {
        capacity: 320,
        periodic: [true, false, true].slice(0, dimensions),
        restitution: 1,
      });
      const cpu = createCpuSimulation(options);
      const simulation = await createSimulation(wrap(), options);
      const units = defineQuanta(cpu.world, Math.fround(2 * cpu.radius));
      const kinds = { begun: 0, stayed: 0, ended: 0 };
      let before = exactPairsOf(cpu.checkpoint(), units);
      let lists = [cpu.findPairs(), await simulation.findPairs()] as const;
      for (const change of ['step', 'separate', 'remove', 'add', 'step'] as const) {
        for (const one of [cpu, simulation]) {
          if (change === 'remove') one.remove([1, 2, 3, 100]);
          else if (change === 'add') one.add({ positions: new Float32Array(3 * dimensions).fill(5) });
          else if (change === 'separate') one.separate(2);
          for (let step = 0; step < 4; step++) one.step(DT);
        }
        const after = exactPairsOf(cpu.checkpoint(), units);
        const found = [cpu.findPairs(), await simulation.findPairs()] as const;
        const expected = eventsBetween(before, after);
        found.forEach((list, engine) => {
          expect(list, change).toEqual({ ...after, borderline: 0 });
          const events = pairEvents(lists[engine] as typeof list, list);
          expect(events, change).toEqual(expected);
        });
        for (const kind of ['begun', 'stayed', 'ended'] as const) kinds[kind] += expected[kind].count;
        [before, lists] = [after, found];
      }
      expect(Math.min(kinds.begun, kinds.stayed, kinds.ended)).toBeGreaterThan(20);
      simulation.destroy();
    },
    dimensions === 2 ? SHARED : FULL,
  );

  gpuTest(
    'find no pair that is exactly a diameter apart, but find slightly nearer and coincident pairs',
    async (_, { wrap }) => {
      const [touching, near] = [5, 5 - 2 ** -20];
      // The first two particles are a diameter apart, the next two 2⁻²⁰ less. Two more coincide, and the last two are
      // 2⁻²⁰ less than a diameter apart across the end.
      const places = [[1], [1 + 1], [4], [4 + (near - 4)], [8.5], [8.5], [0], [10 - 1 + 2 ** -20]];
      const positions = Float32Array.from(
        places.flatMap(([x = 0], row) => [x, 3 * Math.floor(row / 2) + 0.5, 6].slice(0, dimensions)),
      );
      const options = {
        dimensions,
        exact: true,
        radius: 0.5,
        min: new Array<number>(dimensions).fill(0),
        max: [10, 20, 20].slice(0, dimensions),
        periodic: [true, false, false].slice(0, dimensions),
        positions,
      };
      expect(touching - near).toBe(2 ** -20);
      const cpu = createCpuSimulation(options);
      const simulation = await createSimulation(wrap(), options);
      const pairs = Uint32Array.of(2, 3, 4, 5, 6, 7);
      for (const found of [cpu.findPairs(), await simulation.findPairs()]) {
        expect(found).toEqual({ count: 3, pairs, borderline: 0 });
      }
      simulation.destroy();
    },
    SHARED,
  );

  gpuTest(
    'measure the same on both engines, and as many contacts as brute force',
    async (_, { wrap }) => {
      const options = exactScene('obstacles', dimensions, 300, {
        walls: false,
        restitution: 0.3,
        radius: 0.7,
      });
      const { min, max } = createCpuSimulation(options).world;
      // Add particles at two corners of the world and just beyond them.
      const corners = [...min, ...max, ...min.map((at) => at - 2 ** -12), ...max.map((at) => at + 2 ** -12)];
      const positions = Float32Array.from([...(options.positions as Float32Array), ...corners]);
      const velocities = new Float32Array(positions.length).fill(0.25);
      const placed = { ...options, positions, velocities, capacity: positions.length };
      const cpu = createCpuSimulation(placed);
      const simulation = await createSimulation(wrap(), placed);
      const units = defineQuanta(cpu.world, Math.fround(2 * cpu.radius));
      const obstacles = toExactObstacles(units, options.obstacles as Float32Array);
      for (let round = 0; round < 2; round++) {
        const expected = cpu.measure();
        const found = await simulation.measure();
        const checkpoint = cpu.checkpoint();
        expect(expected.contacts).toBe(exactPairsOf(checkpoint, units).count);
        expect(expected.obstacleContacts).toBe(exactObstacleContactsOf(checkpoint, obstacles, units));
        for (const name of [
          'count',
          'contacts',
          'obstacleContacts',
          'borderline',
          'outside',
          'nonFinite',
          'hash',
        ] as const) {
          expect(found[name], name).toBe(expected[name]);
        }
        for (const name of ['kineticEnergy', 'deepestOverlap', 'meanOverlap'] as const) {
          expect(Math.abs(found[name] / expected[name] - 1), name).toBeLessThan(1e-4);
        }
        const speeds = Math.sqrt(2 * expected.kineticEnergy * expected.count);
        found.momentum.forEach((along, axis) => {
          expect(Math.abs(along - (expected.momentum[axis] as number)) / speeds).toBeLessThan(1e-5);
        });
        if (round === 0) expect(expected.outside).toBe(2);
        for (const one of [cpu, simulation]) for (let step = 0; step < 5; step++) one.step(DT);
      }
      simulation.destroy();
    },
    FULL,
  );

  gpuTest(
    'go on when a grid refuses the whole numbers of their buffers',
    async (device, { wrap }) => {
      const options = exactScene('clustered', dimensions, 50);
      const gpu = wrap();
      const simulation = await createSimulation(gpu, options);
      const { min, max } = simulation.world;
      const grid = await HashGrid.create(gpu, { dimensions, min, max, diameter: 1, capacity: 50, ids: true });
      const { positions, ids } = simulation.buffers;
      const encoder = device.createCommandEncoder();
      const encode = () => grid.encode(encoder, { positions, ids, count: 50 });
      expect(encode).toThrow(/^positions is a buffer of whole numbers, but it must be .*findPairs/);
      simulation.step(DT);
      expect((await simulation.measure()).count).toBe(50);
      grid.destroy();
      simulation.destroy();
    },
    dimensions === 2 ? SHARED : FULL,
  );
});
