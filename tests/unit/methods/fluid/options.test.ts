import { describe, expect, test } from 'vitest';
import { createCpuFluid, type FluidOptions } from '../../../../src/methods/fluid';

describe('a fluid rejects', () => {
  const base: FluidOptions = { dimensions: 2, cells: [4, 4], cellSize: 1 };
  test.each<[Partial<Record<keyof FluidOptions, unknown>>, string]>([
    [{ cells: [1, 4] }, 'cells[0] is 1, but it must be a whole number from 2 to 4096.'],
    [{ cells: [4096, 4096.5] }, 'cells[1] is 4096.5, but it must be a whole number from 2 to 4096.'],
    [{ dimensions: 3 }, 'cells is [4, 4], but it must be 3 whole numbers.'],
    [
      { dimensions: 3, cells: [512, 512, 128] },
      'cells are 512 × 512 × 128, 33554432 in all, but at most 16777216 are accepted.',
    ],
    [
      { cellSize: Number.NaN },
      'cellSize is NaN, but it must be a number from 9.5367431640625e-7 to 1048576.',
    ],
    [{ particlesPerCell: 5 }, 'particlesPerCell is 5, but it must be 1, 4, 9 or 16.'],
    [
      { particlesPerCell: Object.create(null) },
      'particlesPerCell is an object, but it must be 1, 4, 9 or 16.',
    ],
    [{ transfer: 'mpm' }, `transfer is "mpm", but it must be 'flip', 'pic' or 'apic'.`],
    [{ transfer: 'apic', blend: 0.5 }, "blend is 0.5, but it must be left out, unless transfer is 'flip'."],
    [{ solids: [1, 0] }, 'solids is [1, 0], but it must be a function or 16 numbers, one per cell.'],
    [
      { solids: () => true },
      'solids is a function, but it must be a mask that leaves at least one cell free.',
    ],
    [{ tolerance: 0 }, 'tolerance is 0, but it must be a number from 0.000001 to 0.5.'],
    [
      { gravity: [0, Number.NaN] },
      'gravity[1] is NaN, but it must be a finite number that fits 32-bit floats.',
    ],
    [
      { viscosity: 1 } as never,
      'options.viscosity is 1, but it must be left out or renamed to one of dimensions, cells',
    ],
    [
      { obstacles: [{ shape: 'cone', position: [1, 1] }] },
      `obstacles[0].shape is "cone", but it must be 'ball' or 'box'.`,
    ],
    [
      { fill: [{ min: [0, 0], max: [4, 4] }], capacity: 10 },
      'The fluid begins with 64 particles, but capacity is 10; it must be at least as large.',
    ],
    [{ obstacles: [null] }, `obstacles[0].shape is undefined, but it must be 'ball' or 'box'.`],
    [{ capacity: 0, fill: [{ min: [0, 0], max: [4, 4] }] }, 'capacity is 0, but it must be a whole number'],
    [
      { positions: Float32Array.of(5, 1) },
      'positions[0] (particle 0) is 5, but it must be a number from 0 to 4',
    ],
  ])('%o', (changes, message) => {
    expect(() => createCpuFluid({ ...base, ...changes } as FluidOptions)).toThrow(message);
  });

  test('too many particles, before it allocates memory', () => {
    const fill = [{ min: [0, 0, 0], max: [256, 256, 256] }];
    const wish = { dimensions: 3, cells: [160, 160, 100], cellSize: 1, particlesPerCell: 27, fill } as const;
    expect(() => createCpuFluid(wish)).toThrow(
      'The fluid begins with 69120000 particles, but at most 67108864 are accepted; fill less',
    );
  });

  test('invalid time steps, and all calls after destroy()', () => {
    const fluid = createCpuFluid(base);
    for (const substeps of [0, 1.5, Number.NaN, 65])
      expect(() => fluid.step(0.1, substeps)).toThrow(
        `substeps is ${substeps}, but it must be a whole number`,
      );
    expect(fluid.time).toBe(0);
    for (const dt of [Number.NaN, -1, 1e-9])
      for (const call of ['step', 'advance'] as const)
        expect(() => fluid[call](dt)).toThrow(/^dt is .*, but it must be (?:0 or at least|a finite)/);
    expect(() => fluid.step(16)).toThrow(
      'dt is 16, but it must be at most 1 s (milliseconds? then pass 0.016; the option `longestStep` allows longer steps).',
    );
    expect(() => fluid.advance(16)).toThrow(/^dt is 16, but it must be at most 1 s/);
    expect(() => createCpuFluid({ ...base, longestStep: 2000 })).toThrow(/^longestStep is 2000, /);
    createCpuFluid({ ...base, longestStep: 16 }).step(16);
    expect(() => fluid.advance(0.1, 0)).toThrow('most is 0, but it must be a whole number from 1 to 64.');
    fluid.destroy();
    expect(() => fluid.step(0.1)).toThrow('This CpuFluid was destroyed');
  });
});
