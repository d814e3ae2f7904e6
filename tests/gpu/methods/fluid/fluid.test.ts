import { describe, expect } from 'vitest';
import { createCpuFluid, createFluid, type FluidOptions } from '../../../../src/methods/fluid';
import { AIR, SOLID } from '../../../../src/methods/fluid/lattice';
import type { ObstacleOptions } from '../../../../src/methods/fluid/obstacles';
import { checkRepeats, gentleWave } from '../../../../src/verify/fluid';
import { CELLAR, denseFluid, FOUNTAIN } from '../../../helpers/inputs/fluids';
import { expectArraysWithin, gpuTest, SHARED } from '../../../helpers/node-gpu';

const STEP = 1 / 120;

/** A column beside a wall. One row has only one particle per cell, and an obstacle moves into the column. */
const PLANE: FluidOptions = {
  dimensions: 2,
  cells: [24, 20],
  cellSize: 1 / 16,
  fill: [
    { min: [0, 0], max: [0.5, 0.5] },
    { min: [0, 0.5625], max: [0.5, 1] },
  ],
  positions: Float32Array.from({ length: 16 }, (_, entry) => (entry % 2 ? 0.53 : (entry / 2 + 0.3) / 16)),
  solids: ([x = 0, y = 0]) => x > 0.6 && x < 0.7 && y < 0.2,
  mostIterations: 8,
  obstacles: [{ shape: 'ball', position: [0.6, 0.4], radius: 0.15, velocity: [-0.5, 0] }],
};

/** A column in 3D, with a cell size that is not a 32-bit float. */
const SPACE: FluidOptions = {
  dimensions: 3,
  cells: [10, 12, 7],
  mostIterations: 8,
  cellSize: 0.1,
  fill: [{ min: [0, 0, 0], max: [0.5, 0.6, 0.7] }],
  solids: ([x = 0, y = 0]) => x > 0.6 && x < 0.7 && y < 0.2,
  obstacles: [
    { shape: 'box', position: [0.61, 0.33, 0.4], halfExtents: [0.13, 0.12, 0.17], velocity: [-0.5, 0, 0] },
  ],
};

/** Tolerances after a few substeps in 32-bit floats. Lengths in the scenes are near 1. */
const POSITION_BOUND = 1e-5;
const SPEED_BOUND = 5e-4;

describe.each([
  ['2D', PLANE],
  ['3D', SPACE],
] as const)('the fluid in %s', (_, options) => {
  for (const transfer of ['flip', 'apic'] as const) {
    gpuTest(
      `equals the reference with the transfer ${transfer}`,
      async (_device, tools) => {
        const fluid = await createFluid(tools.wrap(), { ...options, transfer });
        const twin = createCpuFluid({ ...options, transfer });
        const solid = (await fluid.fields()).kinds;
        expect(Array.from(solid)).toEqual(Array.from(twin.fields().kinds));
        expect(new Set(solid)).toEqual(new Set([AIR, SOLID]));
        const [first, twins] = [await fluid.checkpoint(), twin.checkpoint()];
        for (let step = 0; step < 6; step++) {
          fluid.step(STEP, 1);
          twin.step(STEP, 1);
        }
        const [got, fields, seen] = await Promise.all([fluid.read(), fluid.fields(), fluid.measure()]);
        const [expected, expectedFields, figures] = [twin.read(), twin.fields(), twin.measure()];
        expectArraysWithin(got.positions, expected.positions, POSITION_BOUND, 'positions');
        expectArraysWithin(got.velocities, expected.velocities, SPEED_BOUND, 'velocities');
        expect(Array.from(fields.kinds)).toEqual(Array.from(expectedFields.kinds));
        expectArraysWithin(fields.velocity, expectedFields.velocity, SPEED_BOUND, 'velocities of cells');
        const highest = Math.max(...expectedFields.pressure);
        expect(highest).toBeGreaterThan(1000);
        expectArraysWithin(fields.pressure, expectedFields.pressure, 1e-3 * highest, 'pressure');
        expect(seen.iterations).toBe(figures.iterations);
        expect(seen.residual).toBeLessThanOrEqual(1e-4);
        expect(seen.divergenceAfter / seen.divergenceBefore).toBeLessThanOrEqual(1.1e-4);
        expect(seen.volume).toBeCloseTo(figures.volume, 4);
        expect(seen).toMatchObject({ substeps: 6, unconverged: 0, inSolid: 0, outside: 0, nonFinite: 0 });
        fluid.restore(first);
        twin.restore(twins);
        expect((await fluid.fields()).kinds).toEqual(solid);
        expect(twin.fields().kinds).toEqual(solid);
        fluid.destroy();
        twin.destroy();
      },
      (options.dimensions === 2) === (transfer === 'flip') ? SHARED : { ...SHARED, tags: 'full' },
    );
  }
});

