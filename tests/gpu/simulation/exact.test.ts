import { describe, expect } from 'vitest';
import type { ExactArrays } from '../../../src/core/simulation/simulation';
import { createCpuSimulation } from '../../../src/cpu';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { wrapDevice } from '../../../src/gpu/device';
import { verifyExact } from '../../../src/verify/golden';
import {
  DT,
  exactScene,
  expectSameBits,
  expectSameBitsInCases,
  expectSameState,
  MANY_CASES,
  randomCase,
  range,
} from '../../helpers/exact/cases';
import { gpuTest, HARDWARE, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS } from '../../helpers/passes';
import { runsAll, runsOf } from '../../helpers/tiers';

const FULL = { ...SHARED, tags: 'full' } as const;

/** The scene that both tiers run, per number of dimensions. Random cases cover walls and periods in 2D and in 3D. */
const USUAL_SCENE: Readonly<Record<number, string>> = { 2: 'pile', 3: 'periodic' };

describe.each(DIMENSIONS)('exact simulations on the GPU, %dD', (dimensions) => {
  for (const name of ['pile', 'clustered', 'periodic', 'gas']) {
    gpuTest(
      `have the bits of the CPU engine: ${name}`,
      async (_, { wrap }) =>
        expectSameBits(wrap(), exactScene(name, dimensions, 300), runsAll ? [1, 3, 20] : [1, 8]),
      name === USUAL_SCENE[dimensions] ? SHARED : FULL,
    );
  }

  gpuTest(
    'have the bits of the CPU engine in random cases',
    async (_, { wrap }) => expectSameBitsInCases(wrap(), dimensions, range(0, runsOf(20)), randomCase),
    SHARED,
  );

  gpuTest(
    'have the bits of the CPU engine if threads collect neighbours before they compute contacts, as on hardware',
    async (device) => {
      const gpu = wrapDevice(device, HARDWARE);
      // In these clusters, some particles have more neighbours than a thread collects.
      await expectSameBits(gpu, exactScene('clustered', dimensions, 300), [1, 3]);
      if (runsAll) await expectSameBitsInCases(gpu, dimensions, range(0, 20), randomCase);
    },
    dimensions === 2 ? SHARED : FULL,
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
      expectSameState(cpu.checkpoint(), await simulation.checkpoint(), '6 steps');
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
      expectSameState(cpu.checkpoint(), await simulation.checkpoint(), '5 steps');
      for (let step = 0; step < 5; step++) for (const one of [cpu, simulation]) one.step(DT);
      const checkpoint = await simulation.checkpoint();
      cpu.restore(checkpoint);
      expectSameState(cpu.checkpoint(), await simulation.checkpoint(), '10 steps');
      // A checkpoint may hold positions outside of a periodic world.
      const exact = checkpoint.exact as ExactArrays;
      const outside = { ...exact, positions: exact.positions.map((at) => at - 2 ** 28) };
      for (const one of [cpu, simulation]) one.restore({ ...checkpoint, exact: outside });
      expectSameState(cpu.checkpoint(), await simulation.checkpoint(), '10 steps');
      simulation.destroy();
    },
    SHARED,
  );

  gpuTest(
    'have the same bits, whether steps are submitted one by one or recorded together',
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
    async (_, { wrap }) => expectSameBitsInCases(wrap(), dimensions, MANY_CASES, randomCase),
    { ...FULL, timeoutMs: 1200 * MANY_CASES.length },
  );
});

gpuTest(
  'exact simulations give the recorded hashes',
  async (_, { wrap }) => {
    const cases = [];
    for await (const found of verifyExact({ gpu: wrap() }, [2, 3])) cases.push(found);
    expect(cases.filter(({ pass }) => !pass)).toEqual([]);
    expect(cases).toHaveLength(16);
  },
  { ...FULL, timeoutMs: 360_000 },
);
