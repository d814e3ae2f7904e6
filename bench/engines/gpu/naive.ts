/** Tests all pairs in tiles: the fastest GPU engine for a few bodies. */
import { WORKGROUP_SIZE } from '../../../src/core/base/constants';
import { createParts } from '../../../src/gpu/buffers';
import type { Gpu } from '../../../src/gpu/device';
import type { GpuEngine, GpuRunner } from '../../harness/engine';
import type { BenchScene } from '../../harness/scenes';
import { allPairsOf } from '../work';
import {
  benchSource,
  createBodyBuffers,
  createKernel,
  createUniforms,
  cut,
  FOLDING,
  inPass,
  MOST_TESTS,
  testsPerDispatch,
} from './bodies';
import text from './naive.wgsl?raw';

/**
 * A workgroup compares its own tile with at most this many tiles. If this number were larger, fewer workgroups would
 * run, each for longer.
 */
const STRIPE_TILES = 16;

export async function openNaive(
  scene: BenchScene,
  gpu: Gpu,
  tests = testsPerDispatch(gpu),
): Promise<GpuRunner> {
  const tiles = Math.ceil(scene.count / WORKGROUP_SIZE);
  const workgroups = tiles * Math.ceil(tiles / STRIPE_TILES);
  const workgroupsPerDispatch = Math.max(1, Math.floor(tests / (STRIPE_TILES * WORKGROUP_SIZE ** 2)));
  const { bodyBuffers, slices, kernel } = await createParts({
    bodyBuffers: createBodyBuffers(gpu, scene, 'bench.naive', {}),
    slices: createUniforms(gpu, 'bench.naive.slices', cut(workgroups, workgroupsPerDispatch)),
    kernel: createKernel(gpu, scene, {
      label: 'naive',
      sources: [...FOLDING, benchSource('naive.wgsl', text)],
      entryPoint: 'find_in_tiles',
      bindings: {
        bodies: 'read array<PackedBody>',
        counters: 'write array<atomic<u32>>',
        slice: 'parameters Slice',
      },
      constants: { STRIPE_TILES },
    }),
  });
  const { counters } = bodyBuffers.owned.buffers;
  const group = kernel.bind({ ...bodyBuffers.owned.buffers, slice: slices.buffer });
  return {
    place: bodyBuffers.place,
    bodies: bodyBuffers.owned.buffers.bodies,
    encodeBuild() {},
    encodeQuery(encoder) {
      inPass(encoder, 'bench.naive', (pass) => {
        for (const { row, offset } of slices.rows) {
          kernel.encode(pass, bodyBuffers.shared, group, row[1], [offset]);
        }
      });
    },
    counters,
    countWork: () => allPairsOf(scene.count),
    memoryBytes: bodyBuffers.bytes + slices.bytes,
    destroy() {
      bodyBuffers.destroy();
      slices.destroy();
    },
  };
}

export const GPU_NAIVE: GpuEngine = {
  name: 'gpu-naive',
  backend: 'gpu',
  about: 'All n(n−1)/2 pairs: compares tiles of 256 bodies with tiles in workgroup memory.',
  refuse({ count }) {
    if (count ** 2 / 2 <= MOST_TESTS) return undefined;
    return `All pairs of ${count} bodies are ${(count ** 2 / 2).toPrecision(2)} distance tests; at most ${MOST_TESTS.toPrecision(2)} are accepted.`;
  },
  open: (scene, gpu) => openNaive(scene, gpu),
};
