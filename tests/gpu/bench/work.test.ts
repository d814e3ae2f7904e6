/**
 * Tests that GPU engines count their distance tests as the device makes them. The shaders are changed so that each test
 * adds to a counter.
 */
import { describe, expect } from 'vitest';
import { GPU_ENGINES } from '../../../bench/engines/gpu';
import { boxesOf, GPU_BOXES } from '../../../bench/engines/gpu/boxes';
import { foldCounters, refusalOf } from '../../../bench/harness/engine';
import { BENCH_SCENES, createBenchScene } from '../../../bench/harness/scenes';
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

/**
 * BoxPairs and BoxChunks search during their build, with shaders that have no `counters`. The last test counts the tests
 * of BoxPairs.
 */
const COUNTED = GPU_ENGINES.filter(({ boxes }) => !boxes);

/** Makes the shader that counts the pairs of each box count its tests instead. */
function withBoxTests(code: string): string {
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
  'gpu-boxes counts the comparisons of boxes that its two searches make',
  async (device, tools) => {
    const create = device.createShaderModule.bind(device);
    const cases = [2, 3].flatMap((dimensions) =>
      ['boxes', 'boxes-mixed', 'boxes-long'].map((name) => [name, dimensions as 2 | 3] as const),
    );
    for (const [name, dimensions] of cases) {
      const scene = createBenchScene(name, { dimensions, count: COUNT });
      const positions = scene.frame(0);
      device.createShaderModule = (descriptor) =>
        create({ ...descriptor, code: withBoxTests(descriptor.code) });
      const finder = await BoxPairs.create(tools.wrap(), {
        dimensions,
        capacity: COUNT,
        pairs: 2 ** 20,
        extents: { smallest: 2 * scene.smallestRadius, largest: 2 * scene.radius },
      });
      device.createShaderModule = create;
      const boxes = tools.upload('boxes', boxesOf(scene, positions, storedFloats(dimensions)));
      const encoder = device.createCommandEncoder();
      finder.encode(encoder, { boxes, count: COUNT });
      device.queue.submit([encoder.finish()]);
      const { found: tests } = await finder.read();
      finder.destroy();
      expect(tests).toBeGreaterThan(0);
      const runner = await GPU_BOXES.open(scene, tools.wrap());
      const work = await runner.countWork?.(positions);
      runner.destroy();
      expect(work?.tests, `${name} in ${dimensions}D`).toBe(2 * tests);
      expect(work?.candidates).toBeGreaterThanOrEqual(2 * tests);
      expect(work?.counted).toBe('formula');
    }
  },
  { tags: 'full' },
);
