/** Changes velocities near the pointer on the GPU (shaders/page/brush.wgsl). */
import text from '../../../shaders/page/brush.wgsl?raw';
import { WORKGROUP_SIZE } from '../../core/base/constants';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import { defineStruct, type StructLayout, type StructValues } from '../../gpu/layout';
import type { Gpu } from '../../index';
import type { GpuSimulationView } from '../model/simulation-view';
import type { Grip, Stroke } from '../view/engine';
import { HELD_SHARE } from './brush-law';

/** Fields of `struct Stroke` in the shader. */
export const STROKE_FIELDS = {
  origin: 'vector',
  direction: 'vector',
  reach: 'f32',
  change: 'f32',
  count: 'u32',
  held: 'u32',
} as const;

const NO_DIRECTION = [0, 0, 0] as const;

type Entry = 'brush' | 'hold';

/** The kernel is standalone: it needs no parameters of a grid. */
export function describeBrush(
  { dimensions, radiusRange, boxes }: Pick<GpuSimulationView, 'dimensions' | 'radiusRange' | 'boxes'>,
  entryPoint: Entry,
): KernelDescription {
  return {
    label: `page.${entryPoint}`,
    dimensions,
    standalone: true,
    sources: [{ name: 'page/brush.wgsl', text }],
    entryPoint,
    bindings: {
      stroke: 'uniform Stroke',
      position: 'read array<PackedBody>',
      velocity: 'write array<Stored>',
      id: 'read array<u32>',
    },
    flags: { VARIABLE_RADII: boxes || radiusRange !== undefined, HAS_BOXES: boxes },
  };
}

export class GpuBrush {
  private constructor(
    private readonly gpu: Gpu,
    private readonly kernels: Readonly<Record<Entry, Kernel>>,
    private readonly layout: StructLayout<typeof STROKE_FIELDS>,
    private readonly uniforms: GPUBuffer,
  ) {}

  static async create(gpu: Gpu, simulation: GpuSimulationView): Promise<GpuBrush> {
    const create = (entry: Entry) => Kernel.create(gpu, describeBrush(simulation, entry));
    const [brush, hold] = await Promise.all([create('brush'), create('hold')]);
    const layout = defineStruct(simulation.dimensions, STROKE_FIELDS);
    const uniforms = gpu.device.createBuffer({
      label: 'page.brush.stroke',
      size: layout.size,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    return new GpuBrush(gpu, { brush, hold }, layout, uniforms);
  }

  /** Call this between two steps. */
  push(simulation: GpuSimulationView, { origin, direction, reach, force }: Stroke, seconds: number): void {
    this.run(simulation, 'brush', { origin, direction, reach, change: force * seconds, held: 0 });
  }

  /** Call this between two steps. */
  hold(simulation: GpuSimulationView, { id, position, speed }: Grip, seconds: number): void {
    const change = HELD_SHARE / seconds;
    // The kernel `hold` reads `reach` as the greatest speed, and `change` as the speed per distance.
    this.run(simulation, 'hold', {
      origin: position,
      direction: NO_DIRECTION,
      reach: speed,
      change,
      held: id,
    });
  }

  destroy(): void {
    this.uniforms.destroy();
  }

  private run(
    { count, buffers }: GpuSimulationView,
    entry: Entry,
    stroke: Omit<StructValues<typeof STROKE_FIELDS>, 'count'>,
  ): void {
    if (count === 0) return;
    const { device, workgroupsPerDimension } = this.gpu;
    device.queue.writeBuffer(this.uniforms, 0, this.layout.encode({ ...stroke, count }));
    const { positions: position, velocities: velocity, ids: id } = buffers;
    const kernel = this.kernels[entry];
    const group = kernel.bind({ stroke: this.uniforms, position, velocity, id });
    const encoder = device.createCommandEncoder({ label: `page.${entry}` });
    const pass = encoder.beginComputePass({ label: `page.${entry}` });
    const workgroups = Math.min(workgroupsPerDimension, Math.ceil(count / WORKGROUP_SIZE));
    kernel.encode(pass, undefined, group, workgroups);
    pass.end();
    device.queue.submit([encoder.finish()]);
  }
}
