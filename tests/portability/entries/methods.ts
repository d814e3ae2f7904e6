/**
 * Runs under Deno for methods.test.ts: takes a step of boids, of particle life and of the position-based fluid, and of
 * their references. Prints by name how far positions differ, and the errors that the device reported.
 */

import { type Dimensions, wrapDevice } from '../../../src/index';
import { createCpuFlock, createCpuLife, createFlock, createLife } from '../../../src/methods/flock';
import { createCpuPositionFluid, createPositionFluid } from '../../../src/methods/pbf';
import { flockOptions, lifeOptions } from '../../helpers/inputs/flocks';
import { blockOf } from '../../helpers/inputs/position-fluids';

export interface MethodsReport {
  /** By method: the greatest difference of a coordinate. */
  readonly differences: Readonly<Record<string, number>>;
  readonly complaints: readonly string[];
}

interface Method {
  step(dt: number): void;
  read(): Promise<{ readonly positions: Float32Array }>;
}

interface CpuMethod {
  step(dt: number): void;
  read(): { readonly positions: ArrayLike<number> };
}

const DT = 1 / 64;
const adapter = await navigator.gpu.requestAdapter();
const device = await adapter?.requestDevice({ label: 'portability' });
if (!adapter || !device) throw new Error('Deno has no adapter.');
const complaints: string[] = [];
device.onuncapturederror = ({ error }) => complaints.push(error.message);
const gpu = wrapDevice(device, adapter.info);
const differences: Record<string, number> = {};

async function compare(name: string, method: Method, cpu: CpuMethod): Promise<void> {
  method.step(DT);
  cpu.step(DT);
  const { positions } = await method.read();
  const expected = cpu.read().positions;
  differences[name] = positions.reduce(
    (most, value, index) => Math.max(most, Math.abs(value - (expected[index] as number))),
    0,
  );
}

for (const dimensions of [2, 3] as readonly Dimensions[]) {
  const periodic = [true, false, true];
  const flock = flockOptions(dimensions, periodic, 300);
  await compare(`boids ${dimensions}D`, await createFlock(gpu, flock), createCpuFlock(flock));
  const life = lifeOptions(dimensions, periodic, 300);
  await compare(`life ${dimensions}D`, await createLife(gpu, life), createCpuLife(life));
  const fluid = blockOf(dimensions, { squeeze: 0.85, iterations: 2, gravity: 1 });
  await compare(`fluid ${dimensions}D`, await createPositionFluid(gpu, fluid), createCpuPositionFluid(fluid));
}
device.destroy();

const report: MethodsReport = { differences, complaints };
console.log(JSON.stringify(report));
