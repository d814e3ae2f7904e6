/**
 * Host of shaders/grid/scan.wgsl: exclusive prefix sum of `length` counts, which it leaves at zero.
 * A binding owns its block sums and its parameters; whoever makes one destroys it.
 */
import text from '../../shaders/grid/scan.wgsl?raw';
import { SCAN_BLOCK } from '../core/constants';
import type { Dimensions } from '../core/world';
import { createBuffers } from '../gpu/buffers';
import type { Gpu } from '../gpu/device';
import { Kernel, type KernelDescription } from '../gpu/kernel';
import { defineStruct } from '../gpu/layout';
import type { SharedBinding } from '../gpu/params';
import { PARAMS } from './modules';

export const SCAN_FIELDS = { vectors: 'u32', blocks: 'u32' } as const;

/** Bytes of a buffer of counts or starts that the scan may read in whole vectors of four. */
export function scanBytes(length: number): number {
  return Math.ceil(length / 4) * 16;
}

export interface ScanBinding {
  readonly blocks: number;
  readonly reduce: GPUBindGroup;
  readonly spine: GPUBindGroup;
  readonly apply: GPUBindGroup;
  readonly bytes: number;
  destroy(): void;
}

const STEPS = ['reduce', 'spine', 'apply'] as const;

export class Scan {
  private constructor(
    private readonly gpu: Gpu,
    private readonly kernels: Readonly<Record<(typeof STEPS)[number], Kernel>>,
  ) {}

  static describe(dimensions: Dimensions, subgroups: boolean): KernelDescription[] {
    return STEPS.map((step) => ({
      label: `grid.scan.${step}${subgroups ? '.subgroups' : ''}`,
      dimensions,
      sources: [PARAMS, { name: 'grid/scan.wgsl', text }],
      entryPoint: step,
      bindings: {
        scan: 'uniform',
        counts: 'write',
        block_sums: 'write',
        block_starts: 'write',
        starts: 'write',
      },
      flags: { SUBGROUPS: subgroups },
      extensions: subgroups ? ['subgroups'] : [],
    }));
  }

  static async create(gpu: Gpu, dimensions: Dimensions): Promise<Scan> {
    const [reduce, spine, apply] = await Promise.all(
      Scan.describe(dimensions, gpu.subgroups).map((description) => Kernel.create(gpu, description)),
    );
    return new Scan(gpu, { reduce: reduce as Kernel, spine: spine as Kernel, apply: apply as Kernel });
  }

  /** Both buffers hold `scanBytes(length)`; entries of `counts` past the length must be zero. */
  async bind(counts: GPUBuffer, starts: GPUBuffer, length: number): Promise<ScanBinding> {
    const blocks = Math.max(1, Math.ceil(length / SCAN_BLOCK));
    const layout = defineStruct(2, SCAN_FIELDS);
    const owned = await createBuffers(this.gpu, 'grid.scan', {
      blockSums: 4 * blocks,
      blockStarts: 4 * blocks,
    });
    const parameters = await createBuffers(
      this.gpu,
      'grid.scan',
      { parameters: layout.size },
      GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    );
    this.gpu.device.queue.writeBuffer(
      parameters.buffers.parameters,
      0,
      layout.encode({ vectors: Math.ceil(length / 4), blocks }),
    );
    const buffers = {
      scan: parameters.buffers.parameters,
      counts,
      block_sums: owned.buffers.blockSums,
      block_starts: owned.buffers.blockStarts,
      starts,
    };
    return {
      blocks,
      reduce: this.kernels.reduce.bind(buffers),
      spine: this.kernels.spine.bind(buffers),
      apply: this.kernels.apply.bind(buffers),
      bytes: owned.bytes + parameters.bytes,
      destroy() {
        owned.destroy();
        parameters.destroy();
      },
    };
  }

  encode(pass: GPUComputePassEncoder, shared: SharedBinding, binding: ScanBinding): void {
    this.kernels.reduce.encode(pass, shared, binding.reduce, binding.blocks);
    this.kernels.spine.encode(pass, shared, binding.spine, 1);
    this.kernels.apply.encode(pass, shared, binding.apply, binding.blocks);
  }
}
