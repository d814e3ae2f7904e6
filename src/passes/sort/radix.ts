/** Host of shaders/sort/radix.wgsl: sorts by one digit. The caller scans the counts between the two kernels. */
import text from '../../../shaders/sort/radix.wgsl?raw';
import { WORKGROUP_SIZE } from '../../core/base/constants';
import { KEYS_FLOAT, KEYS_SIGNED, RADIX_BITS, RADIX_RUN } from '../../core/particles/keys';
import { type Gpu, isSoftware } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import type { SharedBinding } from '../../gpu/params';
import { PARAMS } from '../modules';

export const RADIX_FIELDS = { shift: 'u32', read: 'u32', written: 'u32' } as const;

/** Bits per digit, and keys per thread. The sorted keys do not depend on them. */
export interface RadixShape {
  readonly bits: number;
  readonly run: number;
}

/** Software GPUs run few threads, so each thread may have more counters. */
export const RADIX_SHAPES = {
  gpu: { bits: RADIX_BITS, run: RADIX_RUN },
  software: { bits: 8, run: 512 },
} as const satisfies Readonly<Record<string, RadixShape>>;

export function radixShape(gpu: Gpu): RadixShape {
  return RADIX_SHAPES[isSoftware(gpu.info) ? 'software' : 'gpu'];
}

export function radixWorkgroups(keys: number, { run }: RadixShape): number {
  return Math.ceil(Math.ceil(keys / run) / WORKGROUP_SIZE);
}

/** Each run of keys has a counter per value of a digit. */
export function radixCounters(keys: number, { bits, run }: RadixShape): number {
  return Math.ceil(keys / run) * 2 ** bits;
}

export interface RadixVariant {
  /** True if keys have 64 bits, the low word first. */
  readonly wide: boolean;
  readonly payload: boolean;
  readonly shape: RadixShape;
}

const STEPS = ['radix_count', 'radix_scatter'] as const;

export type RadixBuffers = Readonly<
  Record<'radix' | 'counts' | 'starts' | 'key_in' | 'key_out', GPUBuffer>
> & {
  readonly payload_in?: GPUBuffer | undefined;
  readonly payload_out?: GPUBuffer | undefined;
};

export interface RadixGroups {
  readonly count: GPUBindGroup;
  readonly scatter: GPUBindGroup;
}

export class Radix {
  private constructor(
    private readonly counting: Kernel,
    private readonly scattering: Kernel,
    private readonly shape: RadixShape,
  ) {}

  static describe({ wide, payload, shape }: RadixVariant): KernelDescription[] {
    return STEPS.map((entryPoint) => ({
      label: `sort.${entryPoint}${wide ? '.wide' : ''}${payload ? '.payload' : ''}.${shape.bits}-bits`,
      // Serves 3D, too.
      dimensions: 2,
      sources: [PARAMS, { name: 'sort/radix.wgsl', text }],
      entryPoint,
      bindings: {
        radix: 'uniform Radix',
        counts: 'write array<u32>',
        starts: 'read array<u32>',
        key_in: 'read array<Key>',
        key_out: 'write array<Key>',
        ...(payload ? { payload_in: 'read array<u32>', payload_out: 'write array<u32>' } : {}),
      },
      flags: { WIDE: wide, PAYLOAD: payload },
      constants: { RADIX_DIGITS: 2 ** shape.bits, RADIX_RUN: shape.run, KEYS_SIGNED, KEYS_FLOAT },
    }));
  }

  static async create(gpu: Gpu, variant: RadixVariant): Promise<Radix> {
    const [count, scatter] = await Promise.all(
      Radix.describe(variant).map((description) => Kernel.create(gpu, description)),
    );
    return new Radix(count as Kernel, scatter as Kernel, variant.shape);
  }

  bind(buffers: RadixBuffers): RadixGroups {
    return { count: this.counting.bind({ ...buffers }), scatter: this.scattering.bind({ ...buffers }) };
  }

  encodeCount(pass: GPUComputePassEncoder, shared: SharedBinding, groups: RadixGroups, keys: number): void {
    this.counting.encode(pass, shared, groups.count, radixWorkgroups(keys, this.shape));
  }

  encodeScatter(pass: GPUComputePassEncoder, shared: SharedBinding, groups: RadixGroups, keys: number): void {
    this.scattering.encode(pass, shared, groups.scatter, radixWorkgroups(keys, this.shape));
  }
}
