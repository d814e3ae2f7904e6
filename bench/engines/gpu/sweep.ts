/** Sweep and prune: sorts intervals along x, then compares each with the later intervals that begin before its end. */
import { WORKGROUP_SIZE } from '../../../src/core/base/constants';
import { RadixSort } from '../../../src/engine/radix-sort';
import { createParts } from '../../../src/gpu/buffers';
import type { Gpu } from '../../../src/gpu/device';
import type { GpuEngine, GpuRunner } from '../../harness/engine';
import type { BenchScene } from '../../harness/scenes';
import { workOfSweep } from '../work';
import {
  benchSource,
  createBodyBuffers,
  createKernel,
  createUniforms,
  cut,
  FOLDING,
  floatsOf,
  inPass,
  MOST_TESTS,
  PLAIN,
  testsPerDispatch,
} from './bodies';
import { createSorter } from './sorted';
import text from './sweep.wgsl?raw';

const SAMPLE = 2 ** 16;

/** Estimates the tests from a sample of the bodies. Assumes the largest radius for every body. */
function estimateTests({ dimensions, count, radius, frame }: BenchScene): number {
  const positions = frame(0);
  const stride = Math.max(1, Math.floor(count / SAMPLE));
  const coordinates = Float32Array.from(
    { length: Math.floor(count / stride) },
    (_, index) => positions[index * stride * dimensions] as number,
  ).sort();
  let tests = 0;
  let end = 0;
  coordinates.forEach((coordinate, slot) => {
    while (end < coordinates.length && (coordinates[end] as number) < coordinate + 2 * radius) end++;
    tests += end - slot - 1;
  });
  return tests * stride ** 2;
}

export async function openSweep(
  scene: BenchScene,
  gpu: Gpu,
  tests = testsPerDispatch(gpu),
): Promise<GpuRunner> {
  const { count } = scene;
  const testsPerBody = Math.max(1, estimateTests(scene) / Math.max(1, count));
  const size = WORKGROUP_SIZE * Math.max(1, Math.floor(tests / testsPerBody / WORKGROUP_SIZE));
  const { bodyBuffers, slices, sort, begin, order, sweep } = await createParts({
    bodyBuffers: createBodyBuffers(gpu, scene, 'bench.sweep', {
      sorted: 4 * floatsOf(scene) * count,
      bounds: 4 * count,
      ids: 4 * count,
    }),
    slices: createUniforms(gpu, 'bench.sweep.slices', cut(count, size)),
    sort: RadixSort.create(gpu, { capacity: count, keys: 'f32', payload: true }),
    begin: createKernel(gpu, scene, {
      label: 'sweep.bounds',
      sources: [...PLAIN, benchSource('sweep.wgsl', text)],
      entryPoint: 'write_bounds',
      bindings: { bodies: 'read array<PackedBody>', ids: 'write array<u32>', bounds: 'write array<f32>' },
      flags: { BOUNDS: true },
    }),
    order: createSorter(gpu, scene),
    sweep: createKernel(gpu, scene, {
      label: 'sweep.walk',
      sources: [...FOLDING, benchSource('sweep.wgsl', text)],
      entryPoint: 'sweep',
      bindings: {
        bodies: 'read array<PackedBody>',
        ids: 'write array<u32>',
        counters: 'write array<atomic<u32>>',
        slice: 'parameters Slice',
      },
      flags: { BOUNDS: false },
    }),
  });
  const { bodies, sorted, bounds, ids, counters } = bodyBuffers.owned.buffers;
  const { shared } = bodyBuffers;
  const workgroups = Math.ceil(count / WORKGROUP_SIZE);
  const groups = {
    begin: begin.bind({ bodies, ids, bounds }),
    order: order.bind({ bodies, ids, sorted }),
    sweep: sweep.bind({ bodies: sorted, ids, counters, slice: slices.buffer }),
  };
  return {
    place: bodyBuffers.place,
    bodies,
    encodeBuild(encoder) {
      inPass(encoder, 'bench.sweep.bounds', (pass) => begin.encode(pass, shared, groups.begin, workgroups));
      sort.encode(encoder, { keys: bounds, payload: ids, count });
      inPass(encoder, 'bench.sweep.sorted', (pass) => order.encode(pass, shared, groups.order, workgroups));
    },
    encodeQuery(encoder) {
      inPass(encoder, 'bench.sweep.walk', (pass) => {
        for (const { row, offset } of slices.rows) {
          sweep.encode(pass, shared, groups.sweep, Math.ceil(row[1] / WORKGROUP_SIZE), [offset]);
        }
      });
    },
    counters,
    countWork: (positions) => workOfSweep(scene, positions),
    memoryBytes: bodyBuffers.bytes + slices.bytes + sort.memoryBytes,
    destroy() {
      bodyBuffers.destroy();
      slices.destroy();
      sort.destroy();
    },
  };
}

export const GPU_SWEEP: GpuEngine = {
  name: 'gpu-sweep',
  backend: 'gpu',
  about:
    'Sweep and prune along x: RadixSort by lower end, then each body walks forward to its upper end; if there are many tests, several dispatches share the bodies.',
  refuse(scene) {
    // A sweep never tests more than all pairs.
    if (scene.count ** 2 / 2 <= MOST_TESTS) return undefined;
    const tests = estimateTests(scene);
    if (tests <= MOST_TESTS) return undefined;
    return `A sweep of ${scene.count} bodies along x takes about ${tests.toPrecision(2)} distance tests here; at most ${MOST_TESTS.toPrecision(2)} are accepted.`;
  },
  open: (scene, gpu) => openSweep(scene, gpu),
};
