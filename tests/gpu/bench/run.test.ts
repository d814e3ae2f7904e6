import { expect } from 'vitest';
import { CPU_NAIVE } from '../../../bench/engines/cpu/naive';
import { GPU_NAIVE } from '../../../bench/engines/gpu/naive';
import { FOLD_BYTES, type GpuEngine, type GpuRunner, mixPair } from '../../../bench/harness/engine';
import { runBench } from '../../../bench/harness/run';
import { type BenchScene, createBenchScene } from '../../../bench/harness/scenes';
import type { Gpu } from '../../../src/gpu/device';
import { gpuTest, SHARED } from '../../helpers/node-gpu';

const COUNT = 300;

/** Returns the naive engine with a fault: after each query, the function from `spoil` records changes of the result. */
function faulty(
  name: string,
  spoil: (
    runner: GpuRunner,
    gpu: Gpu,
    scene: BenchScene,
  ) => (encoder: GPUCommandEncoder, query: number) => void,
): GpuEngine {
  return {
    ...GPU_NAIVE,
    name,
    open: async (scene, gpu) => {
      const runner = await GPU_NAIVE.open(scene, gpu);
      const change = spoil(runner, gpu, scene);
      let queries = 0;
      return {
        ...runner,
        encodeQuery(encoder) {
          runner.encodeQuery(encoder);
          change(encoder, queries++);
        },
      };
    },
  };
}

/** Changes the number of pairs and their checksum as additional or missing pairs would. */
function adding(pairs: number, ids: readonly (readonly [number, number])[]) {
  return (runner: GpuRunner, { device }: Gpu) => {
    const sum = ids.reduce(
      (total, [a, b], index) => total + (index === 0 ? Math.sign(pairs || 1) : -1) * mixPair(a, b),
      0,
    );
    const code = `
      @group(0) @binding(0) var<storage, read_write> counters: array<u32>;
      @compute @workgroup_size(1) fn change() {
        var word = 0u;
        while (counters[word] == 0u && word < ${FOLD_BYTES / 4 - 2}u) { word += 2u; }
        counters[word] += u32(${pairs}i);
        counters[word + 1u] += ${sum >>> 0}u;
      }`;
    const module = device.createShaderModule({ label: 'spoil', code });
    const pipeline = device.createComputePipeline({ label: 'spoil', layout: 'auto', compute: { module } });
    const group = device.createBindGroup({
      label: 'spoil',
      layout: pipeline.getBindGroupLayout(0),
      entries: [{ binding: 0, resource: { buffer: runner.counters } }],
    });
    return (encoder: GPUCommandEncoder) => {
      const pass = encoder.beginComputePass({ label: 'spoil' });
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(1);
      pass.end();
    };
  };
}

async function somePairs(): Promise<readonly [readonly [number, number], readonly [number, number]]> {
  const scene = createBenchScene('uniform', { dimensions: 2, count: COUNT });
  const runner = await CPU_NAIVE.open(scene);
  runner.place(scene.frame(0));
  runner.build();
  const [a = 0, b = 0, c = 0, d = 0] = runner.query().pairs;
  return [
    [a, b],
    [c, d],
  ];
}

gpuTest(
  'faulty engines are reported as wrong and get no timing; correct engines are timed',
  async (_, tools) => {
    const [pair, other] = await somePairs();
    const stale = faulty('stale', ({ counters }) => {
      const kept = tools.allocate('kept', FOLD_BYTES);
      return (encoder, query) => {
        if (query === 0) encoder.copyBufferToBuffer(counters, 0, kept, 0, FOLD_BYTES);
        else encoder.copyBufferToBuffer(kept, 0, counters, 0, FOLD_BYTES);
      };
    });
    const refused = faulty('refused', ({ counters }) => (encoder, query) => {
      // The copy exceeds the buffer, so the device drops the submission. A dropped query would look very fast.
      if (query > 0) encoder.copyBufferToBuffer(counters, 0, counters, 0, 2 * FOLD_BYTES);
    });
    const engines = [
      faulty('drops', adding(-1, [pair])),
      faulty('doubles', adding(1, [pair])),
      faulty('replaces', adding(0, [pair, other])),
      stale,
      refused,
      GPU_NAIVE,
    ];
    const gpu = { ...tools.wrap(), destroy: () => undefined };
    const { outcomes, measured } = await runBench(
      { engines, scenes: ['uniform'], dimensions: [2], counts: [COUNT], seed: 1, repeat: 3, limit: 5000 },
      { openGpu: async () => gpu, copyBytes: 2 ** 20 },
    );
    const byEngine = new Map(outcomes.map((outcome) => [outcome.engine, outcome]));
    for (const [name, reason] of [
      ['drops', /^It found .* 1 too few\.$/],
      ['doubles', /^It found .* 1 too many\.$/],
      ['replaces', /^It found .* but other pairs\.$/],
      ['stale', /^After timing: It found/],
    ] as const) {
      expect(byEngine.get(name), name).toMatchObject({
        status: 'wrong',
        reason: expect.stringMatching(reason),
      });
      expect(byEngine.get(name)?.total).toBeUndefined();
    }
    expect(byEngine.get('refused')).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^The device refused the work/),
    });
    expect(byEngine.get('gpu-naive')).toMatchObject({ status: 'timed', clock: measured.gpuClock });
    expect(measured).toMatchObject({ gpuCopyBytes: 2 ** 20, gpuCopyBytesPerMs: expect.any(Number) });
    expect(measured.gpuClockStep).toBeGreaterThan(0);
  },
  SHARED,
);

gpuTest(
  'moving bodies go through several frames per sample, and pairs are found at their new positions',
  async (_, tools) => {
    const gpu = { ...tools.wrap(), destroy: () => undefined };
    const live = tools.liveBuffers().length;
    const scene = createBenchScene('moving', { dimensions: 2, count: COUNT });
    const seen = new Set<number>();
    const watching: GpuEngine = {
      ...GPU_NAIVE,
      open: async (of, on) => {
        const runner = await GPU_NAIVE.open(of, on);
        return {
          ...runner,
          encodeBuild(encoder) {
            runner.encodeBuild(encoder);
            encoder.copyBufferToBuffer(runner.bodies, 0, trace, 4 * (builds++ % TRACED), 4);
          },
        };
      },
    };
    const TRACED = 4096;
    let builds = 0;
    const trace = tools.allocate('trace', 4 * TRACED);
    const { outcomes } = await runBench(
      {
        engines: [watching],
        scenes: ['moving'],
        dimensions: [2],
        counts: [COUNT],
        seed: 1,
        repeat: 3,
        limit: 5000,
      },
      { openGpu: async () => gpu, copyBytes: 2 ** 20 },
    );
    expect(outcomes).toMatchObject([{ status: 'timed' }]);
    const words = new Float32Array(await tools.read(trace)).slice(0, Math.min(builds, TRACED));
    for (const position of words) seen.add(position);
    // The samples use sixteen frames, and the check after timing uses one more.
    expect(seen).toEqual(
      new Set(Array.from({ length: 17 }, (_unused, frame) => scene.frame(frame)[0] as number)),
    );
    expect(tools.liveBuffers()).toHaveLength(live + 1);
  },
  SHARED,
);
