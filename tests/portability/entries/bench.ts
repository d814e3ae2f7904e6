/** Runs under Deno for bench.test.ts: prints as JSON what the benchmark's broad phases find under wgpu. */
import { GPU_ENGINES } from '../../../bench/engines/gpu';
import { type Found, foldCounters } from '../../../bench/harness/engine';
import { findExpected } from '../../../bench/harness/oracle';
import { createBenchScene } from '../../../bench/harness/scenes';
import { wrapDevice } from '../../../src/gpu/device';
import { Readback } from '../../../src/gpu/readback';

export interface BenchReport {
  readonly complaints: readonly string[];
  readonly cases: readonly { readonly name: string; readonly found: Found; readonly expected: Found }[];
}

const COUNT = 700;

const adapter = await navigator.gpu.requestAdapter();
const device = await adapter?.requestDevice({ label: 'portability' });
if (!adapter || !device) throw new Error('Deno has no adapter.');
const complaints: string[] = [];
device.onuncapturederror = ({ error }) => complaints.push(error.message);
const gpu = wrapDevice(device, adapter.info);
const readback = new Readback(gpu, 'bench');

const cases: BenchReport['cases'][number][] = [];
for (const scene of ['uniform', 'mixed'].flatMap((name) =>
  ([2, 3] as const).map((dimensions) => createBenchScene(name, { dimensions, count: COUNT })),
)) {
  const expected = findExpected(scene, scene.frame(0));
  for (const engine of GPU_ENGINES) {
    const runner = await engine.open(scene, gpu);
    runner.place(scene.frame(0));
    const encoder = device.createCommandEncoder();
    runner.encodeBuild(encoder);
    runner.encodeQuery(encoder);
    const reading = readback.record(encoder, [{ buffer: runner.counters, size: runner.counters.size }]);
    device.queue.submit([encoder.finish()]);
    const [bytes] = await reading.finish();
    const found = foldCounters(new Uint32Array(bytes as ArrayBuffer));
    cases.push({ name: `${engine.name}, ${scene.name} ${scene.dimensions}D`, found, expected });
    runner.destroy();
  }
}
device.destroy();

const report: BenchReport = { complaints, cases };
console.log(JSON.stringify(report));
