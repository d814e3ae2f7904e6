/**
 * The usual unsorted grid, which leaves particles in their order. The engine's count, scan and scatter bring ids into
 * the order of cells. Then a push looks up each neighbour by its id.
 */

import { WORKGROUP_SIZE } from '../../src/core/base/constants';
import { defaultSettings, deriveSubstep } from '../../src/core/contact/settings';
import { startLength } from '../../src/core/world/cells';
import { defineWorld } from '../../src/core/world/world';
import { createBuffers } from '../../src/gpu/buffers';
import type { Gpu } from '../../src/gpu/device';
import { Kernel } from '../../src/gpu/kernel';
import { storedFloats, toStored } from '../../src/gpu/layout';
import { SharedParameters } from '../../src/gpu/params';
import type { Stage } from '../../src/gpu/stage';
import { Count } from '../../src/passes/grid/count';
import { Scan, scanBytes } from '../../src/passes/grid/scan';
import { Scatter } from '../../src/passes/grid/scatter';
import { CONTACT, PARTICLE, worldModules } from '../../src/passes/modules';
import type { Scene } from '../../src/scenes';
import text from './unsorted.wgsl?raw';

export interface UnsortedGrid {
  stages(): Stage[];
  readonly positions: GPUBuffer;
  readonly bytes: number;
  destroy(): void;
}

export async function createUnsorted(gpu: Gpu, scene: Scene, relaxation: number): Promise<UnsortedGrid> {
  const { dimensions, count } = scene;
  const diameter = 2 * scene.radius;
  const world = defineWorld(scene, diameter);
  const [counting, scan, scatter, push] = await Promise.all([
    Count.create(gpu, world, false),
    Scan.create(gpu, dimensions),
    Scatter.create(gpu, world, false),
    Kernel.create(gpu, {
      label: 'bench.unsorted',
      dimensions,
      sources: [...worldModules(world), PARTICLE, CONTACT, { name: '../bench/gpu-step/unsorted.wgsl', text }],
      entryPoint: 'push_unsorted',
      bindings: {
        position_in: 'read array<Stored>',
        position_out: 'write array<Stored>',
        entries: 'read array<vec2u>',
        start: 'read array<u32>',
      },
    }),
  ]);
  const vector = 4 * storedFloats(dimensions) * count;
  const owned = await createBuffers(gpu, 'unsorted', {
    position_in: vector,
    position_out: vector,
    counts: scanBytes(startLength(world)),
    start: scanBytes(startLength(world)),
    ranks: 4 * count,
    entries: 8 * count,
  });
  const { buffers } = owned;
  const scanning = await scan.bind(buffers.counts, buffers.start, startLength(world));
  gpu.device.queue.writeBuffer(buffers.position_in, 0, toStored(dimensions, scene.positions));
  const parameters = await SharedParameters.create(gpu, dimensions, 'unsorted');
  const settings = { ...defaultSettings(dimensions), relaxation };
  const shared = parameters.write(world, count, deriveSubstep(world, diameter, settings, 0));
  const groups = { count: counting.bind(buffers), scatter: scatter.bind(buffers), push: push.bind(buffers) };
  return {
    positions: buffers.position_out,
    bytes: owned.bytes,
    stages: () => [
      { name: 'count', encode: (pass) => counting.encode(pass, shared, groups.count, count) },
      { name: 'scan', encode: (pass) => scan.encode(pass, shared, scanning) },
      { name: 'scatter', encode: (pass) => scatter.encode(pass, shared, groups.scatter, count) },
      {
        name: 'push',
        encode: (pass) => push.encode(pass, shared, groups.push, Math.ceil(count / WORKGROUP_SIZE)),
      },
    ],
    destroy() {
      owned.destroy();
      scanning.destroy();
      parameters.destroy();
    },
  };
}
