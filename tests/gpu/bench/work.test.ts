/** Tests that GPU engines count their distance tests right. In changed shaders, each test adds to a counter. */
import { describe, expect } from 'vitest';
import { GPU_ENGINES } from '../../../bench/engines/gpu';
import { boxesOf } from '../../../bench/engines/gpu/boxes';
import { foldCounters, type GpuEngine, refusalOf } from '../../../bench/harness/engine';
import { BENCH_SCENES, createBenchScene } from '../../../bench/harness/scenes';
import { BoxChunks } from '../../../src/engine/box-chunks';
import { BoxPairs } from '../../../src/engine/box-pairs';
import { storedFloats } from '../../../src/gpu/layout';
import { gpuTest } from '../../helpers/node-gpu';

const COUNT = 700;
const SCENES = ['uniform', 'clustered', 'one-cell', 'line-y', 'mixed', 'huge'];

const COUNTING = 'atomicAdd(&counters[1u], 1u);';

/** Makes the tests of a linked shader count themselves in the second word of `counters`, in place of the checksum. */
function withCounting(code: string): string {
  if (!code.includes('(*found).checksum += mix_pair(a, b);')) return code;
  return code
    .replace('(*found).checksum += mix_pair(a, b);', '')
    .replaceAll(
      /let distance_squared = dot\(apart, apart\);/g,
      (line) => `${line} if (other != except) { ${COUNTING} }`,
    )
    .replace(/fn overlaps\([^)]*\) -> bool \{/, (line) => `${line} ${COUNTING}`);
}

/** Leaves out the engines of boxes: they search during their build, with shaders that have no `counters`. */
const COUNTED = GPU_ENGINES.filter(({ boxes }) => !boxes);

/** Changes the shaders that count the pairs of each box, so that they count the box's tests instead. */
function withBoxTests(code: string): string {
  const ofChunks = 'if (meets && all(keys_of(max(met.low, box.low)) >= bounds)) {';
  if (code.includes(ofChunks)) return code.replace(ofChunks, '{');
  if (!code.includes('tallies[gathered.id] = gathered.found;')) return code;
  const counting = '(*gathered).found += 1u;';
  return code
    .replace(counting, '')
    .replace(
      'let is_overlap = overlaps(gathered, particle, other);',
      (line) => `${line} if (other != except) { ${counting} }`,
    );
}

describe.each(COUNTED.map((engine) => [engine.name, engine] as const))('%s', (_name, engine) => {
  gpuTest(
    'counts the distance tests that its shaders make',
    async (device, tools) => {
      const create = device.createShaderModule.bind(device);
      device.createShaderModule = (descriptor) =>
        create({ ...descriptor, code: withCounting(descriptor.code) });
      for (const { name, dimensions: offered } of BENCH_SCENES) {
        for (const dimensions of offered) {
          const scene = createBenchScene(name, { dimensions, count: COUNT });
          if (!SCENES.includes(name) || refusalOf(engine, scene) !== undefined) continue;
          const positions = scene.frame(0);
          const runner = await engine.open(scene, tools.wrap());
          runner.place(positions);
          const encoder = device.createCommandEncoder();
          encoder.clearBuffer(runner.counters);
          runner.encodeBuild(encoder);
          runner.encodeQuery(encoder);
          device.queue.submit([encoder.finish()]);
          const { pairs, checksum: tests } = foldCounters(new Uint32Array(await tools.read(runner.counters)));
          expect(tests, name).toBeGreaterThanOrEqual(pairs);
          const counted = engine.name === 'gpu-bvh' ? 'device' : 'formula';
          const expected = { candidates: tests, tests, counted };
          expect(await runner.countWork?.(positions), `${name} in ${dimensions}D`).toEqual(expected);
          runner.destroy();
        }
      }
    },
    { tags: 'full' },
  );
});

gpuTest(
  'the engines of boxes count the comparisons that their two searches make',
  async (device, tools) => {
    const create = device.createShaderModule.bind(device);
    const cases = [2, 3].flatMap((dimensions) =>
      ['boxes', 'boxes-mixed', 'boxes-long'].map((name) => [name, dimensions as 2 | 3] as const),
    );
    for (const [name, dimensions] of cases) {
      const scene = createBenchScene(name, { dimensions, count: COUNT });
      const positions = scene.frame(0);
      const boxes = tools.upload('boxes', boxesOf(scene, positions, storedFloats(dimensions)));
      const options = { dimensions, capacity: COUNT, pairs: 2 ** 20 };
      const extents = { smallest: 2 * scene.smallestRadius, largest: 2 * scene.radius };
      device.createShaderModule = (descriptor) =>
        create({ ...descriptor, code: withBoxTests(descriptor.code) });
      const finders = {
        'gpu-boxes': await BoxPairs.create(tools.wrap(), { ...options, extents }),
        'gpu-chunks': await BoxChunks.create(tools.wrap(), options),
      };
      device.createShaderModule = create;
      for (const [engine, finder] of Object.entries(finders)) {
        const encoder = device.createCommandEncoder();
        finder.encode(encoder, { boxes, count: COUNT });
        device.queue.submit([encoder.finish()]);
        const { found: tests } = await finder.read();
        finder.destroy();
        const runner = await (GPU_ENGINES.find(({ name }) => name === engine) as GpuEngine).open(
          scene,
          tools.wrap(),
        );
        runner.place(positions);
        const work = await runner.countWork?.(positions);
        runner.destroy();
        expect(tests).toBeGreaterThan(0);
        expect(work?.tests, `${engine}: ${name} in ${dimensions}D`).toBe(2 * tests);
        if (engine === 'gpu-chunks') expect(work).toMatchObject({ candidates: 2 * tests, counted: 'loop' });
        else expect(work?.candidates).toBeGreaterThanOrEqual(2 * tests);
      }
    }
  },
  { tags: 'full' },
);