/** An obstacle in the middle. Centres of cells lie on its surface. */
function tankAtSurface(dimensions: 2 | 3, shape: 'ball' | 'box'): FluidOptions {
  const all = (value: number) => new Array<number>(dimensions).fill(value);
  const size = shape === 'ball' ? { radius: 0.2 } : { halfExtents: all(0.2) };
  return {
    dimensions,
    cells: all(dimensions === 2 ? 15 : 9),
    cellSize: 0.1,
    fill: [{ min: all(0), max: all(dimensions === 2 ? 1.5 : 0.9) }],
    obstacles: [
      {
        shape,
        position: all(dimensions === 2 ? 0.75 : 0.45),
        velocity: all(0).with(0, 0.1),
        ...size,
      } as ObstacleOptions,
    ],
  };
}

describe.each([
  [2, 'ball'],
  [2, 'box'],
  [3, 'ball'],
  [3, 'box'],
] as const)('a fluid in %dD around a %s', (dimensions, shape) => {
  gpuTest(
    'equals its CPU twin if centres of cells lie on the surface of that shape',
    async (_device, tools) => {
      const options = tankAtSurface(dimensions, shape);
      const fluid = await createFluid(tools.wrap(), options);
      const twin = createCpuFluid(options);
      expect((await fluid.measure()).volume).toBe(twin.measure().volume);
      for (let step = 0; step < 3; step++) {
        fluid.step(STEP, 1);
        twin.step(STEP, 1);
        const [got, fields] = await Promise.all([fluid.read(), fluid.fields()]);
        expect(Array.from(fields.kinds)).toEqual(Array.from(twin.fields().kinds));
        expectArraysWithin(got.positions, twin.read().positions, POSITION_BOUND, 'positions');
      }
      fluid.destroy();
      twin.destroy();
    },
    SHARED,
  );
});

/** A single particle in the middle of a cell, without gravity. */
function lone(velocity: readonly number[], solids?: FluidOptions['solids']): FluidOptions {
  return {
    dimensions: 2,
    cells: [8, 8],
    cellSize: 1,
    gravity: [0, 0],
    positions: Float32Array.of(3.5, 3.5),
    velocities: Float32Array.from(velocity),
    ...(solids ? { solids } : {}),
  };
}

