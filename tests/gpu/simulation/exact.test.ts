import { describe, expect } from 'vitest';
import type { Checkpoint, ExactArrays, SimulationOptions } from '../../../src/core/simulation/simulation';
import { type CpuSimulation, createCpuSimulation } from '../../../src/cpu';
import { createSimulation, type Simulation } from '../../../src/engine/simulation/simulation';
import type { Gpu } from '../../../src/gpu/device';
import { createScene, sceneOptions } from '../../../src/scenes';
import { createNoise } from '../../../src/testing/noise';
import { verifyExact } from '../../../src/verify/golden';
import { gpuTest, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS } from '../../helpers/passes';
import { runsAll, runsOf } from '../../helpers/tiers';

const DT = 1 / 60;
const FULL = { ...SHARED, tags: 'full' } as const;

/** Steps both engines and expects the same bits after each of the numbers of steps. */
async function expectSameBits(gpu: Gpu, options: SimulationOptions, all: readonly number[]): Promise<void> {
  const cpu = createCpuSimulation(options);
  const simulation = await createSimulation(gpu, options);
  let taken = 0;
  for (const steps of all) {
    for (; taken < steps; taken++) for (const one of [cpu, simulation]) one.step(DT);
    expectSameState(cpu.checkpoint(), await simulation.checkpoint(), steps);
    expect((await simulation.measure()).hash).toBe(cpu.measure().hash);
  }
  simulation.destroy();
}

function expectSameState(expected: Checkpoint, found: Checkpoint, steps: number): void {
  const words = expected.exact?.positions ?? [];
  const differs = words.findIndex((word, index) => word !== found.exact?.positions[index]);
  expect(differs, `first differing coordinate after ${steps} steps`).toBe(-1);
  expect(found).toEqual(expected);
}

const exactScene = (
  name: string,
  dimensions: 2 | 3,
  count: number,
  changes: Partial<SimulationOptions> = {},
) => sceneOptions(createScene(name, { dimensions, count }), { exact: true, ...changes });

const range = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

/** Returns random settings and a random state, with overlaps of all depths, walls, and coincident particles. */
function randomCase(dimensions: 2 | 3, seed: number): SimulationOptions {
  const noise = createNoise(seed);
  const between = (low: number, high: number) => low + (high - low) * noise();
  const pick = <Value>(...values: readonly Value[]) => values[Math.floor(between(0, values.length))] as Value;
  const edge = pick(4, 6, 9);
  const count = Math.floor(between(2, 90));
  const speed = pick(0, 1, 30, 500);
  const radius = pick(0.5, 0.3, 1 / 3, 100);
  const scale = 2 * radius;
  const place = () => between(-0.2, edge + 0.2);
  const low = scale * pick(0, 0, -3.7, 500.1);
  // Periods that no 32-bit float holds, and coarser quanta.
  const long = pick(1, 1, 1, 300);
  const positions = Float32Array.from(
    { length: dimensions * count },
    () => low + scale * pick(place(), Math.round(place())),
  );
  return {
    dimensions,
    exact: true,
    radius,
    min: new Array<number>(dimensions).fill(low),
    max: new Array<number>(dimensions).fill(low + scale * edge).with(0, low + scale * edge * long),
    periodic: Array.from({ length: dimensions }, () => pick(false, true)),
    positions,
    velocities: positions.map(() => scale * between(-speed, speed) * (long > 1 ? 0.5 : 1)),
    gravity: Array.from({ length: dimensions }, () => scale * pick(0, -9.81, 1e-5, 700)),
    restitution: pick(0, 0.5, 1, between(0, 1)),
    friction: pick(0, 0.2, 10, between(0, 2)),
    relaxation: pick(0.01, 0.35, 1, between(0.01, 1)),
    walls: pick(true, true, false),
    substeps: pick(1, 2, 8),
    broadPhase: pick('grid', 'grid', 'naive'),
  };
}

