/**
 * Host of shaders/grid/scan.wgsl: computes exclusive prefix sums, and zeroes the counts. Callers destroy ScanBindings.
 */
import text from '../../../shaders/grid/scan.wgsl?raw';
import { SCAN_BLOCK, SCAN_WORKGROUP_SIZE, WORKGROUP_SIZE } from '../../core/base/constants';
import type { Dimensions } from '../../core/world/world';
import type { Bindings } from '../../gpu/bindings';
import { reserveBuffers } from '../../gpu/buffers';
import { type Gpu, isSoftware } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import { defineStruct } from '../../gpu/layout';
import type { SharedBinding } from '../../gpu/params';
import { PARAMS } from '../modules';

export const SCAN_FIELDS = { vectors: 'u32', blocks: 'u32' } as const;

/** The scan reads counts and writes starts in vectors of four. */
export function scanBytes(length: number): number {
  return Math.ceil(length / 4) * 16;
}

const SOURCES = [PARAMS, { name: 'grid/scan.wgsl', text }];

export interface ScanBinding {
  readonly blocks: number;
  readonly reduce: GPUBindGroup;
  readonly spine: GPUBindGroup;
  readonly apply: GPUBindGroup;
  readonly bytes: number;
  destroy(): void;
}

/** Says which threads scan which counts of a block. The result does not depend on the shape. */
export interface ScanShape {
  /** True if neighbouring threads access neighbouring vectors. Otherwise each thread scans a row of vectors. */
  readonly coalesced: boolean;
  readonly threads: number;
}

/** Barriers are expensive on software GPUs; on other GPUs, accesses that are not coalesced are expensive. */
export const SCAN_SHAPES = {
  gpu: { coalesced: true, threads: WORKGROUP_SIZE },
  software: { coalesced: false, threads: SCAN_WORKGROUP_SIZE },
} as const satisfies Readonly<Record<string, ScanShape>>;

export function scanShape(gpu: Gpu): ScanShape {
  return SCAN_SHAPES[isSoftware(gpu.info) ? 'software' : 'gpu'];
}

const SCANNED = {
  scan: 'uniform Scan',
  counts: 'write array<vec4u>',
  starts: 'write array<vec4u>',
} as const satisfies Bindings;

const FLAGS = { REDUCE: false, SUBGROUPS: false, SPINE: false, COALESCED: false };

interface ScanKernels {
  readonly reduce: Kernel;
  readonly spine: Kernel;
  readonly apply: Kernel;
}

export class Scan {
  private constructor(
    private readonly gpu: Gpu,
    private readonly kernels: ScanKernels,
  ) {}

  static describeReduce(dimensions: Dimensions, subgroups: boolean): KernelDescription {
    return {
      label: `grid.scan.reduce${subgroups ? '.subgroups' : ''}`,
      dimensions,
      sources: SOURCES,
      entryPoint: 'reduce',
      bindings: {
        scan: 'uniform Scan',
        counts: 'read array<vec4u>',
        block_sums: 'write array<atomic<u32>>',
      },
      flags: { ...FLAGS, REDUCE: true, SUBGROUPS: subgroups },
      extensions: subgroups ? ['subgroups'] : [],
    };
  }

  static describe(
    dimensions: Dimensions,
    step: 'spine' | 'apply',
    { coalesced, threads }: ScanShape,
  ): KernelDescription {
    return {
      label: `grid.scan.${step}${coalesced ? '' : '.software'}`,
      dimensions,
      sources: SOURCES,
      entryPoint: step,
      bindings: step === 'spine' ? SCANNED : { ...SCANNED, block_starts: 'read array<u32>' },
      flags: { ...FLAGS, SPINE: step === 'spine', COALESCED: coalesced },
      constants: { SCAN_WORKGROUP_SIZE: threads },
    };
  }

  static async create(gpu: Gpu, dimensions: Dimensions): Promise<Scan> {
    const shape = scanShape(gpu);
    const [reduce, spine, apply] = await Promise.all([
      Kernel.create(gpu, Scan.describeReduce(dimensions, gpu.subgroups)),
      Kernel.create(gpu, Scan.describe(dimensions, 'spine', shape)),
      Kernel.create(gpu, Scan.describe(dimensions, 'apply', shape)),
    ]);
    return new Scan(gpu, { reduce, spine, apply });
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
    const { parameters: scan, blockSums, blockStarts } = buffers;
    return {
      blocks,
      reduce: this.kernels.reduce.bind({ scan, counts, block_sums: blockSums }),
      spine: this.kernels.spine.bind({ scan, counts: blockSums, starts: blockStarts }),
      apply: this.kernels.apply.bind({ scan, counts, starts, block_starts: blockStarts }),
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
