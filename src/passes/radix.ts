/** Host of shaders/sort/radix.wgsl: one digit of a radix sort; between its two kernels the counts are scanned. */
import text from '../../shaders/sort/radix.wgsl?raw';
import { RADIX_DIGITS, RADIX_RUN, WORKGROUP_SIZE } from '../core/constants';
import type { Gpu } from '../gpu/device';
import { Kernel, type KernelDescription } from '../gpu/kernel';
import type { SharedBinding } from '../gpu/params';
import { PARAMS } from './modules';

export const RADIX_FIELDS = { shift: 'u32', read: 'u32', written: 'u32' } as const;

function runsOf(keys: number): number {
  return Math.ceil(keys / RADIX_RUN);
}

/** Workgroups that so many keys need. */
export function radixWorkgroups(keys: number): number {
  return Math.ceil(runsOf(keys) / WORKGROUP_SIZE);
}

/** Counters that so many keys need. */
export function radixCounters(keys: number): number {
  return runsOf(keys) * RADIX_DIGITS;
}

export interface RadixVariant {
  /** Keys of 64 bits, the low word first. */
  readonly wide: boolean;
  /** A word that goes with each key. */
  readonly payload: boolean;
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
  ) {}

  static describe({ wide, payload }: RadixVariant): KernelDescription[] {
    return STEPS.map((entryPoint) => ({
      label: `sort.${entryPoint}${wide ? '.wide' : ''}${payload ? '.payload' : ''}`,
      // Keys have none.
      dimensions: 2,
      sources: [PARAMS, { name: 'sort/radix.wgsl', text }],
      entryPoint,
      bindings: {
        radix: 'uniform',
        counts: 'write',
        starts: 'read',
        key_in: 'read',
        key_out: 'write',
        ...(payload ? { payload_in: 'read', payload_out: 'write' } : {}),
      },
      flags: { WIDE: wide, PAYLOAD: payload },
    }));
  }

  static async create(gpu: Gpu, variant: RadixVariant): Promise<Radix> {
    const [count, scatter] = await Promise.all(
      Radix.describe(variant).map((description) => Kernel.create(gpu, description)),
    );
    return new Radix(count as Kernel, scatter as Kernel);
  }

  bind(buffers: RadixBuffers): RadixGroups {
    return { count: this.counting.bind({ ...buffers }), scatter: this.scattering.bind({ ...buffers }) };
  }

  encodeCount(pass: GPUComputePassEncoder, shared: SharedBinding, groups: RadixGroups, keys: number): void {
    this.counting.encode(pass, shared, groups.count, radixWorkgroups(keys));
  }

  encodeScatter(pass: GPUComputePassEncoder, shared: SharedBinding, groups: RadixGroups, keys: number): void {
    this.scattering.encode(pass, shared, groups.scatter, radixWorkgroups(keys));
  }
}
