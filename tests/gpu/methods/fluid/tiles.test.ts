import { expect } from 'vitest';
import { wrapDevice } from '../../../../src/gpu/device';
import { createCpuFluid, createFluid, type FluidOptions } from '../../../../src/methods/fluid';
import { expectArraysWithin, gpuTest, HARDWARE, SHARED } from '../../../helpers/node-gpu';

/** The tolerances of fluid.test.ts. */
const SPEED_BOUND = 5e-4;
const PRESSURE_BOUND = 1e-3;

/** A tank with solid cells, fluid around an obstacle, and tiles that are empty, full or cut by the tank's edge. */
function tank(width: number, height: number): FluidOptions {
  return {
    dimensions: 2,
    cells: [width, height],
    cellSize: 1 / 64,
    fill: [{ min: [0, 0], max: [0.4 * (width / 64), 0.8 * (height / 64)] }],
    solids: ([x = 0, y = 0]) => (Math.floor(64 * x) % 9 === 4 && Math.floor(64 * y) % 3 !== 1) || y < 0.05,
    obstacles: [{ shape: 'ball', position: [0.4, 0.4], radius: 0.15, velocity: [0.5, 0] }],
    particlesPerCell: 4,
  };
}

/** In these tanks, the solver's tail (pressure/tail.wgsl) runs after one level, one pair of levels, or two pairs. */
const TANKS = { 'one level': tank(75, 46), 'a pair': tank(131, 70), 'two pairs': tank(1030, 33) };

for (const [name, options] of Object.entries(TANKS)) {
  for (const info of [undefined, HARDWARE]) {
    gpuTest(
      `the fluid equals the reference, ${name} above the tail, kernels for ${info ? 'hardware' : 'this adapter'}`,
      async (device) => {
        const fluid = await createFluid(wrapDevice(device, info), options);
        const twin = createCpuFluid(options);
        fluid.step(1 / 240, 1);
        twin.step(1 / 240, 1);
        const [got, seen] = [await fluid.fields(), await fluid.measure()];
        const [expected, figures] = [twin.fields(), twin.measure()];
        expect(seen.iterations).toBe(figures.iterations);
        expect(seen.residual).toBeLessThanOrEqual(1e-4);
        expect(seen.unconverged).toBe(0);
        expect(Array.from(got.kinds)).toEqual(Array.from(expected.kinds));
        expectArraysWithin(got.velocity, expected.velocity, SPEED_BOUND, 'velocities of cells');
        const highest = Math.max(...expected.pressure);
        expectArraysWithin(got.pressure, expected.pressure, PRESSURE_BOUND * highest, 'pressure');
        fluid.destroy();
      },
      SHARED,
    );
  }
}

gpuTest(
  'a substep of a fluid with 1,024² cells records at most 150 dispatches',
  async (device, tools) => {
    const cells = [1024, 1024];
    const fill = [{ min: [0, 0], max: [16, 16] }];
    const fluid = await createFluid(tools.wrap(), { dimensions: 2, cells, cellSize: 1, fill });
    const encoder = device.createCommandEncoder();
    let dispatches = 0;
    const begin = encoder.beginComputePass.bind(encoder);
    encoder.beginComputePass = (descriptor) => {
      const pass = begin(descriptor);
      const [direct, indirect] = [
        pass.dispatchWorkgroups.bind(pass),
        pass.dispatchWorkgroupsIndirect.bind(pass),
      ];
      pass.dispatchWorkgroups = (...counts) => {
        dispatches++;
        direct(...counts);
      };
      pass.dispatchWorkgroupsIndirect = (...place) => {
        dispatches++;
        indirect(...place);
      };
      return pass;
    };
    fluid.encodeSubstep(encoder, 1 / 120);
    device.queue.submit([encoder.finish()]);
    expect(dispatches).toBeGreaterThan(100);
    expect(dispatches).toBeLessThanOrEqual(150);
    expect((await fluid.profile(1 / 120)).dispatches).toBe(dispatches);
    fluid.destroy();
  },
  // Only the recording matters.
  { driverless: true },
);

gpuTest(
  'direct dispatches give the same bits as indirect ones in 3D, after several substeps and after a checkpoint',
  async (device) => {
    const options: FluidOptions = {
      dimensions: 3,
      cells: [24, 16, 12],
      cellSize: 1 / 16,
      fill: [{ min: [0, 0, 0], max: [0.7, 0.8, 0.75] }],
      particlesPerCell: 8,
    };
    const states = async (info?: GPUAdapterInfo) => {
      const fluid = await createFluid(wrapDevice(device, info), options);
      fluid.step(1 / 120, 3);
      const first = await fluid.checkpoint();
      fluid.step(1 / 120, 2);
      const second = await fluid.checkpoint();
      fluid.restore(first);
      fluid.step(1 / 120, 2);
      const again = await fluid.checkpoint();
      const { iterations, unconverged } = await fluid.measure();
      fluid.destroy();
      return { first, second, again, iterations, unconverged };
    };
    const fixed = await states(HARDWARE);
    expect(fixed.iterations).toBeGreaterThan(1);
    expect(fixed.again).toEqual(fixed.second);
    expect(await states()).toEqual(fixed);
  },
  { ...SHARED, tags: 'full' },
);
