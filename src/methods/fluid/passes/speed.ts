/** Reads back the greatest speed of a particle. Shader: shaders/fluid/speed.wgsl. */
import type { Gpu } from '../../../gpu/device';
import { type Buffers, createBuffers, readBuffers } from './buffers';
import { FluidKernel, PARTIALS } from './kernel';
import { kernelSources } from './kernels';

export class Speed {
  private constructor(
    private readonly gpu: Gpu,
    private readonly owned: Buffers<'partials'>,
    private readonly kernel: FluidKernel,
  ) {}

  static async create(gpu: Gpu, dimensions: 2 | 3): Promise<Speed> {
    const kernel = await FluidKernel.create(gpu, dimensions, kernelSources(false).speed);
    return new Speed(gpu, await createBuffers(gpu, { partials: 16 * PARTIALS }), kernel);
  }

  get bytes(): number {
    return this.owned.bytes;
  }

  async greatest(input: Readonly<Record<'frame' | 'velocities', GPUBuffer>>, frame: number): Promise<number> {
    const { device } = this.gpu;
    const { partials } = this.owned.buffers;
    const encoder = device.createCommandEncoder({ label: 'fluid.speed' });
    const pass = encoder.beginComputePass({ label: 'fluid.speed' });
    this.kernel.encode(pass, this.kernel.bind({ ...input, partials }), PARTIALS, frame);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const [bytes] = await readBuffers(this.gpu, [partials]);
    const squares = new Float32Array(bytes as ArrayBuffer);
    let greatest = 0;
    // The third number of a partial result is a workgroup's greatest squared speed.
    for (let part = 0; part < PARTIALS; part++)
      greatest = Math.max(greatest, squares[4 * part + 2] as number);
    return Math.sqrt(greatest);
  }

  destroy(): void {
    this.owned.destroy();
  }
}
