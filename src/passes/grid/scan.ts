/**
 * Host of shaders/grid/scan.wgsl: computes exclusive prefix sums, and zeroes the counts. Callers destroy ScanBindings.
 */
import text from '../../../shaders/grid/scan.wgsl?raw';
import { SCAN_BLOCK, WORKGROUP_SIZE } from '../../core/base/constants';
import type { Dimensions } from '../../core/world/world';
import type { Bindings } from '../../gpu/bindings';
import { reserveBuffers } from '../../gpu/buffers';
import { type Gpu, isSoftware } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import { defineStruct } from '../../gpu/layout';
import type { SharedBinding } from '../../gpu/params';
import { PARAMS } from '../modules';

export const SCAN_FIELDS = { vectors: 'u32', vectors_per_part: 'u32' } as const;

/** The scan reads counts and writes starts in vectors of four. */
export function scanBytes(length: number): number {
  return Math.ceil(length / 4) * 16;
}

const SOURCES = [PARAMS, { name: 'grid/scan.wgsl', text }];

export interface ScanBinding {
  readonly blocks: number;
  readonly blocksPerPart: number;
  readonly reduce: GPUBindGroup;
  readonly apply: GPUBindGroup;
  readonly bytes: number;
  destroy(): void;
}

/** Says which threads scan which counts. The result does not depend on the shape. */
export interface ScanShape {
  /** True if neighbouring threads access neighbouring vectors. Otherwise each thread scans a row of vectors. */
  readonly coalesced: boolean;
  /** Threads per workgroup. Each workgroup scans a part of the counts. */
  readonly threads: number;
  /** Each workgroup adds up the sums of all parts before its own, so more parts mean more reads. */
  readonly mostParts: number;
}

/**
 * On software GPUs, few parts and few threads are fastest: barriers are expensive, and each thread adds up the sums of
 * all threads before it. On other GPUs, accesses that are not coalesced are expensive.
 */
export const SCAN_SHAPES = {
  gpu: { coalesced: true, threads: WORKGROUP_SIZE, mostParts: 1024 },
  software: { coalesced: false, threads: 64, mostParts: 128 },
} as const satisfies Readonly<Record<string, ScanShape>>;

export function scanShape(gpu: Gpu): ScanShape {
  return SCAN_SHAPES[isSoftware(gpu.info) ? 'software' : 'gpu'];
}

const BINDINGS = {
  reduce: { scan: 'uniform Scan', counts: 'read array<vec4u>', part_sums: 'write array<u32>' },
  apply: {
    scan: 'uniform Scan',
    counts: 'write array<vec4u>',
    starts: 'write array<vec4u>',
    part_sums: 'read array<u32>',
  },
} as const satisfies Readonly<Record<string, Bindings>>;

type ScanStep = keyof typeof BINDINGS;

export const SCAN_STEPS = Object.keys(BINDINGS) as readonly ScanStep[];

export class Scan {
  private constructor(
    private readonly gpu: Gpu,
    private readonly shape: ScanShape,
    private readonly kernels: Readonly<Record<ScanStep, Kernel>>,
  ) {}

  static describe(
    dimensions: Dimensions,
    step: ScanStep,
    { coalesced, threads }: ScanShape,
  ): KernelDescription {
    return {
      label: `grid.scan.${step}${coalesced ? '' : '.software'}`,
      dimensions,
      sources: SOURCES,
      entryPoint: step,
      bindings: BINDINGS[step],
      flags: { REDUCE: step === 'reduce', COALESCED: coalesced },
      constants: { SCAN_THREADS: threads },
    };
  }

  static async create(gpu: Gpu, dimensions: Dimensions): Promise<Scan> {
    const shape = scanShape(gpu);
    const [reduce, apply] = await Promise.all([
      Kernel.create(gpu, Scan.describe(dimensions, 'reduce', shape)),
      Kernel.create(gpu, Scan.describe(dimensions, 'apply', shape)),
    ]);
    return new Scan(gpu, shape, { reduce, apply });
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
    const mostParts = Math.min(this.shape.mostParts, this.gpu.workgroupsPerDimension ** 2);
    const blocksPerPart = Math.ceil(blocks / mostParts);
    const parts = Math.ceil(blocks / blocksPerPart);
    const sums = reserveBuffers(this.gpu, 'grid.scan', { sums: 4 * parts });
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
    return { blocks, blocksPerPart, layout, buffers, bytes: sums.bytes + parameters.bytes, settled, destroy };
  }

  private bindOwned(
    counts: GPUBuffer,
    starts: GPUBuffer,
    length: number,
    { blocks, blocksPerPart, layout, buffers, bytes, destroy }: ReturnType<Scan['own']>,
  ): ScanBinding {
    const parameters = layout.encode({
      vectors: Math.ceil(length / 4),
      vectors_per_part: (blocksPerPart * SCAN_BLOCK) / 4,
    });
    this.gpu.device.queue.writeBuffer(buffers.parameters, 0, parameters);
    const { parameters: scan, sums } = buffers;
    return {
      blocks,
      blocksPerPart,
      reduce: this.kernels.reduce.bind({ scan, counts, part_sums: sums }),
      apply: this.kernels.apply.bind({ scan, counts, starts, part_sums: sums }),
      bytes,
      destroy,
    };
  }

  /** Scans the first `length` counts, by default all. The counts after them must be zero. */
  encode(pass: GPUComputePassEncoder, shared: SharedBinding, binding: ScanBinding, length?: number): void {
    const blocks = length === undefined ? binding.blocks : Math.ceil(length / SCAN_BLOCK);
    const parts = Math.ceil(blocks / binding.blocksPerPart);
    this.kernels.reduce.encode(pass, shared, binding.reduce, parts);
    this.kernels.apply.encode(pass, shared, binding.apply, parts);
  }
}
