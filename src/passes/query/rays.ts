/** Host of shaders/query/rays.wgsl: finds all particles that rays meet, or only the first per ray. */
import ray from '../../../shaders/query/ray.wgsl?raw';
import text from '../../../shaders/query/rays.wgsl?raw';
import { WORKGROUP_SIZE } from '../../core/base/constants';
import type { Bindings } from '../../gpu/bindings';
import type { Gpu } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import type { SharedBinding } from '../../gpu/params';
import { STRETCH, type Variant, worldFlags, worldName } from '../modules';
import { pathModules, SORT_STRETCH } from '../search-modules';
import { ListPass } from './list-pass';

/** With variable radii, only `ray_count` is read. */
export const RAYS_FIELDS = { ray_count: 'u32', radius: 'f32', radius_squared: 'f32' } as const;

export const RAYS_STEPS = ['tally', 'fill', 'first'] as const;
export type RaysStep = (typeof RAYS_STEPS)[number];

export interface RaysBuffers {
  readonly position_in: GPUBuffer;
  readonly id_in: GPUBuffer;
  readonly start: GPUBuffer;
  readonly cell_of_slot: GPUBuffer;
  readonly rays: GPUBuffer;
  /** The buffer of a UniformRing with RAYS_FIELDS. */
  readonly parameters: GPUBuffer;
  /** For tally: the number of particles per ray. */
  readonly tallies?: GPUBuffer;
  /** For fill: offsets per ray, then the end. */
  readonly offsets?: GPUBuffer;
  /** For fill: the list. For first: one id per ray. */
  readonly ids?: GPUBuffer;
  readonly distances?: GPUBuffer;
}

const OUTPUTS: Readonly<Record<RaysStep, Bindings>> = {
  tally: { tallies: 'write array<u32>' },
  fill: { offsets: 'read array<u32>', ids: 'write array<u32>', distances: 'write array<f32>' },
  first: { ids: 'write array<u32>', distances: 'write array<f32>' },
};

function describe(variant: Variant, step: RaysStep): KernelDescription {
  return {
    label: `measure.rays.${step}${worldName(variant)}`,
    dimensions: variant.dimensions,
    sources: [
      ...pathModules(variant),
      STRETCH,
      ...(step === 'fill' ? [SORT_STRETCH] : []),
      { name: 'query/ray.wgsl', text: ray },
      { name: 'query/rays.wgsl', text },
    ],
    entryPoint: 'follow',
    bindings: {
      position_in: 'read array<PackedBody>',
      id_in: 'read array<u32>',
      start: 'read array<u32>',
      cell_of_slot: 'read array<Cell>',
      rays: 'read array<u32>',
      parameters: 'parameters Rays',
      ...OUTPUTS[step],
    },
    flags: { ...worldFlags(variant), FILL: step === 'fill', FIRST: step === 'first' },
  };
}

export class Rays extends ListPass<RaysBuffers> {
  static describe(variant: Variant, step: RaysStep): KernelDescription {
    return describe(variant, step);
  }

  static async create(gpu: Gpu, variant: Variant): Promise<Rays> {
    const [tally, fill] = await Promise.all([
      Kernel.create(gpu, describe(variant, 'tally')),
      Kernel.create(gpu, describe(variant, 'fill')),
    ]);
    return new Rays({ tally, fill });
  }
}

export class FirstHits {
  private constructor(private readonly kernel: Kernel) {}

  static async create(gpu: Gpu, variant: Variant): Promise<FirstHits> {
    return new FirstHits(await Kernel.create(gpu, describe(variant, 'first')));
  }

  bind(buffers: RaysBuffers): GPUBindGroup {
    return this.kernel.bind({ ...buffers });
  }

  encode(
    pass: GPUComputePassEncoder,
    shared: SharedBinding,
    group: GPUBindGroup,
    count: number,
    offsets: readonly number[],
  ): void {
    this.kernel.encode(pass, shared, group, Math.ceil(count / WORKGROUP_SIZE), offsets);
  }
}
