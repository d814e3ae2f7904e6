/**
 * Tests that GPU engines count their distance tests as the device makes them. The shaders are changed so that each test
 * adds to a counter.
 */
import { describe, expect } from 'vitest';
import { GPU_ENGINES } from '../../../bench/engines/gpu';
import { foldCounters, refusalOf } from '../../../bench/harness/engine';
import { BENCH_SCENES, createBenchScene } from '../../../bench/harness/scenes';
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

/** BoxPairs and BoxChunks search during their build, so their engines cannot tell. */
const COUNTED = GPU_ENGINES.filter(({ boxes }) => !boxes);

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
