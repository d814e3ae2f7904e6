import { describe, expect, test } from 'vitest';
import { createCpuFluid } from '../../../../src/methods/fluid';
import { MOST_POINTS } from '../../../../src/methods/fluid/emitters';
import { FOUNTAIN } from '../../../helpers/inputs/fluids';

const STEP = 1 / 120;

describe('changes of settings', () => {
  test('apply from the next substep on, or not at all if one is invalid', () => {
    const fluid = createCpuFluid({ ...FOUNTAIN, emitters: [], drains: [], obstacles: [], transfer: 'flip' });
    fluid.set({ gravity: [0, 0], substeps: 3, blend: 0.5, correction: 0 });
    fluid.step(STEP);
    expect(fluid.measure()).toMatchObject({ substeps: 3, kineticEnergy: 0 });
    const { settings } = fluid;
    expect(settings).toMatchObject({ gravity: [0, 0], substeps: 3, blend: 0.5, separation: 1 });
    expect(() => fluid.set({ gravity: [0, 1], substeps: 0 })).toThrow(
      'substeps is 0, but it must be a whole number',
    );
    expect(fluid.settings).toEqual(settings);
    expect(() => fluid.set({ density: 2 } as never)).toThrow(
      'changes.density is 2, but it must be left out or renamed to one of gravity',
    );
  });

  test.each([
    [
      { emitters: [{ min: [0, 0], max: [1, 1] }] as never },
      'emitters[0].velocity is undefined, but it must be 2 numbers that are not all 0.',
    ],
    [{ emitters: [{ min: [0, 0], max: [1, 1], velocity: [0, 0] }] }, 'emitters[0].velocity is [0, 0], but'],
    [
      { emitters: [{ centre: [-2, 0], radius: 1, velocity: [1, 0] }] },
      'but it must be a region that overlaps the tank, which ends at 1,1.',
    ],
    [
      { emitters: [{ min: [0, 0], max: [1, 1], velocity: [0, 1e30] }] },
      'emitters[0].velocity[1] is 1e+30, but it must be a number from -524288 to 524288.',
    ],
    [{ emitters: 3 as never }, 'emitters is 3, but it must be a list of at most 16 regions with a velocity.'],
    [{ drains: [{ centre: [0, 0], radius: -1 }] }, 'drains[0].radius is -1, but'],
    [
      { drains: [{ centre: [0, 0], radius: 1, velocity: [0, 1] }] },
      'drains[0].velocity is [0, 1], but it must be left out',
    ],
    [{ blend: 0.5 }, "blend is 0.5, but it must be left out, unless transfer is 'flip'."],
  ])('are rejected: %o', (changes, message) => {
    expect(() => createCpuFluid(FOUNTAIN).set(changes)).toThrow(message);
  });

  test('are rejected if an emitter has too many points', () => {
    const large = { dimensions: 3, cells: [64, 64, 64], cellSize: 1, capacity: 1 } as const;
    const emitters = [{ min: [0, 0, 0], max: [64, 64, 64], velocity: [1, 0, 0] }];
    expect(() => createCpuFluid({ ...large, emitters })).toThrow(`but at most ${MOST_POINTS} are accepted`);
  });
});
