import { describe, expect } from 'vitest';
import type { GpuFluidSimulation } from '../../../../../src/page/engines/methods/fluid-simulation';
import { startFrom } from '../../../../../src/page/engines/methods/start';
import { chooseScene, defaultChoices, roomFor } from '../../../../../src/page/model/choices';
import { gpuTest, SHARED } from '../../../../helpers/node-gpu';

const STEP = 1 / 60;

describe('a fluid of the page', () => {
  gpuTest(
    'gives the same bits if steps are timed or queued, and after a checkpoint is restored',
    async (_, tools) => {
      const choices = chooseScene(defaultChoices(), 'fountain');
      const { options, method } = await startFrom(choices, 150);
      const gpu = tools.wrap();
      const open = async () =>
        (await method?.onGpu(gpu, { ...options, ...roomFor(choices, options) })) as GpuFluidSimulation;
      const body = await open();
      for (let step = 0; step < 4; step++) {
        body.step(STEP);
        while (body.isBusy) await body.checkpoint();
      }
      const { hash, figures } = await body.measure();
      expect(figures.map(({ title }) => title)).toContain('No room for');
      const timed = await open();
      const times = timed.profile(STEP);
      expect(timed.isBusy).toBe(true);
      timed.step(STEP);
      timed.set({ substeps: choices.substeps });
      const state = await timed.checkpoint();
      expect(state.time).toBeCloseTo(2 * STEP, 12);
      expect(timed.isBusy).toBe(false);
      expect(Object.keys((await times).stages)).toEqual(expect.arrayContaining(['pressure', 'drain']));
      timed.destroy();
      body.restore(state);
      await body.profile(STEP);
      body.step(STEP);
      while (body.isBusy) await body.checkpoint();
      expect((await body.measure()).hash).toBe(hash);
      expect(body.time).toBeCloseTo(4 * STEP, 12);
      body.destroy();
    },
    { ...SHARED, tags: 'full' },
  );
});
