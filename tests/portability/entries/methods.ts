/**
 * Purpose: runs under Deno for methods.test.ts: a step of boids, of particle life and of the position-based fluid beside the
 * references'. Prints how far places are from those, by name, and what the device complained about.
 */
import { createFlock, createLife } from '../../../src/flock';
import { stepBoids } from '../../../src/flock/reference/boids';
import { stepLife } from '../../../src/flock/reference/life';
import { type Dimensions, wrapDevice } from '../../../src/index';
import { createPositionFluid } from '../../../src/pbf';
import { stepFluid } from '../../../src/pbf/reference/fluid';
import { flockOptions, lifeOptions } from '../../helpers/flocks';
import { blockOf } from '../../helpers/position-fluids';

export interface MethodsReport {
  /** Greatest difference of a coordinate. */
  readonly differences: Readonly<Record<string, number>>;
  readonly complaints: readonly string[];
}

interface Method {
  step(dt: number): void;
  read(): Promise<{ readonly positions: Float32Array }>;
}

const DT = 1 / 64;
const adapter = await navigator.gpu.requestAdapter();
const device = await adapter?.requestDevice({ label: 'portability' });
if (!adapter || !device) throw new Error('Deno has no adapter.');
const complaints: string[] = [];
device.onuncapturederror = ({ error }) => complaints.push(error.message);
const gpu = wrapDevice(device, adapter.info);
const differences: Record<string, number> = {};

async function compare(name: string, method: Method, expected: Float64Array): Promise<void> {
  method.step(DT);
  const { positions } = await method.read();
  differences[name] = positions.reduce(
    (most, place, index) => Math.max(most, Math.abs(place - (expected[index] as number))),
    0,
  );
}

for (const dimensions of [2, 3] as readonly Dimensions[]) {
  const periodic = [true, false, true];
  const { options: flock, state: boids } = flockOptions(dimensions, periodic, 300);
  await compare(`boids ${dimensions}D`, await createFlock(gpu, flock), stepBoids(flock, boids, DT).positions);
  const { options: life, state: particles } = lifeOptions(dimensions, periodic, 300);
  await compare(`life ${dimensions}D`, await createLife(gpu, life), stepLife(life, particles, DT).positions);
  const { options: fluid, state } = blockOf(dimensions, { squeeze: 0.85, iterations: 2, gravity: 1 });
  await compare(
    `fluid ${dimensions}D`,
    await createPositionFluid(gpu, fluid),
    stepFluid(fluid, state, DT).positions,
  );
}
device.destroy();

const report: MethodsReport = { differences, complaints };
console.log(JSON.stringify(report));
