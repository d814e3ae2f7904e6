/** Linear bounding volume hierarchy: sorts bodies by Morton code, and builds a tree of boxes above them. */
import { WORKGROUP_SIZE } from '../../../src/core/base/constants';
import { RadixSort } from '../../../src/engine/radix-sort';
import { createBuffers, createParts } from '../../../src/gpu/buffers';
import { defineStruct, storedFloats, TABLE_WORDS } from '../../../src/gpu/layout';
import { Readback } from '../../../src/gpu/readback';
import { FOLD_BYTES, foldCounters, type GpuEngine, type Work } from '../../harness/engine';
import type { BenchScene } from '../../harness/scenes';
import {
  benchSource,
  createBodyBuffers,
  createKernel,
  createUniforms,
  FOLDING,
  floatsOf,
  inPass,
  PLAIN,
} from './bodies';
import text from './bvh.wgsl?raw';
import { createSorter } from './sorted';

/** A node has at most 2^TREE_SHIFT children, and a leaf at most as many bodies. */
const TREE_SHIFT = 2;

/** Bits of a Morton code. If the box's edges are equal, each axis has 15 of them in 2D and 10 in 3D. */
const CODE_BITS = 30;

const TREE_FIELDS = {
  origin: 'vector',
  scale: 'vector',
  greatest: 'extent',
  axes: 'u32',
  more_axes: 'u32',
  levels: 'u32',
  steps: 'u32',
  first: 'table',
} as const;

interface Level {
  readonly first: number;
  readonly count: number;
}

/** Returns the levels from the leaves up to the root. Nodes are numbered in the same order. */
function levelsOf(bodies: number): Level[] {
  const levels: Level[] = [];
  let first = 0;
  let count = bodies;
  do {
    count = Math.ceil(count / 2 ** TREE_SHIFT);
    levels.push({ first, count });
    first += count;
  } while (count > 1);
  return levels;
}

/** Each bit of a code halves the cells along the axis of their longest edge. Assigns these axes to the bits. */
function assignBits({ dimensions, min, max }: BenchScene) {
  const edges = max.map((high, axis) => Math.max(high - (min[axis] as number), Number.MIN_VALUE));
  const cells = new Array<number>(dimensions).fill(1);
  const axes = Array.from({ length: CODE_BITS }, () => {
    const lengths = edges.map((edge, axis) => edge / (cells[axis] as number));
    const longest = lengths.indexOf(Math.max(...lengths));
    cells[longest] = 2 * (cells[longest] as number);
    return longest;
  });
  const pack = (some: readonly number[]) => some.reduce((word, axis, bit) => word + axis * 4 ** bit, 0);
  return {
    axes: pack(axes.slice(0, CODE_BITS / 2)),
    more_axes: pack(axes.slice(CODE_BITS / 2)),
    scale: cells.map((count, axis) => count / (edges[axis] as number)),
    greatest: cells.map((count) => count - 1),
  };
}

