/** Wraps BoxPairs and BoxChunks, whose build includes the search; a query only counts the listed pairs. */
import { WORKGROUP_SIZE } from '../../../src/core/base/constants';
import type { Dimensions, World } from '../../../src/core/world/world';
import { BoxChunks } from '../../../src/engine/box-chunks';
import { BoxPairs, type BoxPairsInput } from '../../../src/engine/box-pairs';
import { type BufferSet, createParts } from '../../../src/gpu/buffers';
import type { Gpu } from '../../../src/gpu/device';
import { storedFloats } from '../../../src/gpu/layout';
import { Readback } from '../../../src/gpu/readback';
import type { GpuEngine, Work } from '../../harness/engine';
import { findExpected } from '../../harness/oracle';
import type { BenchScene } from '../../harness/scenes';
import { benchSource, createBodyBuffers, createKernel, FOLDING, inPass } from './bodies';
import { workOfBoxes, workOfChunks } from './box-work';
import text from './listed.wgsl?raw';

/** Other frames may have more pairs than frame 0. */
const ROOM = 2;
const LEAST_PAIRS = 1024;

interface Options {
  readonly dimensions: Dimensions;
  readonly capacity: number;
  readonly pairs: number;
}

/** `corners` and `input` hold the same boxes: on the CPU and on the GPU. */
type CountWork<Finder> = (
  gpu: Gpu,
  finder: Finder,
  corners: Float32Array,
  input: BoxPairsInput,
) => Work | Promise<Work>;

const boxEngine = <Finder extends BoxPairs | BoxChunks>(
  name: string,
  about: string,
  create: (gpu: Gpu, options: Options, scene: BenchScene) => Promise<Finder>,
  countWork: CountWork<Finder>,
): GpuEngine => ({
  name,
  backend: 'gpu',
  boxes: true,
  about: `${about}; its build includes the search.`,
  refuse: ({ halfExtents }) => (halfExtents ? undefined : 'It finds overlapping boxes, not discs or balls.'),
  async open(scene, gpu) {
    const { dimensions, count } = scene;
    const expected = findExpected(scene, scene.frame(0)).pairs;
    const { finder, bodyBuffers, kernel } = await createParts({
      finder: create(
        gpu,
        { dimensions, capacity: count, pairs: Math.max(LEAST_PAIRS, ROOM * expected) },
        scene,
      ),
      bodyBuffers: createBodyBuffers(gpu, scene, 'bench.boxes', {
        boxes: 8 * storedFloats(dimensions) * count,
      }),
      kernel: createKernel(gpu, scene, {
        label: 'boxes.listed',
        sources: [...FOLDING, benchSource('listed.wgsl', text)],
        entryPoint: 'count_listed',
        bindings: {
          pairs: 'read array<vec2u>',
          list_count: 'read array<u32>',
          counters: 'write array<atomic<u32>>',
        },
      }),
    });
    const { boxes, counters } = bodyBuffers.owned.buffers;
    const input = { boxes, count };
    const group = kernel.bind({ pairs: finder.pairs, list_count: finder.count, counters });
    return {
      bodies: boxes,
      place: (positions) =>
        gpu.device.queue.writeBuffer(boxes, 0, boxesOf(scene, positions, storedFloats(dimensions))),
      encodeBuild: (encoder) => finder.encode(encoder, input),
      encodeQuery(encoder) {
        inPass(encoder, 'bench.boxes.listed', (pass) =>
          kernel.encode(pass, bodyBuffers.shared, group, Math.ceil(finder.capacity / WORKGROUP_SIZE)),
        );
      },
      counters,
      countWork: (positions) => countWork(gpu, finder, boxesOf(scene, positions, dimensions), input),
      memoryBytes: finder.memoryBytes + bodyBuffers.bytes,
      destroy() {
        finder.destroy();
        bodyBuffers.destroy();
      },
    };
  },
});

export const GPU_BOXES = boxEngine(
  'gpu-boxes',
  'BoxPairs: sorts boxes into hashed cells on levels by their size and lists the pairs',
  (gpu, options, { smallestRadius, radius }) =>
    BoxPairs.create(gpu, { ...options, extents: { smallest: 2 * smallestRadius, largest: 2 * radius } }),
  (_, finder, corners) => workOfBoxes((finder as unknown as { readonly world: World }).world, corners),
);

export const GPU_CHUNKS = boxEngine(
  'gpu-chunks',
  'BoxChunks: radix-sorts boxes along each axis, cuts space into chunks of few boxes and lists the pairs of each',
  (gpu, options) => BoxChunks.create(gpu, options),
  countChunks,
);

/** Searches once more, reads the memberships, and counts the tests of a search over them. */
async function countChunks(
  gpu: Gpu,
  finder: BoxChunks,
  corners: Float32Array,
  input: BoxPairsInput,
): Promise<Work> {
  const { world, parts } = finder as unknown as {
    readonly world: World;
    readonly parts: { readonly owned: BufferSet<'memberKeys' | 'memberIds'> };
  };
  const { memberKeys, memberIds } = parts.owned.buffers;
  const readback = new Readback(gpu, 'bench.chunks');
  const encoder = gpu.device.createCommandEncoder({ label: 'bench.chunks' });
  const ranges = [memberKeys, memberIds].map((buffer) => ({ buffer, size: 4 * finder.members }));
  finder.encode(encoder, input);
  const reading = readback.record(encoder, ranges);
  gpu.device.queue.submit([encoder.finish()]);
  const [chunks, ids] = (await reading.finish()).map((bytes) => new Uint32Array(bytes));
  readback.destroy();
  return workOfChunks(world.dimensions, corners, chunks as Uint32Array, ids as Uint32Array);
}

/** Returns the low and the high corner of each box, with `width` numbers each. */
export function boxesOf(
  { dimensions, count, halfExtents }: BenchScene,
  positions: Float32Array,
  width: number,
): Float32Array<ArrayBuffer> {
  const boxes = new Float32Array(2 * width * count);
  for (let body = 0; body < count; body++) {
    for (let axis = 0; axis < dimensions; axis++) {
      const centre = positions[body * dimensions + axis] as number;
      const half = halfExtents?.[body * dimensions + axis] ?? 0;
      boxes[2 * width * body + axis] = centre - half;
      boxes[2 * width * body + width + axis] = centre + half;
    }
  }
  return boxes;
}