/** Returns a random case with obstacles: few or many, also coincident with each other and with particles. */
function randomObstacleCase(dimensions: 2 | 3, seed: number): SimulationOptions {
  const options = randomCase(dimensions, seed);
  return { ...options, obstacles: randomObstacles(options, seed), obstacleCapacity: 300 };
}

function randomObstacles(
  { dimensions, min = [], max = [], radius = 0, positions = new Float32Array(0) }: SimulationOptions,
  seed: number,
): Float32Array {
  const noise = createNoise(seed + 0.5);
  const between = (low: number, high: number) => low + (high - low) * noise();
  const pick = <Value>(...values: readonly Value[]) => values[Math.floor(between(0, values.length))] as Value;
  const count = pick(0, 1, 3, 20, 60, 300);
  // Small numbers crowd the obstacles.
  const spread = pick(1, 1, 0.2, 0);
  const bodies = positions.length / dimensions;
  const centre = Math.floor(between(0, bodies));
  return Float32Array.from({ length: dimensions * count }, (_, word) => {
    const axis = word % dimensions;
    const low = min[axis] as number;
    const size = (max[axis] as number) - low;
    const near = positions[dimensions * centre + axis] as number;
    const at = near + spread * (low + between(-0.2, 1.2) * size - near);
    return pick(at, at, low + 2 * radius * Math.round((at - low) / (2 * radius)));
  });
}

/** One kernel of each variant serves all cases, so compare many of them in one test. */
async function expectSameBitsInCases(
  gpu: Gpu,
  dimensions: 2 | 3,
  seeds: readonly number[],
  make = randomCase,
): Promise<void> {
  for (const seed of seeds) {
    const options = make(dimensions, seed);
    const cpu = createCpuSimulation(options);
    const simulation = await createSimulation(gpu, options);
    for (let step = 0; step < 10; step++) {
      for (const one of [cpu, simulation]) {
        if (options.obstacles && step === 5) {
          one.setObstacles(randomObstacles(options, seed + 0.25));
          one.separate(2);
        }
        one.step(DT);
      }
    }
    expectSameState(cpu.checkpoint(), await simulation.checkpoint(), seed);
    if (options.obstacles) await expectSameQueries(cpu, simulation, seed);
    simulation.destroy();
  }
}

async function expectSameQueries(cpu: CpuSimulation, simulation: Simulation, seed: number): Promise<void> {
  const { hash, contacts, obstacleContacts } = await simulation.measure();
  const expected = cpu.measure();
  expect({ seed, hash, contacts, obstacleContacts }).toEqual({
    seed,
    hash: expected.hash,
    contacts: expected.contacts,
    obstacleContacts: expected.obstacleContacts,
  });
  expect(await simulation.findPairs()).toEqual(cpu.findPairs());
}

