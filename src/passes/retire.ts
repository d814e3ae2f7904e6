/** Host of shaders/solve/retire.wgsl: marks the particles that leave. Owns the NaN it hands in. */
import text from '../../shaders/solve/retire.wgsl?raw';
import type { Dimensions } from '../core/world';
import { type BufferSet, createBuffers } from '../gpu/buffers';
import type { Gpu } from '../gpu/device';
import { type Compilation, Kernel, type KernelDescription } from '../gpu/kernel';
import { defineStruct } from '../gpu/layout';
import { PARAMS } from './modules';
import { ParticlePass } from './particle-pass';

export const RETIRE_FIELDS = { not_a_number: 'u32' } as const;

const QUIET_NAN = 0x7fc0_0000;

export interface RetireBuffers {
  /** One bit an id, 1 where it leaves. */
  readonly leaving: GPUBuffer;
  readonly position: GPUBuffer;
  readonly id: GPUBuffer;
}

export class Retire extends ParticlePass<RetireBuffers> {
  private constructor(
    kernel: Kernel,
    private readonly owned: BufferSet<'parameters'>,
  ) {
    super(kernel);
  }

  static describe(dimensions: Dimensions): KernelDescription {
    return {
      label: 'solve.retire',
      dimensions,
      sources: [PARAMS, { name: 'solve/retire.wgsl', text }],
      entryPoint: 'retire',
      bindings: { retirement: 'uniform', leaving: 'read', position: 'write', id: 'write' },
    };
  }

  static async create(gpu: Gpu, dimensions: Dimensions, compilation?: Compilation): Promise<Retire> {
    const kernel = await Kernel.create(gpu, Retire.describe(dimensions), compilation);
    const layout = defineStruct(dimensions, RETIRE_FIELDS);
    const owned = await createBuffers(
      gpu,
      'solve.retire',
      { parameters: layout.size },
      GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    );
    gpu.device.queue.writeBuffer(owned.buffers.parameters, 0, layout.encode({ not_a_number: QUIET_NAN }));
    return new Retire(kernel, owned);
  }

  override bind(buffers: RetireBuffers): GPUBindGroup {
    return this.kernel.bind({ ...buffers, retirement: this.owned.buffers.parameters });
  }

  get bytes(): number {
    return this.owned.bytes;
  }

  destroy(): void {
    this.owned.destroy();
  }
}
