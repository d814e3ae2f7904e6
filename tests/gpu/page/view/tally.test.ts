/** Tests that the GPU's counts equal those of the CPU, which other tests compare with brute force. */
import { describe, expect } from 'vitest';
import { createCpuSimulation } from '../../../../src/cpu';
import { createSimulation } from '../../../../src/engine/simulation/simulation';
import { Kernel } from '../../../../src/gpu/kernel';
import { createCpuTally } from '../../../../src/page/view/cpu-tally';
import { describeTally, Tally } from '../../../../src/page/view/tally';
import { createScene, sceneOptions } from '../../../../src/scenes';
import { gpuTest, SHARED } from '../../../helpers/node-gpu';
import { DIMENSIONS } from '../../../helpers/passes';

const COUNT = 700;

describe.each(DIMENSIONS)('counts around particles in %dD', (dimensions) => {
  gpuTest(
    'compile in every variant',
    async (_, tools) => {
      const gpu = tools.wrap();
      for (const kind of ['bounded', 'periodic', 'unbounded'] as const) {
        for (const [levels, crowds] of [
          [0, false],
          [0, true],
          [2, true],
          [5, true],
        ] as const) {
          const variant = { dimensions, kind, levels, crowds };
          for (const heavy of crowds ? [false, true] : [false]) {
            await Kernel.compile(gpu, describeTally(variant, heavy));
          }
        }
      }
    },
    { driverless: true },
  );

  for (const [counted, name, crowds] of [
    ['contacts', 'uniform', false],
    ['density', 'periodic', false],
    ['density', 'one-cell', true],
    ['contacts', 'mixed', false],
  ] as const) {
    gpuTest(
      `equal those of the CPU: ${counted} in the scene ${name}`,
      async (_, tools) => {
        const gpu = tools.wrap();
        const options = {
          ...sceneOptions(createScene(name, { dimensions, count: COUNT })),
          ...(crowds ? { crowds } : {}),
        };
        const simulation = await createSimulation(gpu, options);
        const tally = await Tally.create(gpu, simulation, options, counted);
        simulation.remove([0, 7, 150]);
        const twin = createCpuSimulation(options);
        twin.remove([0, 7, 150]);
        const count = createCpuTally(twin, options, counted);
        // Two rounds: nothing of the first may remain for the second.
        for (let round = 0; round < 2; round++) {
          const particles = await simulation.read();
          const encoder = gpu.device.createCommandEncoder({ label: 'test' });
          tally.encode(encoder);
          gpu.device.queue.submit([encoder.finish()]);
          const ids = new Uint32Array(await tools.read(simulation.buffers.ids));
          const counts = new Uint32Array(await tools.read(tally.counts));
          const expected = count(particles);
          const got = new Map(
            Array.from({ length: simulation.count }, (_, slot) => [ids[slot], counts[slot]]),
          );
          expect(Array.from(particles.ids, (id) => got.get(id))).toEqual(Array.from(expected));
          expect(Math.max(...expected)).toBeGreaterThan(1);
          await simulation.measure();
        }
        tally.destroy();
        simulation.destroy();
      },
      SHARED,
    );
  }
});