describe.each(DIMENSIONS)('exact simulations on the GPU, %dD', (dimensions) => {
  for (const name of ['pile', 'clustered', 'periodic', 'gas']) {
    gpuTest(
      `have the bits of the CPU engine: ${name}`,
      async (_, { wrap }) =>
        expectSameBits(wrap(), exactScene(name, dimensions, 300), runsAll ? [1, 3, 20] : [1, 8]),
      name === 'pile' || name === 'periodic' ? SHARED : FULL,
    );
  }

  gpuTest(
    'have the bits of the CPU engine in random cases',
    async (_, { wrap }) => expectSameBitsInCases(wrap(), dimensions, range(0, runsOf(20))),
    SHARED,
  );

  gpuTest(
    'have the bits of the CPU engine in random cases with obstacles',
    async (_, { wrap }) =>
      expectSameBitsInCases(wrap(), dimensions, range(0, runsOf(20)), randomObstacleCase),
    SHARED,
  );

  gpuTest(
    'have the bits of the CPU engine while particles come and go',
    async (_, { wrap }) => {
      const options = exactScene('pile', dimensions, 200, { capacity: 300, restitution: 0.4 });
      const cpu = createCpuSimulation(options);
      const simulation = await createSimulation(wrap(), options);
      for (const one of [cpu, simulation]) {
        for (let step = 0; step < 4; step++) one.step(DT);
        one.remove([0, 5, 199]);
        one.step(DT);
        const positions = Float32Array.from({ length: 2 * dimensions }, (__, word) => 4.25 + 1.5 * word);
        one.add({ positions, velocities: positions.map((at) => 6 - at) });
        one.set({ friction: 0.7, gravity: new Array<number>(dimensions).fill(-3) });
        one.separate(3);
        one.step(DT / 2);
      }
      expectSameState(cpu.checkpoint(), await simulation.checkpoint(), 6);
      const { pairs, count } = cpu.findPairs();
      expect(await simulation.findPairs()).toEqual({ pairs, count, borderline: 0 });
      const { contacts, borderline, outside, nonFinite } = await simulation.measure();
      expect({ contacts, borderline, outside, nonFinite }).toEqual({
        contacts: cpu.measure().contacts,
        borderline: 0,
        outside: 0,
        nonFinite: 0,
      });
      simulation.destroy();
    },
    SHARED,
  );

  gpuTest(
    'continue from checkpoints of the other engine with the same bits',
    async (_, { wrap }) => {
      const options = exactScene('clustered', dimensions, 200, { restitution: 0.4, periodic: true });
      const cpu = createCpuSimulation(options);
      const simulation = await createSimulation(wrap(), options);
      for (let step = 0; step < 5; step++) cpu.step(DT);
      simulation.restore(cpu.checkpoint());
      expectSameState(cpu.checkpoint(), await simulation.checkpoint(), 5);
      for (let step = 0; step < 5; step++) for (const one of [cpu, simulation]) one.step(DT);
      const checkpoint = await simulation.checkpoint();
      cpu.restore(checkpoint);
      expectSameState(cpu.checkpoint(), await simulation.checkpoint(), 10);
      // A checkpoint may hold positions outside of a periodic world.
      const exact = checkpoint.exact as ExactArrays;
      const outside = { ...exact, positions: exact.positions.map((at) => at - 2 ** 28) };
      for (const one of [cpu, simulation]) one.restore({ ...checkpoint, exact: outside });
      expectSameState(cpu.checkpoint(), await simulation.checkpoint(), 10);
      simulation.destroy();
    },
    SHARED,
  );

  gpuTest(
    'do not depend on the order of memory or on how steps are recorded',
    async (device, { wrap }) => {
      const options = exactScene('clustered', dimensions, 200, { restitution: 0.4 });
      const [plain, together] = await Promise.all([0, 1].map(() => createSimulation(wrap(), options)));
      const encoder = device.createCommandEncoder();
      for (let step = 0; step < 4; step++) {
        plain?.step(DT);
        together?.encodeStep(encoder, DT);
      }
      device.queue.submit([encoder.finish()]);
      expect((await together?.measure())?.hash).toBe((await plain?.measure())?.hash);
      plain?.destroy();
      together?.destroy();
    },
    SHARED,
  );
});

describe.each(DIMENSIONS)('exact simulations on the GPU in many random cases, %dD', (dimensions) => {
  gpuTest(
    'have the bits of the CPU engine',
    async (_, { wrap }) => expectSameBitsInCases(wrap(), dimensions, range(1000, 300)),
    { ...FULL, timeoutMs: 180_000 },
  );
});

gpuTest(
  'exact simulations give the recorded hashes',
  async (_, { wrap }) => {
    const cases = [];
    for await (const found of verifyExact({ gpu: wrap() }, [2, 3])) cases.push(found);
    expect(cases.filter(({ pass }) => !pass)).toEqual([]);
    expect(cases).toHaveLength(12);
  },
  { ...FULL, timeoutMs: 180_000 },
);
