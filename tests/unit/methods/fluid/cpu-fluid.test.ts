import { beforeEach, describe, expect, test } from 'vitest';
import { createCpuFluid, type FluidOptions, fluidWarnings } from '../../../../src/methods/fluid';
import { isInRegion } from '../../../../src/methods/fluid/regions';
import {
  checkDamBreak,
  checkGentleWave,
  checkHydrostatic,
  checkRepeats,
  checkSpin,
  damBreak,
  fluidOpener,
  gentleWave,
} from '../../../../src/verify/fluid';
import { CELLAR, denseFluid } from '../../../helpers/inputs/fluids';

describe('a fluid on the CPU', () => {
  const open = fluidOpener(undefined);
  const reports: string[] = [];
  const report = (done: number, total: number) => reports.push(`${done} of ${total}`);
  beforeEach(() => reports.splice(0));

  // In 2D, the steps suffice for the wave to return from the far wall.
  test.each([
    [2, 16, 110, 'flip'],
    [2, 16, 110, 'apic'],
    [3, 8, 20, 'flip'],
  ] as const)(
    'keeps volume, divergence and energy within their limits in a dam break (%dD, %d cells, %d steps, %s)',
    async (dimensions, cells, steps, transfer) => {
      const { pass, detail } = await checkDamBreak(open, damBreak(dimensions, cells, { transfer }), steps);
      expect(pass, detail).toBe(true);
    },
  );

  test.each([2, 3] as const)('measures the volume of its particles at any time (%dD)', (dimensions) => {
    const all = (value: number) => new Array<number>(dimensions).fill(value);
    const half = { min: all(0), max: all(8).with(0, 4) };
    const options = { dimensions, cells: all(8), cellSize: 1, capacity: 10_000 };
    const fluid = createCpuFluid({ ...options, fill: [half] });
    const whole = 8 ** dimensions;
    expect(fluid.measure().volume / (whole / 2)).toBeCloseTo(1, 1);
    fluid.drain({ min: all(0), max: all(8).with(0, 2) });
    expect(fluid.measure().volume / (whole / 4)).toBeCloseTo(1, 0);
    const { positions } = createCpuFluid({
      ...options,
      fill: [{ min: all(0), max: all(8).with(0, 2) }],
    }).read();
    fluid.add({ positions });
    const { volume } = fluid.measure();
    expect(volume / (whole / 2)).toBeCloseTo(1, 1);
    const restored = createCpuFluid(options);
    expect(restored.measure().volume).toBe(0);
    restored.restore(fluid.checkpoint());
    expect(restored.measure().volume).toBe(volume);
    fluid.step(1 / 120);
    const other = createCpuFluid(options);
    other.restore(fluid.checkpoint());
    expect(other.measure().volume).toBe(fluid.measure().volume);
  });

  test('fails a check if any step is wrong, not only the last', async () => {
    const opened = async (options: FluidOptions) => {
      const fluid = createCpuFluid(options);
      const measure = fluid.measure.bind(fluid);
      let measured = 0;
      // The check measures before the first step and after each step.
      fluid.measure = () => ({ ...measure(), ...(measured++ === 1 ? { outside: 1 } : {}) });
      return fluid;
    };
    expect((await checkDamBreak(opened, damBreak(2, 8), 2)).pass).toBe(false);
    expect((await checkDamBreak(open, damBreak(2, 8), 2, report)).pass).toBe(true);
    expect(reports).toEqual(['1 of 2', '2 of 2']);
  });

  test.each([
    [2, 16, 20],
    [3, 8, 10],
  ] as const)('has the hydrostatic pressure at rest in %dD', async (dimensions, cells, steps) => {
    const { pass, detail } = await checkHydrostatic(open, dimensions, cells, steps, report);
    expect(pass, detail).toBe(true);
    expect(reports).toHaveLength(steps);
    expect(reports.at(-1)).toBe(`${steps} of ${steps}`);
  });

  test('keeps more angular momentum with APIC than with PIC', async () => {
    const { pass, detail } = await checkSpin(open, 2, 16, report);
    expect(pass, detail).toBe(true);
    expect(reports).toEqual(Array.from({ length: 180 }, (_, step) => `${step + 1} of 180`));
  });

  test('has the same bits in every run, with a moving obstacle', async () => {
    const obstacles = [{ shape: 'ball', position: [1, 0.2], radius: 0.2, velocity: [-0.5, 0] }] as const;
    const { pass, detail } = await checkRepeats(
      open,
      damBreak(2, 12, { transfer: 'apic', obstacles }),
      20,
      report,
    );
    expect(pass, detail).toBe(true);
    expect(reports).toEqual(Array.from({ length: 60 }, (_, step) => `${step + 1} of 60`));
  });

  test.each(['flip', 'apic'] as const)(
    'changes velocities and heights, to remove the energy that a substep gains (%s)',
    (transfer) => {
      const options = { ...gentleWave(12), transfer };
      const free = createCpuFluid({ ...options, restraint: 0 });
      free.step(1 / 2, 60);
      const checkpoint = free.checkpoint();
      const { energy: before } = free.measure();
      const after = [0, 1e-9, 0.001, 1].map((restraint) => {
        const fluid = createCpuFluid(options);
        fluid.restore(checkpoint);
        fluid.set({ restraint });
        fluid.step(1 / 120, 1);
        const { energy, kineticEnergy } = fluid.measure();
        return { growth: energy / before - 1, kineticEnergy };
      });
      const [grown = 0, ...kept] = after.map(({ growth }) => growth);
      expect(grown).toBeGreaterThan(5e-6);
      for (const growth of kept) expect(Math.abs(growth)).toBeLessThan(2e-8);
      const kinetic = after.map(({ kineticEnergy }) => kineticEnergy);
      expect(kinetic).toEqual(kinetic.toSorted((left, right) => right - left));
      expect(kinetic.at(-1)).toBeLessThan(kinetic[0] as number);
    },
  );

  test('gains no energy when its last bubble closes', () => {
    const fill = [{ min: [0, 0], max: [1.9, 1], velocity: [2, 0] }];
    const fluid = createCpuFluid(damBreak(2, 12, { transfer: 'pic', fill }));
    let { energy: lowest } = fluid.measure();
    for (let step = 0; step < 6; step++) {
      fluid.step(1 / 60);
      const { energy } = fluid.measure();
      expect(energy / lowest - 1).toBeLessThan(2e-6);
      lowest = energy;
    }
  });

  test.each(['flip', 'apic'] as const)(
    'stays calm with %s in a room that is full to its ceiling, beside another room',
    (transfer) => {
      const fluid = createCpuFluid({ ...CELLAR, transfer });
      for (let step = 0; step < 30; step++) {
        fluid.step(1 / 60);
        expect(fluid.measure().greatestSpeed).toBeLessThan(0.5);
      }
      const seen = fluid.measure();
      expect(seen.volume / seen.nominalVolume).toBeCloseTo(1, 2);
      expect(seen.divergenceAfter / seen.divergenceBefore).toBeLessThan(0.01);
      expect(fluidWarnings(seen, fluid)).toEqual([
        expect.stringMatching(/^In \d+ of 60 substeps, the pressure solver left more than/),
      ]);
    },
  );

  test('gains energy, even with full restraint, if it starts in too small a room', () => {
    const [free = 0, little = 0, whole = 0] = [0, 0.05, 1].map((restraint) => {
      const fluid = createCpuFluid({ ...denseFluid(), restraint });
      const before = fluid.measure().energy;
      fluid.step(1 / 120, 1);
      return fluid.measure().energy / before - 1;
    });
    expect(free).toBeGreaterThan(0.01);
    expect(little).toBeLessThan(free);
    expect(whole).toBeLessThan(little);
    expect(whole).toBeGreaterThan(0.01);
  });

  // Without the limits in equations.ts, density correction would add energy in short substeps.
  test.each([
    ['flip', 1e-4],
    ['apic', 1e-6],
  ] as const)('gains no energy with %s in substeps of %f s', (transfer, dt) => {
    const fluid = createCpuFluid(damBreak(2, 8, { transfer }));
    const { energy: before } = fluid.measure();
    for (let step = 0; step < 10; step++) {
      fluid.step(16 * dt, 16);
      expect(fluid.measure().energy / before - 1).toBeLessThan(2e-6);
    }
  });

  test('keeps its energy from growing, but does not stop a gentle wave', async () => {
    const { pass, detail } = await checkGentleWave(open, 12, 110);
    expect(pass, detail).toBe(true);
  });

  test('is displaced by an obstacle and stays out of solid cells', () => {
    const fluid = createCpuFluid({
      dimensions: 2,
      cells: [24, 12],
      cellSize: 1 / 12,
      fill: [{ min: [0, 0], max: [2, 0.5] }],
      solids: ([x = 0, y = 0]) => x > 1.4 && x < 1.6 && y < 0.3,
      obstacles: [{ shape: 'box', position: [-0.3, 0.4], halfExtents: [0.3, 0.4], velocity: [2, 0] }],
    });
    for (let step = 0; step < 20; step++) fluid.advance(1 / 60);
    const { positions } = fluid.read();
    for (let first = 0; first < positions.length; first += 2) {
      const [x = 0, y = 0] = positions.subarray(first);
      // The box has moved by 2/3; keeping particles apart may push them into it by less than half a cell.
      if (y < 0.75) expect(x).toBeGreaterThan(2 / 3 - 0.04);
    }
    expect(fluid.measure()).toMatchObject({ inSolid: 0, outside: 0, nonFinite: 0 });
  });

  test('adds particles up to its capacity, and removes particles', () => {
    const fluid = createCpuFluid({
      dimensions: 2,
      cells: [4, 4],
      cellSize: 1,
      capacity: 3,
      transfer: 'apic',
    });
    const ids = fluid.add({
      positions: Float32Array.of(1, 1, 2, 2),
      velocities: Float32Array.of(1, 0, 0, 1),
    });
    fluid.step(1 / 60);
    expect(() => fluid.add({ positions: new Float32Array(4).fill(1) })).toThrow(/capacity/);
    expect(() => fluid.add({ positions: Float32Array.of(9, 1) })).toThrow(
      'positions[0] (particle 0) is 9, but it must be a number from 0 to 4, inside the tank.',
    );
    fluid.step(1 / 60);
    expect(fluid.count).toBe(2);
    fluid.remove(ids.subarray(0, 1));
    expect(fluid.drain({ centre: [0, 0], radius: 1 })).toBe(0);
    expect(fluid.drain({ min: [0, 0], max: [4, 4] })).toBe(1);
    fluid.step(1 / 60);
    expect(fluid.measure()).toMatchObject({ count: 0, substeps: 6, volume: 0 });
  });

  test('ignores and counts particles that are not finite, and counts particles that are too fast', () => {
    const fluid = createCpuFluid(damBreak(2, 8));
    const { velocities } = fluid.particles.buffers;
    // The speed of an ignored particle does not raise the number of substeps.
    velocities[0] = Number.POSITIVE_INFINITY;
    expect(fluid.advance(1 / 60)).toBe(1);
    fluid.particles.buffers.velocities[2] = 1e4;
    fluid.step(1 / 60, 1);
    expect(fluid.measure()).toMatchObject({ nonFinite: 1, outside: 0 });
    expect(fluid.measure().tooFast).toBeGreaterThan(0);
    expect(fluidWarnings(fluid.measure(), fluid)).toEqual([
      expect.stringMatching(
        /^\d+ of 144 particles are faster than 2 cells per substep, so their moves may be cut short/,
      ),
      '1 of 144 particles are not finite; the fluid ignores them.',
    ]);
  });

  test.each([
    ['nothing but solid cells', { solids: () => true, fill: [] }],
    ['fluid in solids only', { fill: [{ min: [0, 0], max: [0.4, 1] }] }],
    ['an obstacle as large as the tank', { obstacles: [{ shape: 'ball', position: [0.5, 0.5], radius: 9 }] }],
    [
      'no forces, the lightest fluid',
      { gravity: [0, 0], density: 1e-6, blend: 1, correction: 0, separation: 0 },
    ],
    ['one particle', { fill: [], positions: Float32Array.of(0.75, 0.75) }],
    ['the smallest tank, full', { cells: [2, 2], solids: undefined, fill: [{ min: [0, 0], max: [1, 1] }] }],
  ] as const)('is rejected if all cells are solid, and otherwise continues: %s', (name, changes) => {
    const solids = ([x = 0]: readonly number[]) => x < 0.5;
    const fill = [{ min: [0, 0], max: [1, 0.5] }];
    const options = {
      dimensions: 2,
      cells: [6, 6],
      cellSize: 1 / 6,
      solids,
      fill,
      ...changes,
    } as FluidOptions;
    if (name === 'nothing but solid cells') {
      expect(() => createCpuFluid(options)).toThrow('solids is');
      return;
    }
    const fluid = createCpuFluid(options);
    for (let step = 0; step < 3; step++) fluid.step(1 / 60);
    const seen = fluid.measure();
    for (const [figure, value] of Object.entries(seen).flatMap(([key, own]) =>
      [own].flat().map((one) => [key, one]),
    ))
      if (typeof value === 'number') expect(value, `${figure}`).not.toBeNaN();
    expect(seen).toMatchObject({ nonFinite: 0, outside: 0, count: fluid.count });
    const isEmpty = name === 'fluid in solids only';
    expect(fluidWarnings(seen, fluid)).toEqual(isEmpty ? [expect.stringMatching(/^There is no fluid/)] : []);
  });
});

