/** A plain grid with cells in row order or in Morton order. Only the tables of cell numbers differ. */
import { WORKGROUP_SIZE } from '../../../src/core/base/constants';
import { createBuffers, createParts } from '../../../src/gpu/buffers';
import type { Gpu } from '../../../src/gpu/device';
import { defineStruct } from '../../../src/gpu/layout';
import { Scan, scanBytes } from '../../../src/passes/grid/scan';
import type { GpuEngine, GpuRunner } from '../../harness/engine';
import type { BenchScene } from '../../harness/scenes';
import { layOutCells, workOfCells } from '../cell-order';
import { benchSource, createBodyBuffers, createKernel, FOLDING, floatsOf, inPass, PLAIN } from './bodies';
import text from './cells.wgsl?raw';

const CELL_FIELDS = { origin: 'vector', inverse: 'f32', sides: 'extent' } as const;

const STEPS = {
  count: {
    entryPoint: 'count_bodies',
    bindings: {
      bodies: 'read array<PackedBody>',
      counts: 'write array<atomic<u32>>',
      ranks: 'write array<u32>',
    },
    flag: 'COUNTS',
  },
  scatter: {
    entryPoint: 'scatter_bodies',
    bindings: {
      bodies: 'read array<PackedBody>',
      starts: 'read array<u32>',
      ranks: 'read array<u32>',
      sorted: 'write array<PackedBody>',
      ids: 'write array<u32>',
    },
    flag: 'SCATTERS',
  },
  search: {
    entryPoint: 'search_cells',
    bindings: {
      sorted: 'read array<PackedBody>',
      starts: 'read array<u32>',
      ids: 'read array<u32>',
      counters: 'write array<atomic<u32>>',
    },
    flag: 'SEARCHES',
  },
} as const;

async function openCells(scene: BenchScene, gpu: Gpu, morton: boolean): Promise<GpuRunner> {
  const { dimensions, count, min } = scene;
  const { cellSize, tables, cells } = layOutCells(scene, morton);
  const numbers = new Uint32Array(tables.flatMap((table) => [...table]));
  const layout = defineStruct(dimensions, CELL_FIELDS);
  const createStep = (step: keyof typeof STEPS) => {
    const { entryPoint, bindings, flag } = STEPS[step];
    return createKernel(gpu, scene, {
      label: `cells.${step}`,
      sources: [...(step === 'search' ? FOLDING : PLAIN), benchSource('cells.wgsl', text)],
      entryPoint,
      bindings: { cells: 'uniform Cells', numbers: 'read array<u32>', ...bindings },
      flags: { COUNTS: false, SCATTERS: false, SEARCHES: false, [flag]: true },
    });
  };
  const parts = await createParts({
    bodyBuffers: createBodyBuffers(gpu, scene, 'bench.cells', {
      sorted: 4 * floatsOf(scene) * count,
      ids: 4 * count,
      ranks: 4 * count,
      numbers: numbers.byteLength,
      counts: scanBytes(cells + 1),
      starts: scanBytes(cells + 1),
    }),
    uniforms: createBuffers(
      gpu,
      'bench.cells',
      { cells: layout.size },
      GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    ),
    scan: Scan.create(gpu, dimensions),
    count: createStep('count'),
    scatter: createStep('scatter'),
    search: createStep('search'),
  });
  const { bodyBuffers, uniforms, scan, count: counting, scatter, search } = parts;
  const { shared } = bodyBuffers;
  const buffers = { ...bodyBuffers.owned.buffers, ...uniforms.buffers };
  const { queue } = gpu.device;
  queue.writeBuffer(buffers.numbers, 0, numbers);
  const sides = tables.map(({ length }) => length);
  queue.writeBuffer(buffers.cells, 0, layout.encode({ origin: min, inverse: 1 / cellSize, sides }));
  const destroyOwned = () => {
    bodyBuffers.destroy();
    uniforms.destroy();
  };
  const scanning = await scan.bind(buffers.counts, buffers.starts, cells + 1).catch((error: unknown) => {
    destroyOwned();
    throw error;
  });
  const groups = {
    count: counting.bind(buffers),
    scatter: scatter.bind(buffers),
    search: search.bind(buffers),
  };
  const workgroups = Math.ceil(count / WORKGROUP_SIZE);
  return {
    place: bodyBuffers.place,
    bodies: buffers.bodies,
    encodeBuild(encoder) {
      inPass(encoder, 'bench.cells.build', (pass) => {
        counting.encode(pass, shared, groups.count, workgroups);
        scan.encode(pass, shared, scanning);
        scatter.encode(pass, shared, groups.scatter, workgroups);
      });
    },
    encodeQuery(encoder) {
      inPass(encoder, 'bench.cells.search', (pass) => search.encode(pass, shared, groups.search, workgroups));
    },
    counters: buffers.counters,
    countWork: (positions) => workOfCells(scene, positions, Math.fround),
    memoryBytes: bodyBuffers.bytes + uniforms.bytes + scanning.bytes,
    destroy() {
      destroyOwned();
      scanning.destroy();
    },
  };
}

function cells(morton: boolean): GpuEngine {
  return {
    name: morton ? 'gpu-morton' : 'gpu-rows',
    backend: 'gpu',
    byDefault: false,
    about: `Plain grid, counting sort into cells in ${morton ? 'Morton' : 'row'} order, with cells at least as wide as the largest body.`,
    open: (scene, gpu) => openCells(scene, gpu, morton),
  };
}

export const GPU_ROWS = cells(false);
export const GPU_MORTON = cells(true);
