/** Compares one step of a method on the GPU with one on the CPU. Runs under Deno for methods.test.ts. */
import type { Dimensions } from '../../../src/index';
import { createCpuFlock, createCpuLife, createFlock, createLife } from '../../../src/methods/flock';
import { createCpuPositionFluid, createPositionFluid } from '../../../src/methods/pbf';
import { flockOptions, lifeOptions } from '../../helpers/inputs/flocks';
import { blockOf } from '../../helpers/inputs/position-fluids';
import { openDevice } from './device';

export type MethodName = 'boids' | 'particle life' | 'position-based fluid';

export interface MethodsQuestion {
  readonly method: MethodName;
  readonly dimensions: Dimensions;
}

export interface MethodsReport {
  readonly difference: number;
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
const { gpu, complaints } = await openDevice();

async function open({ method, dimensions }: MethodsQuestion): Promise<readonly [Method, CpuMethod]> {
  const periodic = [true, false, true];
  if (method === 'boids') {
    const options = flockOptions(dimensions, periodic, 300);
    return [await createFlock(gpu, options), createCpuFlock(options)];
  }
  if (method === 'particle life') {
    const options = lifeOptions(dimensions, periodic, 300);
    return [await createLife(gpu, options), createCpuLife(options)];
  }
  const options = blockOf(dimensions, { squeeze: 0.85, iterations: 2, gravity: 1 });
  return [await createPositionFluid(gpu, options), createCpuPositionFluid(options)];
}

export default async (question: MethodsQuestion): Promise<MethodsReport> => {
  const [method, cpu] = await open(question);
  method.step(DT);
  cpu.step(DT);
  const { positions } = await method.read();
  const expected = cpu.read().positions;
  const difference = positions.reduce(
    (most, value, index) => Math.max(most, Math.abs(value - (expected[index] as number))),
    0,
  );
  return { difference, complaints: complaints.splice(0) };
};