test.each([
  ['a ball', [{ centre: [1.1, 1.3], radius: 0.77 }], Math.PI * 0.77 ** 2],
  [
    'boxes across each other',
    [
      { min: [0.3, 0], max: [1, 2] },
      { min: [0, 0.55], max: [2, 1.1] },
    ],
    2.115,
  ],
] as const)('a fluid fills only %s, with the planned number of particles', (_, fill, area) => {
  const cellSize = 1 / 8;
  const { positions, count } = createCpuFluid({ dimensions: 2, cells: [16, 16], cellSize, fill }).plan;
  expect(Math.abs((count * cellSize ** 2) / 4 / area - 1)).toBeLessThan(0.03);
  for (let first = 0; first < positions.length; first += 2) {
    const position = Array.from(positions.subarray(first, first + 2));
    expect(
      fill.some((region) => isInRegion(region, position)),
      `${position}`,
    ).toBe(true);
  }
});

describe('a fluid rejects', () => {
  const make = () =>
    createCpuFluid({ dimensions: 2, cells: [8, 8], cellSize: 1, fill: [{ min: [0, 0], max: [4, 4] }] });

  test.each([
    ['a greatest number of substeps that is a function', /^most is a function, /, 'advance', [0.5, () => 3]],
    [
      'a list with missing obstacles',
      /^obstacles\[0\]\.shape is undefined, /,
      'setObstacles',
      [new Array(2)],
    ],
    ['a list with missing drains', /^drains\[0\] is undefined, /, 'set', [{ drains: new Array(2) }]],
    ['a list with missing emitters', /^emitters\[0\] is undefined, /, 'set', [{ emitters: new Array(2) }]],
  ] as const)('%s, and keeps its state', (_, message, method, given) => {
    const [fluid, untouched] = [make(), make()];
    expect(() => (fluid[method] as (...values: unknown[]) => unknown)(...given)).toThrow(message);
    fluid.step(0.01);
    untouched.step(0.01);
    expect(fluid.read()).toEqual(untouched.read());
  });

  test('a fill with missing regions', () => {
    const options = { dimensions: 2, cells: [8, 8], cellSize: 1, fill: new Array(2) } as const;
    expect(() => createCpuFluid(options)).toThrow(/^fill\[0\] is undefined, /);
  });

  test('a call of fluidWarnings with a Promise of measures or without a fluid', () => {
    expect(() => fluidWarnings(Promise.resolve() as never, make())).toThrow(/^measures is a Promise /);
    expect(() => fluidWarnings(make().measure(), undefined as never)).toThrow(/^fluid is undefined, /);
  });
});
