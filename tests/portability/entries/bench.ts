/** Finds the pairs of a scene with one engine of the benchmark. Runs under Deno for bench.test.ts. */
import { GPU_ENGINES } from '../../../bench/engines/gpu';
import { type Found, foldCounters } from '../../../bench/harness/engine';
import { findExpected } from '../../../bench/harness/oracle';
import { createBenchScene } from '../../../bench/harness/scenes';
import type { Dimensions } from '../../../src/core/world/world';
import { Readback } from '../../../src/gpu/readback';
import { openDevice } from './device';

export interface BenchQuestion {
  readonly engine: string;
  readonly scene: string;
  readonly dimensions: Dimensions;
}

export interface BenchReport {
  readonly found: Found;
  readonly expected: Found;
  /** Distance tests, if the engine can count them. */
  readonly tests: number | undefined;
  readonly complaints: readonly string[];
}

const COUNT = 700;

const { gpu, complaints } = await openDevice();
const readback = new Readback(gpu, 'bench');

export default async ({ engine, scene: name, dimensions }: BenchQuestion): Promise<BenchReport> => {
  const opened = GPU_ENGINES.find((one) => one.name === engine);
  if (!opened) throw new RangeError(`There is no engine ${engine}.`);
  const scene = createBenchScene(name, { dimensions, count: COUNT });
  const runner = await opened.open(scene, gpu);
  runner.place(scene.frame(0));
  // Count the work first: some engines use the same counters for it.
  const tests = (await runner.countWork?.(scene.frame(0)))?.tests;
  const encoder = gpu.device.createCommandEncoder();
  encoder.clearBuffer(runner.counters);
  runner.encodeBuild(encoder);
  runner.encodeQuery(encoder);
  const reading = readback.record(encoder, [{ buffer: runner.counters, size: runner.counters.size }]);
  gpu.device.queue.submit([encoder.finish()]);
  const [bytes] = await reading.finish();
  const found = foldCounters(new Uint32Array(bytes as ArrayBuffer));
  runner.destroy();
  return { found, expected: findExpected(scene, scene.frame(0)), tests, complaints: complaints.splice(0) };
};
