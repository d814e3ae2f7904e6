import { describe, expect, it } from 'vitest';
import { GPU_ENGINES } from '../../../bench/engines/gpu';
import { openNaive } from '../../../bench/engines/gpu/naive';
import { openSweep } from '../../../bench/engines/gpu/sweep';
import { type Found, foldCounters, type GpuEngine, refusalOf } from '../../../bench/harness/engine';
import { findExpected } from '../../../bench/harness/oracle';
import { BENCH_SCENES, type BenchScene, createBenchScene } from '../../../bench/harness/scenes';
import type { Dimensions } from '../../../src/core/world/world';
import { type GpuTools, gpuTest, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import { FOLD } from '../../helpers/passes';

const COUNT = 700;
const FRAMES = [0, 1, 2];
/** Enough particles for several workgroups, and for seven levels of the tree. */
const MORE = 5000;

interface Question {
  readonly scene: BenchScene;
  readonly expected: readonly Found[];
}

const QUESTIONS = new Map<string, Question>();

function ask(name: string, dimensions: Dimensions, count = COUNT, frames = FRAMES): Question {
  const key = `${name} ${dimensions} ${count}`;
  let question = QUESTIONS.get(key);
  if (!question) {
    const scene = createBenchScene(name, { dimensions, count });
    const expected = frames.map((frame) => findExpected(scene, scene.frame(frame)));
    question = { scene, expected };
    QUESTIONS.set(key, question);
  }
  return question;
}

async function expectFound(
  tools: GpuTools,
  engine: GpuEngine,
  { scene, expected }: Question,
  fold?: number,
): Promise<void> {
  const gpu = tools.wrap(fold);
  const live = tools.liveBuffers().length;
  const runner = await engine.open(scene, gpu);
  const found: Found[] = [];
  for (const frame of expected.keys()) {
    runner.place(scene.frame(frame));
    const encoder = gpu.device.createCommandEncoder();
    encoder.clearBuffer(runner.counters);
    runner.encodeBuild(encoder);
    runner.encodeQuery(encoder);
    if (frame === expected.length - 1) runner.encodeQuery(encoder);
    gpu.device.queue.submit([encoder.finish()]);
    found.push(foldCounters(new Uint32Array(await tools.read(runner.counters))));
  }
  const twice = expected.map(({ pairs, checksum }, index) =>
    index === expected.length - 1
      ? { pairs: 2 * pairs, checksum: (2 * checksum) >>> 0 }
      : { pairs, checksum },
  );
  expect(found, scene.name).toEqual(twice);
  expect(runner.memoryBytes).toBeGreaterThan(4 * scene.dimensions * scene.count);
  runner.destroy();
  expect(tools.liveBuffers()).toHaveLength(live);
}

it('the list of GPU engines of the benchmark names each broad phase', () => {
  expect(GPU_ENGINES.map(({ name }) => name)).toEqual([
    'gpu-naive',
    'gpu-grid',
    'gpu-hashed',
    'gpu-levels',
    'gpu-rows',
    'gpu-morton',
    'gpu-sweep',
    'gpu-bvh',
    'gpu-boxes',
    'gpu-chunks',
  ]);
});

describe.each(GPU_ENGINES.map((engine) => [engine.name, engine] as const))('%s', (_name, engine) => {
  for (const { name, dimensions: offered } of BENCH_SCENES) {
    for (const dimensions of offered) {
      if (refusalOf(engine, createBenchScene(name, { dimensions, count: COUNT })) !== undefined) continue;
      gpuTest(
        `finds every pair of the scene ${name} in ${dimensions}D`,
        (_, tools) => expectFound(tools, engine, ask(name, dimensions)),
        SHARED_CASE,
      );
    }
  }

  gpuTest(
    'handles 0, 1 and thousands of particles, and dispatches that are folded into two dimensions',
    async (_, tools) => {
      const [scene, mixed] = engine.boxes ? ['boxes', 'boxes-mixed'] : ['uniform', 'mixed'];
      for (const count of [0, 1]) await expectFound(tools, engine, ask(scene, 2, count, [0]));
      await expectFound(tools, engine, ask(scene, 3, MORE, [0]));
      await expectFound(tools, engine, ask(mixed, 2, MORE, [0]));
      // BoxPairs needs 8 workgroups here and BoxChunks 16, more than the 4 that FOLD allows.
      await expectFound(tools, engine, ask(scene, 2, 1000, [0]), engine.boxes ? 2 * FOLD : FOLD);
    },
    SHARED,
  );
});

gpuTest(
  'the naive engine and the sweep find every pair if their work is cut into many dispatches',
  async (_, tools) => {
    // This many tests per dispatch cut the work into full slices and a shorter last one.
    for (const open of [openNaive, openSweep]) {
      const engine: GpuEngine = {
        name: 'cut',
        backend: 'gpu',
        about: '',
        open: (scene, gpu) => open(scene, gpu, 3 * 2 ** 20),
      };
      await expectFound(tools, engine, ask('line-y', 2, MORE, [0]));
    }
  },
  SHARED,
);

it('the benchmark refuses exactly the scenes that a GPU engine does not support, with a reason', () => {
  const refused = GPU_ENGINES.flatMap((engine) =>
    BENCH_SCENES.flatMap(({ name }) => {
      // An engine of boxes takes no other bodies, and other engines take no boxes.
      if (name.startsWith('boxes') !== (engine.boxes ?? false)) {
        expect(refusalOf(engine, ask(name, 2).scene)).toMatch(/^It finds overlapping [a-z ,]+\.$/);
        return [];
      }
      const reason = refusalOf(engine, ask(name, 2).scene);
      if (reason !== undefined) expect(reason).toMatch(/^[A-Z].*\.$/);
      return reason === undefined ? [] : [`${engine.name}: ${name}`];
    }),
  );
  expect(refused).toEqual(['gpu-levels: huge']);
});
