import { describe, expect, test } from 'vitest';
import { type CpuFluid, createCpuFluid, type FluidCheckpoint } from '../../../../src/methods/fluid';
import { FOUNTAIN } from '../../../helpers/inputs/fluids';

const STEP = 1 / 120;

function run(fluid: CpuFluid, substeps: number): CpuFluid {
  for (let substep = 0; substep < substeps; substep++) fluid.step(STEP, 1);
  return fluid;
}

describe('a checkpoint', () => {
  test('taken while emitters are off continues with the same bits when they are on again', () => {
    const fluid = run(createCpuFluid(FOUNTAIN), 3);
    fluid.set({ emitters: [] });
    const other = createCpuFluid(FOUNTAIN);
    other.restore(run(fluid, 1).checkpoint());
    const { emitters } = createCpuFluid(FOUNTAIN).settings;
    for (const one of [fluid, other]) one.set({ emitters });
    expect(run(other, 3).checkpoint()).toEqual(run(fluid, 3).checkpoint());
  });

  test('contains the time at which each particle was added; if these times are missing, they count as 0', () => {
    const fluid = run(createCpuFluid(FOUNTAIN), 40);
    const { births, ...without } = fluid.checkpoint();
    expect(births).toEqual(
      Float32Array.from(fluid.checkpoint().particles.ids, (id) => fluid.births[id] ?? -1),
    );
    const other = createCpuFluid(FOUNTAIN);
    other.restore(fluid.checkpoint());
    for (const id of fluid.read().ids) expect(other.births[id]).toBe(fluid.births[id]);
    other.restore(without);
    expect(other.checkpoint().births?.every((birth) => birth === 0)).toBe(true);
  });

  test('can be restored into a fluid with another `transfer`', () => {
    const checkpoint = run(createCpuFluid(FOUNTAIN), 3).checkpoint();
    const fluid = createCpuFluid({ ...FOUNTAIN, transfer: 'flip', blend: 0.9 });
    fluid.restore(checkpoint);
    expect(fluid.settings.blend).toBe(0.9);
    expect(run(fluid, 3).checkpoint().slopes).toBeUndefined();
    const back = createCpuFluid(FOUNTAIN);
    back.restore(fluid.checkpoint());
    expect(back.checkpoint().slopes?.every((slope) => slope === 0)).toBe(true);
  });

  test.each([
    [{ version: 2 }, 'checkpoint.version is 2, but it must be 1.'],
    [{ cells: [16, 8] }, 'checkpoint.cells is [16, 8], but it must be [16, 16], like this fluid.'],
    [{ cellSize: 1 }, 'checkpoint.cellSize is 1, but it must be 0.0625, like this fluid.'],
    [{ slopes: new Float32Array(3) }, 'checkpoint.slopes is'],
    [{ births: new Float32Array(3) }, 'checkpoint.births is'],
    [{ time: -1 }, 'checkpoint.time is -1, but it must be 0 or more seconds.'],
    [{ substeps: 0.5 }, 'checkpoint.substeps is 0.5, but'],
    [{ drained: Uint32Array.of(9999) }, 'checkpoint.drained is'],
    [
      { ways: [1, 2, 3] },
      'checkpoint.ways is [1, 2, 3], but it must be 2 numbers for each of at most 16 emitters.',
    ],
    [{ ways: [0, 1e300] }, 'checkpoint.ways[1] is 1e+300, but it must be a number from'],
    [{ settings: { correction: 2 } }, 'correction is 2, but it must be a number from 0 to 1.'],
    [{ obstacles: [{ shape: 'cone' }] }, `obstacles[0].shape is "cone", but it must be 'ball' or 'box'.`],
    [
      { particles: undefined },
      'checkpoint.particles is undefined, but it must be a checkpoint of particles.',
    ],
  ])('is rejected if it does not fit, and nothing changes: %o', (changes, message) => {
    const fluid = run(createCpuFluid(FOUNTAIN), 1);
    const before = fluid.checkpoint();
    const wrong = { ...before, ...changes } as FluidCheckpoint;
    expect(() => fluid.restore(wrong)).toThrow(message);
    expect(fluid.checkpoint()).toEqual(before);
  });
});
