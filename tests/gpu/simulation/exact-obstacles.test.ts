import { describe, expect } from 'vitest';
import { LONGEST_EXACT, SHORTEST_EXACT } from '../../../src/core/exact/step';
import type { ObstaclesGiven } from '../../../src/core/obstacles/obstacles';
import type { SimulationOptions } from '../../../src/core/simulation/simulation';
import { createCpuSimulation } from '../../../src/cpu';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { createNoise } from '../../../src/testing/noise';
import {
  DT,
  exactScene,
  expectSameBits,
  expectSameBitsInCases,
  expectSameQueries,
  expectSameState,
  MANY_CASES,
  randomObstacleCase,
  range,
} from '../../helpers/exact/cases';
import { gpuTest, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS } from '../../helpers/passes';
import { runsOf } from '../../helpers/tiers';

const FULL = { ...SHARED, tags: 'full' } as const;

describe.each(DIMENSIONS)('exact simulations with obstacles on the GPU, %dD', (dimensions) => {
  const vector = (along: number) => new Array<number>(dimensions).fill(along);

  gpuTest(
    'have the bits of the CPU engine',
    async (_, { wrap }) => expectSameBits(wrap(), exactScene('obstacles', dimensions, 300), [1, 3, 20]),
    FULL,
  );

  gpuTest(
    'have the bits of the CPU engine in random cases',
    async (_, { wrap }) => expectSameBitsInCases(wrap(), dimensions, range(0, runsOf(3)), randomObstacleCase),
    SHARED,
  );

  gpuTest(
    'have the bits of the CPU engine in many random cases',
    async (_, { wrap }) => expectSameBitsInCases(wrap(), dimensions, MANY_CASES, randomObstacleCase),
    { ...FULL, timeoutMs: 800 * MANY_CASES.length },
  );

  gpuTest(
    'have the bits of the CPU engine at the ends of the ranges',
    async (_, { wrap }) => {
      const noise = createNoise(7);
      const around = (count: number, spread: number) =>
        Float32Array.from({ length: dimensions * count }, () => 4 + spread * (noise() - 0.5));
      const fast = (count: number, speed: number) => around(count, speed).map((at) => at - 4);
      const at = (...places: readonly (readonly [number, number])[]) =>
        Float32Array.from(places.flatMap((place) => [...place, 4].slice(0, dimensions)));
      const up = { velocities: fast(2, 0).with(1, 1), restitution: 1, friction: 0 };
      const ends: Readonly<Record<string, Partial<SimulationOptions> & { readonly dt?: number }>> = {
        'more overlaps than 32 bits hold': { obstacles: around(3000, 0.1), positions: around(4, 0.1) },
        'more changes than 32 bits hold': {
          obstacles: around(300, 0.5),
          positions: around(4, 0.5),
          velocities: fast(4, 1000),
        },
        'faster bounces than 32 bits hold': {
          obstacles: around(300, 0.5),
          positions: around(4, 0.5),
          velocities: fast(4, 1000),
          restitution: 1,
          friction: 10,
        },
        'two bounces that 32 bits hardly hold': {
          ...up,
          positions: at([4, 4], [7, 7]),
          obstacles: at([4.625, 4.625], [3.375, 4.625]),
          velocities: fast(2, 0).with(1, 511),
        },
        'the greatest rate of pushes': {
          relaxation: 1,
          substeps: 1,
          dt: SHORTEST_EXACT,
          positions: around(9, 1),
          obstacles: around(9, 1),
          velocities: fast(9, 100),
        },
        'the fastest bounces': { velocities: fast(30, 1023), restitution: 1, friction: 10 },
        'the fastest stops': { velocities: fast(30, 1023), friction: 10, gravity: vector(-12_000) },
        'a restitution that floats flush to 0': { restitution: 1e-40, velocities: fast(30, 9) },
        'the longest substep': {
          substeps: 1,
          dt: LONGEST_EXACT,
          velocities: fast(30, 1023),
          restitution: 0.5,
        },
        'equally fast approaches of an obstacle and a particle': {
          ...up,
          positions: at([4, 4], [4.625, 4.625]),
          obstacles: at([3.375, 4.625]),
        },
        'equally fast approaches of two obstacles': {
          ...up,
          positions: at([4, 4], [7, 7]),
          obstacles: at([4.625, 4.625], [3.375, 4.625]),
        },
        coincident: {
          positions: around(20, 0),
          obstacles: around(20, 0),
          velocities: fast(20, 4),
          restitution: 1,
        },
      };
      for (const [name, { dt = DT, ...changes }] of Object.entries(ends)) {
        const options = {
          dimensions,
          exact: true,
          radius: 0.5,
          min: vector(0),
          max: vector(8),
          positions: around(30, 6),
          obstacles: around(40, 6),
          longestStep: 1,
          ...changes,
        };
        const cpu = createCpuSimulation(options);
        const simulation = await createSimulation(wrap(), options);
        for (let step = 0; step < 3; step++) for (const one of [cpu, simulation]) one.step(dt);
        expect((await simulation.checkpoint()).exact, name).toEqual(cpu.checkpoint().exact);
        for (const one of [cpu, simulation]) one.separate(2);
        expect((await simulation.checkpoint()).exact, name).toEqual(cpu.checkpoint().exact);
        simulation.destroy();
      }
    },
    FULL,
  );

  gpuTest(
    'have the bits of the CPU engine while obstacles move and particles come and go',
    async (_, { wrap }) => {
      const changes = { capacity: 300, obstacleCapacity: 400, restitution: 0.4, periodic: true };
      const options = exactScene('obstacles', dimensions, 200, changes);
      const cpu = createCpuSimulation(options);
      const simulation = await createSimulation(wrap(), options);
      const given = options.obstacles as Float32Array;
      for (const one of [cpu, simulation]) {
        for (let step = 0; step < 3; step++) {
          one.step(DT);
          one.setObstacles(given.map((at) => at + 0.05 * step));
        }
        one.remove([0, 5, 199]);
        one.add({ positions: given.slice(0, 2 * dimensions) });
        one.set({ friction: 0.7, restitution: 0, gravity: vector(-3) });
        one.separate(3);
        one.step(DT / 2);
      }
      expectSameState(cpu.checkpoint(), await simulation.checkpoint(), '4 steps');
      await expectSameQueries(cpu, simulation, 4);
      expect((await simulation.measure()).obstacleContacts).toBeGreaterThan(0);
      for (const one of [cpu, simulation]) {
        one.setObstacles(new Float32Array(0));
        one.step(DT);
      }
      expectSameState(cpu.checkpoint(), await simulation.checkpoint(), '5 steps');
      expect((await simulation.measure()).obstacleContacts).toBe(0);
      simulation.destroy();
    },
    SHARED,
  );

  gpuTest(
    'continue from checkpoints of the other engine with the same bits',
    async (_, { wrap }) => {
      const options = exactScene('obstacles', dimensions, 200, { restitution: 0.4 });
      const cpu = createCpuSimulation(options);
      const simulation = await createSimulation(wrap(), {
        ...options,
        obstacles: undefined,
        obstacleCapacity: 999,
      });
      for (let step = 0; step < 3; step++) cpu.step(DT);
      simulation.restore(cpu.checkpoint());
      for (let step = 0; step < 3; step++) for (const one of [cpu, simulation]) one.step(DT);
      const checkpoint = await simulation.checkpoint();
      expectSameState(cpu.checkpoint(), checkpoint, '6 steps');
      const other = createCpuSimulation({ ...options, obstacles: undefined, obstacleCapacity: 999 });
      other.restore(checkpoint);
      for (const one of [other, simulation]) one.step(DT);
      expectSameState(other.checkpoint(), await simulation.checkpoint(), '7 steps');
      simulation.destroy();
    },
    SHARED,
  );

  gpuTest(
    'do not depend on the order of obstacles',
    async (_, { wrap }) => {
      const options = exactScene('obstacles', dimensions, 200, { restitution: 0.4, broadPhase: 'naive' });
      const given = options.obstacles as Float32Array;
      const count = given.length / dimensions;
      // Each obstacle occurs twice, so a particle approaches both copies equally fast.
      const both = Float32Array.from([...given, ...given]);
      const turned = Float32Array.from(both, (__, word) => {
        const obstacle = 2 * count - 1 - Math.floor(word / dimensions);
        return both[dimensions * obstacle + (word % dimensions)] as number;
      });
      const [plain, other] = await Promise.all(
        [both, turned].map((obstacles) => createSimulation(wrap(), { ...options, obstacles })),
      );
      for (let step = 0; step < 4; step++) for (const one of [plain, other]) one?.step(DT);
      expect((await other?.measure())?.hash).toBe((await plain?.measure())?.hash);
      plain?.destroy();
      other?.destroy();
    },
    FULL,
  );

  gpuTest(
    'reject obstacles out of range, and keep the obstacles that they have',
    async (_, { wrap }) => {
      const options = exactScene('obstacles', dimensions, 20, { min: vector(0), max: vector(40) });
      const simulation = await createSimulation(wrap(), options);
      const before = await simulation.checkpoint();
      const far = new Float32Array(2 * dimensions).fill(1).with(dimensions + 1, 4000);
      const message = `[${dimensions + 1}] (obstacle 1) is 4000, but it must be from -1024 to below 1024 in this`;
      expect(() => simulation.setObstacles(far)).toThrow(`obstacles${message}`);
      expect(() => simulation.setObstacles({ positions: far })).toThrow(`obstacles.positions${message}`);
      const broken = { ...before, time: 7, obstacles: far };
      expect(() => simulation.restore(broken)).toThrow(`checkpoint.obstacles${message}`);
      expect(await simulation.checkpoint()).toEqual(before);
      const creation = (obstacles: ObstaclesGiven) => createSimulation(wrap(), { ...options, obstacles });
      await expect(creation(far)).rejects.toThrow(`obstacles${message}`);
      await expect(creation({ positions: far })).rejects.toThrow(`obstacles.positions${message}`);
      simulation.destroy();
    },
    SHARED,
  );
});