describe('a fluid', () => {
  gpuTest(
    'gives the same bits in every run, and if recorded into one encoder; `advance` makes as many substeps as the speed needs',
    async (device, tools) => {
      const gpu = tools.wrap();
      const { pass, detail } = await checkRepeats((given) => createFluid(gpu, given), PLANE, 6);
      expect(pass, detail).toBe(true);
      const fluid = await createFluid(gpu, PLANE);
      const encoder = device.createCommandEncoder();
      for (let substep = 0; substep < 12; substep++) fluid.encodeSubstep(encoder, 1 / 120);
      const calls: Record<string, () => unknown> = {
        step: () => fluid.step(1 / 60),
        advance: () => fluid.advance(1 / 60),
        profile: () => fluid.profile(1 / 60),
        add: () => fluid.add({ positions: Float32Array.of(0.5, 0.5) }),
        remove: () => fluid.remove([0]),
        setObstacles: () => fluid.setObstacles([]),
        measure: () => fluid.measure(),
        read: () => fluid.read(),
        checkpoint: () => fluid.checkpoint(),
        fields: () => fluid.fields(),
      };
      for (const [name, call] of Object.entries(calls)) {
        await expect((async () => call())(), name).rejects.toThrow(/^A step was recorded into the encoder/);
      }
      device.queue.submit([encoder.finish()]);
      const seen = await fluid.measure();
      expect(detail).toContain(seen.hash);
      // The figures are those of the last substep, whatever changes after it.
      fluid.set({ correction: 0 });
      expect((await fluid.measure()).divergenceAfter).toBe(seen.divergenceAfter);
      const twin = createCpuFluid(PLANE);
      const { velocities, ids } = twin.particles.buffers;
      expect(ids[0]).toBe(0);
      velocities[0] = 10;
      const quick = twin.read();
      const { fill: _fill, ...rest } = PLANE;
      const other = await createFluid(gpu, {
        ...rest,
        positions: quick.positions,
        velocities: quick.velocities,
      });
      expect(await other.advance(1 / 60)).toBe(twin.advance(1 / 60));
      expect(twin.measure().substeps).toBe(3);
    },
    SHARED,
  );

  gpuTest(
    'moves a particle at most two cells, and keeps it in its cell along each axis on which a solid blocks it',
    async (_device, tools) => {
      const gpu = tools.wrap();
      const walls: FluidOptions['solids'] = ([x = 0]) => x < 2 || x > 5;
      // These particles would move 18 cells along an axis.
      for (const [solids, velocity, position, after] of [
        [undefined, [18, 0], [5.5, 3.5], [18, 0]],
        [undefined, [0, -18], [3.5, 1.5], [0, -18]],
        [walls, [18, 0], [4 - 1 / 64, 3.5], [0, 0]],
        [walls, [-18, 0], [3 + 1 / 64, 3.5], [0, 0]],
        [walls, [18, 18], [4 - 1 / 64, 5.5], [0, 18]],
      ] as const) {
        const options = lone(velocity, solids);
        const [fluid, twin] = [await createFluid(gpu, options), createCpuFluid(options)];
        for (const one of [fluid, twin]) {
          one.step(1, 1);
          const { positions, velocities } = await one.read();
          expectArraysWithin(positions, position, 1e-6, 'positions');
          expectArraysWithin(velocities, after, 1e-6, 'velocities');
        }
        fluid.destroy();
      }
    },
    SHARED,
  );

  gpuTest(
    'advances by one substep while no particle moves farther than a cell',
    async (_device, tools) => {
      const options = { ...lone([0.5, 0]), longestStep: 3 };
      const [fluid, twin] = [await createFluid(tools.wrap(), options), createCpuFluid(options)];
      for (const one of [fluid, twin]) {
        expect(await one.advance(1.9)).toBe(1);
        expect(await one.advance(2.1)).toBe(2);
      }
      fluid.destroy();
    },
    SHARED,
  );

  gpuTest(
    'adds and removes particles, solves nothing while it is empty, and rejects what does not fit',
    async (device, tools) => {
      const gpu = tools.wrap();
      const fluid = await createFluid(gpu, {
        dimensions: 2,
        cells: [4, 4],
        cellSize: 1,
        capacity: 3,
        transfer: 'apic',
      });
      // Cells smaller than the particles' spacing would take most of the memory.
      expect(fluid.particles.world.cellSize).toBe(0.5);
      fluid.step(1 / 60);
      expect(await fluid.measure()).toMatchObject({ count: 0, iterations: 0, unconverged: 0, volume: 0 });
      const ids = fluid.add({
        positions: Float32Array.of(1, 1, 2, 2),
        velocities: Float32Array.of(1, 0, 0, 1),
      });
      fluid.step(1 / 60);
      expect(() => fluid.add({ positions: new Float32Array(4).fill(1) })).toThrow(/capacity/);
      expect(await fluid.measure()).toMatchObject({ count: 2, nonFinite: 0, unconverged: 0 });
      fluid.remove(ids.subarray(0, 1));
      const timing = fluid.profile(1 / 60);
      expect(() => fluid.add({ positions: new Float32Array(2) })).toThrow('add was called while a step');
      const later = fluid.step(1 / 60);
      expect(fluid.time).toBe(2 / 60);
      const times = await timing;
      await later;
      expect(fluid.time).toBeCloseTo(4 / 60, 12);
      expect(fluid.set({})).toBeUndefined();
      expect(Object.keys(times.stages)).toEqual([
        'sort',
        'cells',
        'transfer',
        'faces',
        'pressure',
        'extrapolate',
        'particles',
        'separate',
        'energy',
      ]);
      expect((await fluid.read()).ids).toEqual(Uint32Array.of(1));
      expect(await fluid.drain({ centre: [0, 0], radius: 1 })).toBe(0);
      // A step begins to wait during the drain's read.
      const draining = fluid.drain({ min: [0, 0], max: [4, 4] });
      fluid.profile(1 / 60);
      expect(await draining).toBe(1);
      expect(fluid.count).toBe(0);
      const encoder = device.createCommandEncoder();
      for (let substep = 0; substep < 63; substep++) fluid.encodeSubstep(encoder, 1e-3);
      expect(() => fluid.encodeSubstep(encoder, 1e-3)).toThrow('This encoder holds 63 substeps already');
      const large = { dimensions: 3, cells: [256, 256, 200], cellSize: 1 } as const;
      await expect(createFluid(gpu, large)).rejects.toThrow(
        /maxStorageBufferBindingSize is \d+; request the GPU with `cells: \d+`/,
      );
      fluid.destroy();
      expect(() => fluid.step(1 / 60)).toThrow('This Fluid was destroyed');
    },
    SHARED,
  );

  gpuTest(
    'lowers particles like its CPU twin if slowing them does not suffice to keep energy from growing',
    async (_device, tools) => {
      const solids: FluidOptions['solids'] = ([x = 0, y = 0]) => x > 1.4 && x < 1.6 && y < 0.3;
      const options = { ...gentleWave(8), solids };
      const twin = createCpuFluid(options);
      twin.step(0.3, 36);
      const checkpoint = twin.checkpoint();
      const { energy: before } = twin.measure();
      const [fluid, free] = [await createFluid(tools.wrap(), options), createCpuFluid(options)];
      for (const one of [fluid, free]) one.restore(checkpoint);
      free.set({ restraint: 0 });
      for (const one of [fluid, twin, free]) for (let step = 0; step < 4; step++) one.step(STEP, 1);
      const [got, expected] = [await fluid.read(), twin.read()];
      expectArraysWithin(got.positions, expected.positions, 1e-6, 'positions');
      expectArraysWithin(got.velocities, expected.velocities, SPEED_BOUND, 'velocities');
      const grown = free.measure().energy / before - 1;
      expect(grown).toBeGreaterThan(2e-6);
      // Particles on the solid keep their height. The others are lowered enough to make up for the whole growth.
      for (const one of [fluid, twin]) expect((await one.measure()).energy / before - 1).toBeLessThan(1e-7);
      // The fluid continues with the same bits, although its particles are no longer sorted.
      fluid.set({ separation: 0 });
      const half = await fluid.checkpoint();
      const goOn = async () => {
        for (let step = 0; step < 8; step++) fluid.step(STEP, 1);
        return (await fluid.measure()).hash;
      };
      const hash = await goOn();
      fluid.restore(half);
      expect(await goOn()).toBe(hash);
      fluid.destroy();
    },
    SHARED,
  );

  gpuTest(
    'stays calm in a room that is full to its ceiling, beside another room, like its CPU twin',
    async (_device, tools) => {
      const [fluid, twin] = [await createFluid(tools.wrap(), CELLAR), createCpuFluid(CELLAR)];
      for (const one of [fluid, twin]) for (let step = 0; step < 30; step++) one.step(STEP, 1);
      const [seen, figures] = [await fluid.measure(), twin.measure()];
      expect(seen.greatestSpeed).toBeLessThan(0.5);
      expect(seen.greatestSpeed).toBeCloseTo(figures.greatestSpeed, 1);
      expect(seen.unconverged).toBeGreaterThan(20);
      fluid.destroy();
    },
    SHARED,
  );

  gpuTest(
    'removes energy growth from velocities, like its CPU twin',
    async (_device, tools) => {
      for (const transfer of ['flip', 'apic'] as const) {
        const options = { ...denseFluid(), transfer, restraint: 0.2 };
        const [fluid, twin] = [await createFluid(tools.wrap(), options), createCpuFluid(options)];
        const free = createCpuFluid({ ...options, restraint: 0 });
        for (const one of [fluid, twin, free]) for (let step = 0; step < 3; step++) one.step(STEP, 1);
        const [got, expected] = [await fluid.read(), twin.read()];
        expectArraysWithin(got.velocities, expected.velocities, SPEED_BOUND, 'velocities');
        expect(twin.measure().kineticEnergy).toBeLessThan(0.9 * free.measure().kineticEnergy);
        fluid.destroy();
      }
    },
    SHARED,
  );

  gpuTest(
    'emits and drains like its CPU twin, whether or not the caller waits for steps, and continues from a checkpoint',
    async (device, tools) => {
      const gpu = tools.wrap();
      const twin = createCpuFluid(FOUNTAIN);
      const [fluid, hasty] = [await createFluid(gpu, FOUNTAIN), await createFluid(gpu, FOUNTAIN)];
      const half = 20;
      for (let substep = 0; substep < half; substep++) {
        await fluid.step(STEP, 1);
        twin.step(STEP, 1);
      }
      const checkpoint = structuredClone(await fluid.checkpoint());
      const expected = twin.checkpoint();
      for (const name of [
        'substeps',
        'time',
        'missed',
        'ways',
        'births',
        'drained',
        'leaving',
        'obstacles',
      ] as const)
        expect(checkpoint[name], name).toEqual(expected[name]);
      expect(checkpoint.drained.length + checkpoint.leaving.length).toBeGreaterThan(0);
      const [got, twinState] = [await fluid.read(), twin.read()];
      expect(Array.from(got.ids)).toEqual(Array.from(twinState.ids));
      expect(got.ids.length).toBeLessThan(fluid.count);
      expectArraysWithin(got.positions, twinState.positions, 1e-3, 'positions');
      for (let substep = 0; substep < half; substep++) await fluid.step(STEP, 1);
      const seen = await fluid.measure();
      // Do not wait: substeps queue up until the device reports drained particles.
      const waits = hasty.step(STEP * 2 * half, 2 * half);
      expect(waits).toBeInstanceOf(Promise);
      expect(() => hasty.set({ substeps: 1 })).toThrow('set was called while a step of this fluid waits');
      expect(await hasty.measure()).toEqual({ ...seen, time: expect.closeTo(seen.time, 9) });
      expect(hasty.time).toBeCloseTo(seen.time, 9);
      hasty.restore(checkpoint);
      expect(await hasty.checkpoint()).toEqual(checkpoint);
      for (let substep = 0; substep < half; substep++) await hasty.step(STEP, 1);
      expect(await hasty.measure()).toEqual(seen);
      const encoder = device.createCommandEncoder();
      expect(() => hasty.encodeSubstep(encoder, STEP)).toThrow(
        'encodeSubstep cannot record a fluid with emitters',
      );
      for (const one of [fluid, hasty]) one.destroy();
    },
    { ...SHARED, tags: 'full' },
  );
});