export const GPU_BVH: GpuEngine = {
  name: 'gpu-bvh',
  backend: 'gpu',
  about:
    'Linear BVH: RadixSort of 30-bit Morton codes, a tree with four children per node; a query searches the tree once per body, for bodies that follow it in the sorted order.',
  async open(scene, gpu) {
    const { dimensions, count, min } = scene;
    const levels = levelsOf(count);
    const nodes = levels.reduce((sum, level) => sum + level.count, 0);
    const layout = defineStruct(dimensions, TREE_FIELDS);
    const source = benchSource('bvh.wgsl', text);
    const constants = { TREE_SHIFT };
    const flags = { CODES: false, BOXES: false, WALK: false, COUNT_TESTS: false };
    const boxKernel = {
      sources: [...PLAIN, source],
      bindings: { sorted: 'read array<PackedBody>', nodes: 'write array<Node>', level: 'parameters Level' },
      flags: { ...flags, BOXES: true },
      constants,
    } as const;
    const walkKernel = {
      sources: [...FOLDING, source],
      entryPoint: 'walk_tree',
      bindings: {
        tree: 'uniform Tree',
        sorted: 'read array<PackedBody>',
        ids: 'read array<u32>',
        nodes: 'read array<Node>',
        counters: 'write array<atomic<u32>>',
      },
      constants,
    } as const;
    const parts = await createParts({
      bodyBuffers: createBodyBuffers(gpu, scene, 'bench.bvh', {
        sorted: 4 * floatsOf(scene) * count,
        codes: 4 * count,
        ids: 4 * count,
        nodes: 8 * storedFloats(dimensions) * nodes,
      }),
      uniforms: createBuffers(
        gpu,
        'bench.bvh',
        { tree: layout.size },
        GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
      ),
      steps: createUniforms(
        gpu,
        'bench.bvh.levels',
        levels.map(({ first, count: here }, index) => {
          const below = levels[index - 1];
          return [first, here, below?.first ?? 0, below?.count ?? 0] as const;
        }),
      ),
      sort: RadixSort.create(gpu, { capacity: count, keys: 'u32', payload: true, bits: CODE_BITS }),
      encode: createKernel(gpu, scene, {
        label: 'bvh.codes',
        sources: [...PLAIN, source],
        entryPoint: 'write_codes',
        bindings: {
          tree: 'uniform Tree',
          bodies: 'read array<PackedBody>',
          codes: 'write array<u32>',
          ids: 'write array<u32>',
        },
        flags: { ...flags, CODES: true },
        constants,
      }),
      order: createSorter(gpu, scene),
      boxBodies: createKernel(gpu, scene, {
        ...boxKernel,
        label: 'bvh.box-bodies',
        entryPoint: 'box_bodies',
      }),
      boxNodes: createKernel(gpu, scene, { ...boxKernel, label: 'bvh.box-nodes', entryPoint: 'box_nodes' }),
      walk: createKernel(gpu, scene, {
        ...walkKernel,
        label: 'bvh.walk',
        flags: { ...flags, WALK: true },
      }),
    });
    const { bodyBuffers, uniforms, steps, sort, encode, order, boxBodies, boxNodes, walk } = parts;
    const first = new Array<number>(TABLE_WORDS).fill(0);
    levels.forEach((level, index) => {
      first[index] = level.first;
    });
    const { tree } = uniforms.buffers;
    gpu.device.queue.writeBuffer(
      tree,
      0,
      layout.encode({ ...assignBits(scene), origin: min, levels: levels.length, steps: nodes, first }),
    );
    const { buffers } = bodyBuffers.owned;
    const { shared } = bodyBuffers;
    const groups = {
      encode: encode.bind({ ...buffers, tree }),
      order: order.bind(buffers),
      boxBodies: boxBodies.bind({ ...buffers, level: steps.buffer }),
      boxNodes: boxNodes.bind({ ...buffers, level: steps.buffer }),
      walk: walk.bind({ ...buffers, tree }),
    };
    const workgroupsFor = (threads: number) => Math.ceil(threads / WORKGROUP_SIZE);
    const encodeBuild = (encoder: GPUCommandEncoder) => {
      inPass(encoder, 'bench.bvh.codes', (pass) =>
        encode.encode(pass, shared, groups.encode, workgroupsFor(count)),
      );
      sort.encode(encoder, { keys: buffers.codes, payload: buffers.ids, count });
      inPass(encoder, 'bench.bvh.boxes', (pass) => {
        order.encode(pass, shared, groups.order, workgroupsFor(count));
        steps.rows.forEach(({ row, offset }, index) => {
          const [kernel, group] =
            index === 0 ? ([boxBodies, groups.boxBodies] as const) : ([boxNodes, groups.boxNodes] as const);
          kernel.encode(pass, shared, group, workgroupsFor(row[1]), [offset]);
        });
      });
    };

    async function countWork(): Promise<Work> {
      const kernel = await createKernel(gpu, scene, {
        ...walkKernel,
        label: 'bvh.count',
        flags: { ...flags, WALK: true, COUNT_TESTS: true },
      });
      const readback = new Readback(gpu, 'bench.bvh.count');
      const encoder = gpu.device.createCommandEncoder({ label: 'bench.bvh.count' });
      encoder.clearBuffer(buffers.counters);
      encodeBuild(encoder);
      inPass(encoder, 'bench.bvh.count', (pass) =>
        kernel.encode(pass, shared, kernel.bind({ ...buffers, tree }), workgroupsFor(count)),
      );
      const reading = readback.record(encoder, [{ buffer: buffers.counters, size: FOLD_BYTES }]);
      gpu.device.queue.submit([encoder.finish()]);
      const [bytes] = await reading.finish();
      readback.destroy();
      const tests = foldCounters(new Uint32Array(bytes as ArrayBuffer)).pairs;
      return { candidates: tests, tests, counted: 'device' };
    }

    return {
      place: bodyBuffers.place,
      bodies: buffers.bodies,
      encodeBuild,
      encodeQuery(encoder) {
        inPass(encoder, 'bench.bvh.walk', (pass) =>
          walk.encode(pass, shared, groups.walk, workgroupsFor(count)),
        );
      },
      counters: buffers.counters,
      countWork,
      memoryBytes: bodyBuffers.bytes + uniforms.bytes + steps.bytes + sort.memoryBytes,
      destroy() {
        for (const part of [bodyBuffers, uniforms, steps, sort]) part.destroy();
      },
    };
  },
};
