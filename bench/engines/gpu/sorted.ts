import type { Gpu } from '../../../src/gpu/device';
import type { Kernel } from '../../../src/gpu/kernel';
import type { BenchScene } from '../../harness/scenes';
import { benchSource, createKernel, PLAIN } from './bodies';
import text from './sorted.wgsl?raw';

export function createSorter(gpu: Gpu, scene: BenchScene): Promise<Kernel> {
  return createKernel(gpu, scene, {
    label: 'sorted',
    sources: [...PLAIN, benchSource('sorted.wgsl', text)],
    entryPoint: 'sort_bodies',
    bindings: { bodies: 'read array<PackedBody>', ids: 'read array<u32>', sorted: 'write array<PackedBody>' },
  });
}
