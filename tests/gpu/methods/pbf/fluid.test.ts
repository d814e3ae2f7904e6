/** Tests that steps are close to the CPU engine's, which computes in doubles, and give the same bits in every run. */
import { describe, expect } from 'vitest';
import { createCpuPositionFluid, createPositionFluid } from '../../../../src/methods/pbf';
import { expectComingAndGoing, expectSameFromCheckpoint } from '../../../helpers/inputs/flocks';
import { blockOf, columnOf, FLUID_RADIUS, obstaclesIn } from '../../../helpers/inputs/position-fluids';
import { expectArraysWithin, gpuTest, SHARED } from '../../../helpers/node-gpu';
import { bitsOf, DIMENSIONS } from '../../../helpers/passes';

const DT = 1 / 128;

/**
 * Tolerance of positions, in radii. Each λ is accurate to about 2^-18, and two rounds of corrections move a particle by
 * less than a radius. Positions, at most 24 radii from the corner, are rounded four times.
 */
const PART = 2 ** -16;

describe.each(DIMENSIONS)('a position-based fluid in %dD', (dimensions) => {
  gpuTest(
    'moves as on the CPU, with the same bits in every run, and keeps its momentum if no wall is near',
    async (_, tools) => {
      const options = blockOf(dimensions, { squeeze: 0.85, iterations: 2, gravity: 0 });
      // In 3D two axes have no walls. The obstacles reach into the block.
      const periodic = dimensions === 3 ? [true, false, true] : false;
      const obstacles = obstaclesIn(dimensions);
      const capacity = options.positions.length / dimensions + 10;
      const thick = { ...options, periodic, obstacles, capacity, viscosity: 0.1, tension: 0.5 };
      const turning = { ...thick, vorticity: 2 };
      const fluid = await createPositionFluid(tools.wrap(), turning);
      const again = await createPositionFluid(tools.wrap(), turning);
      const cpu = createCpuPositionFluid(turning);
      for (const one of [fluid, again, cpu]) await expectComingAndGoing(one);
      cpu.step(DT);
      const expected = cpu.read();
      fluid.step(DT);
      const got = await fluid.read();
      // The positions of removed particles stay NaN after a step.
      expect(new Float32Array(await tools.read(fluid.buffers.positions, 0, 4))).toEqual(
        Float32Array.of(Number.NaN),
      );
      const bound = PART * FLUID_RADIUS;
      expectArraysWithin(got.positions, expected.positions, bound, 'positions');
      expectArraysWithin(got.velocities, expected.velocities, (2 * bound) / DT, 'velocities');
      for (let step = 0; step < 4; step++) fluid.step(DT);
      for (let step = 0; step < 5; step++) again.step(DT);
      const [one, other] = await Promise.all([fluid.read(), again.read()]);
      expect(bitsOf(one.positions)).toEqual(bitsOf(other.positions));
      expect(bitsOf(one.velocities)).toEqual(bitsOf(other.velocities));
      again.step(DT);
      await expectSameFromCheckpoint(fluid, again);
      cpu.restore(await fluid.checkpoint());
      expect(cpu.read()).toEqual(await fluid.read());
      const { positions, velocities } = options;
      const ids = Uint32Array.from({ length: positions.length / dimensions }, (__, id) => id);
      again.restore({ ...(await again.checkpoint()), ids, positions, velocities, obstacles: [] });
      again.set({ vorticity: 0 });
      const sums = (velocities: Float32Array) =>
        Array.from({ length: dimensions }, (__, axis) =>
          velocities.reduce((sum, value, index) => (index % dimensions === axis ? sum + value : sum), 0),
        );
      const before = sums(velocities);
      for (let step = 0; step < 3; step++) again.step(DT);
      const after = sums((await again.read()).velocities);
      // A velocity is a difference of positions, each rounded to 2^-24 of its size, divided by the time step.
      const rounding = (3 * (options.max[0] as number) * 2 ** -24) / DT;
      after.forEach((sum, axis) => {
        expect(Math.abs(sum - (before[axis] as number))).toBeLessThan(rounding * again.count);
      });
      fluid.destroy();
      again.destroy();
      expect(() => fluid.step(DT)).toThrow(/destroyed/);
    },
    SHARED,
  );

  gpuTest(
    'moves as on the CPU after particles were removed, and from a checkpoint with gaps in its ids',
    async (_, tools) => {
      const options = blockOf(dimensions, { squeeze: 0.9, iterations: 2, gravity: 1 });
      const capacity = options.positions.length / dimensions;
      const fluids = [
        await createPositionFluid(tools.wrap(), { ...options, capacity }),
        createCpuPositionFluid({ ...options, capacity }),
      ] as const;
      const [gpu, cpu] = fluids;
      for (const one of fluids) one.step(DT);
      cpu.restore(await gpu.checkpoint());
      const removed = Array.from({ length: capacity }, (__, id) => id).filter((id) => id % 3 === 0);
      const bound = PART * FLUID_RADIUS;
      const expectSame = async () => {
        for (const one of fluids) one.step(DT);
        const [got, expected] = [await gpu.read(), cpu.read()];
        expect(got.ids).toEqual(expected.ids);
        expectArraysWithin(got.positions, expected.positions, bound, 'positions');
        expectArraysWithin(got.velocities, expected.velocities, (2 * bound) / DT, 'velocities');
      };
      for (const one of fluids) one.remove(removed);
      await expectSame();
      const checkpoint = await gpu.checkpoint();
      const others = [
        await createPositionFluid(tools.wrap(), { ...options, capacity }),
        createCpuPositionFluid({
          ...options,
          positions: new Float32Array(0),
          velocities: undefined,
          capacity,
        }),
      ] as const;
      for (const one of [...fluids, ...others]) one.restore(checkpoint);
      await expectSame();
      for (const one of others) one.step(DT);
      expect(bitsOf((await others[0].read()).positions)).toEqual(bitsOf((await gpu.read()).positions));
      expect(others[1].read()).toEqual(cpu.read());
      for (const one of [gpu, others[0]]) one.destroy();
    },
    SHARED,
  );

  gpuTest(
    'comes closer to the rest density with more rounds; a column at rest is at most 3% denser on average',
    async (device, tools) => {
      const options = columnOf(dimensions);
      const fluid = await createPositionFluid(tools.wrap(), { ...options, viscosity: 0.05 });
      const { positions } = options;
      const middle = (positions: Float32Array) =>
        positions.reduce((sum, value, index) => (index % dimensions === 1 ? sum + value : sum), 0) /
        fluid.count;
      const before = middle(positions);
      const settle = async (steps: number) => {
        const encoder = device.createCommandEncoder();
        for (let step = 0; step < steps; step++) fluid.encode(encoder, DT);
        device.queue.submit([encoder.finish()]);
        return fluid.measure();
      };
      fluid.set({ iterations: 1 });
      const rough = await settle(25);
      fluid.set({ iterations: 4 });
      const fine = await settle(25);
      expect(fine.meanExcess).toBeLessThan(0.6 * rough.meanExcess);
      expect(fine.meanExcess).toBeLessThan(0.03);
      expect(fine.greatestExcess).toBeLessThan(0.1);
      const state = await fluid.read();
      expect(Math.abs(middle(state.positions) / before - 1)).toBeLessThan(0.06);
      state.positions.forEach((value, index) => {
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(options.max[index % dimensions] as number);
      });
      expect(() => fluid.step(0)).toThrow(
        /^dt is 0, but it must be a number of seconds from 0\.000001 to 1\.$/,
      );
      expect(() => fluid.step(Number.NaN)).toThrow(/^dt is NaN, /);
      expect(() => fluid.set({ viscosity: 3 })).toThrow(/^viscosity is 3, /);
      expect(bitsOf((await fluid.read()).positions)).toEqual(bitsOf(state.positions));
      fluid.destroy();
    },
    { ...SHARED, tags: 'full' },
  );
});
