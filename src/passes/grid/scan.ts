/**
 * Host of shaders/grid/scan.wgsl: computes exclusive prefix sums, and zeroes the counts. Callers destroy ScanBindings.
 */
import text from '../../../shaders/grid/scan.wgsl?raw';
import { SCAN_BLOCK } from '../../core/base/constants';
import type { Dimensions } from '../../core/world/world';
import { reserveBuffers } from '../../gpu/buffers';
import type { Gpu } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import { defineStruct } from '../../gpu/layout';
import type { SharedBinding } from '../../gpu/params';
import { PARAMS } from '../modules';

export const SCAN_FIELDS = { vectors: 'u32', blocks: 'u32' } as const;

/** The scan reads counts and starts in vectors of four. */
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

const BLOCKS = { block_sums: 'write array<atomic<u32>>', block_starts: 'write array<u32>' } as const;
/** The spine reads four sums at once. */
const SPINE_BLOCKS = { block_sums: 'write array<vec4u>', block_starts: 'write array<vec4u>' } as const;

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
        scan: 'uniform Scan',
        counts: 'write array<vec4u>',
        ...(step === 'spine' ? SPINE_BLOCKS : BLOCKS),
        starts: 'write array<vec4u>',
      },
      flags: { SUBGROUPS: subgroups, SPINE: step === 'spine' },
      extensions: subgroups ? ['subgroups'] : [],
    }));
  }

  static async create(gpu: Gpu, dimensions: Dimensions): Promise<Scan> {
    const [reduce, spine, apply] = await Promise.all(
      Scan.describe(dimensions, gpu.subgroups).map((description) => Kernel.create(gpu, description)),
    );
    return new Scan(gpu, { reduce: reduce as Kernel, spine: spine as Kernel, apply: apply as Kernel });
  }

  /** `counts` and `starts` need `scanBytes(length)` bytes. `counts` must be zero beyond the length. */
  async bind(counts: GPUBuffer, starts: GPUBuffer, length: number): Promise<ScanBinding> {
    const owned = this.own(length);
    await owned.settled;
    return this.bindOwned(counts, starts, length, owned);
  }

  /** Like `bind`, without waiting. `settled` rejects if the device has too little memory. */
  reserve(
    counts: GPUBuffer,
    starts: GPUBuffer,
    length: number,
  ): ScanBinding & { readonly settled: Promise<void> } {
    const owned = this.own(length);
    return { ...this.bindOwned(counts, starts, length, owned), settled: owned.settled };
  }

  private own(length: number) {
    const blocks = Math.max(1, Math.ceil(length / SCAN_BLOCK));
    const sums = reserveBuffers(this.gpu, 'grid.scan', {
      blockSums: scanBytes(blocks),
      blockStarts: scanBytes(blocks),
    });
    const layout = defineStruct(2, SCAN_FIELDS);
    const parameters = reserveBuffers(
      this.gpu,
      'grid.scan',
      { parameters: layout.size },
      GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    );
    const destroy = () => {
      sums.destroy();
      parameters.destroy();
    };
    const settled = Promise.all([sums.settled, parameters.settled]).then(
      () => undefined,
      (error: unknown) => {
        destroy();
        throw error;
      },
    );
    settled.catch(() => undefined);
    const buffers = { ...sums.buffers, ...parameters.buffers };
    return { blocks, layout, buffers, bytes: sums.bytes + parameters.bytes, settled, destroy };
  }

  private bindOwned(
    counts: GPUBuffer,
    starts: GPUBuffer,
    length: number,
    { blocks, layout, buffers, bytes, destroy }: ReturnType<Scan['own']>,
  ): ScanBinding {
    const parameters = layout.encode({ vectors: Math.ceil(length / 4), blocks });
    this.gpu.device.queue.writeBuffer(buffers.parameters, 0, parameters);
    const named = {
      scan: buffers.parameters,
      counts,
      block_sums: buffers.blockSums,
      block_starts: buffers.blockStarts,
      starts,
    };
    return {
      blocks,
      reduce: this.kernels.reduce.bind(named),
      spine: this.kernels.spine.bind(named),
      apply: this.kernels.apply.bind(named),
      bytes,
      destroy,
    };
  }

  /** Scans the first `length` counts, by default all. The counts after them must be zero. */
  encode(pass: GPUComputePassEncoder, shared: SharedBinding, binding: ScanBinding, length?: number): void {
    const blocks = length === undefined ? binding.blocks : Math.ceil(length / SCAN_BLOCK);
    this.kernels.reduce.encode(pass, shared, binding.reduce, blocks);
    this.kernels.spine.encode(pass, shared, binding.spine, 1);
    this.kernels.apply.encode(pass, shared, binding.apply, blocks);
  }
}
