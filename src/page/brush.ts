/**
 * Purpose: what a pointer that pushes or pulls does to particles, on the GPU (shaders/page/brush.wgsl) and on the host, its
 * twin: it adds to their velocities. Inputs: a stroke, and the state between two steps. Output: velocities.
 */
import text from '../../shaders/page/brush.wgsl?raw';
import { WORKGROUP_SIZE } from '../core/constants';
import type { ParticleArrays } from '../core/simulation';
import type { Dimensions } from '../core/world';
import type { Simulation } from '../engine/simulation';
import type { Gpu } from '../gpu/device';
import { defineStruct, type StructLayout } from '../gpu/layout';
import { linkShader } from '../gpu/link';

export interface Stroke {
  /** A point of the ray from the eye, and its direction, of length 1; in the plane the point, and no direction. */
  readonly origin: readonly number[];
  readonly direction: readonly number[];
  /** How far from the ray it reaches. */
  readonly reach: number;
  /** Speed a second that it gives at the ray itself; less than 0 pulls. */
  readonly force: number;
}

const SOURCE = { name: 'page/brush.wgsl', text };

/** struct Stroke of the shader. */
const STROKE = {
  origin: 'vector',
  direction: 'vector',
  reach: 'f32',
  change: 'f32',
  count: 'u32',
} as const;

export class GpuBrush {
  private constructor(
    private readonly gpu: Gpu,
    private readonly pipeline: GPUComputePipeline,
    private readonly layout: StructLayout<typeof STROKE>,
    private readonly uniforms: GPUBuffer,
  ) {}

  static async create(gpu: Gpu, { dimensions, radiusRange, boxes }: Simulation): Promise<GpuBrush> {
    const { device } = gpu;
    const { code } = linkShader({
      dimensions,
      sources: [SOURCE],
      flags: { MIXED: boxes || radiusRange !== undefined, SHAPED: boxes },
    });
    const module = device.createShaderModule({ label: 'page.brush.module', code });
    const pipeline = await device.createComputePipelineAsync({
      label: 'page.brush.pipeline',
      layout: 'auto',
      compute: { module, entryPoint: 'brush' },
    });
    const layout = defineStruct(dimensions, STROKE);
    const uniforms = device.createBuffer({
      label: 'page.brush.stroke',
      size: layout.size,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    return new GpuBrush(gpu, pipeline, layout, uniforms);
  }

  /** Between two steps. */
  apply(simulation: Simulation, stroke: Stroke, seconds: number): void {
    const { device, workgroupsPerDimension } = this.gpu;
    const { count } = simulation;
    if (count === 0) return;
    const { origin, direction, reach, force } = stroke;
    const values = { origin, direction, reach, change: force * seconds, count };
    device.queue.writeBuffer(this.uniforms, 0, this.layout.encode(values));
    const { positions, velocities } = simulation.buffers;
    const group = device.createBindGroup({
      label: 'page.brush.group',
      layout: this.pipeline.getBindGroupLayout(0),
      entries: [this.uniforms, positions, velocities].map((buffer, binding) => ({
        binding,
        resource: { buffer },
      })),
    });
    const encoder = device.createCommandEncoder({ label: 'page.brush' });
    const pass = encoder.beginComputePass({ label: 'page.brush' });
    pass.setPipeline(this.pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(Math.min(workgroupsPerDimension, Math.ceil(count / WORKGROUP_SIZE)));
    pass.end();
    device.queue.submit([encoder.finish()]);
  }

  destroy(): void {
    this.uniforms.destroy();
  }
}

/** Velocities after a stroke. */
export function brushed(
  dimensions: Dimensions,
  { positions, velocities, ids }: ParticleArrays,
  { origin, direction, reach, force }: Stroke,
  seconds: number,
): Float32Array {
  const pushed = velocities.slice();
  const axes = Array.from({ length: dimensions }, (_, axis) => axis);
  for (let particle = 0; particle < ids.length; particle++) {
    const first = dimensions * particle;
    const from = axes.map((axis) => (positions[first + axis] as number) - (origin[axis] ?? 0));
    const along = axes.reduce((sum, axis) => sum + (from[axis] as number) * (direction[axis] ?? 0), 0);
    const across = axes.map((axis) => (from[axis] as number) - along * (direction[axis] ?? 0));
    const distance = Math.hypot(...across);
    if (!(distance > 0 && distance < reach)) continue;
    const push = (force * seconds * (1 - distance / reach)) / distance;
    for (const axis of axes) {
      pushed[first + axis] = (velocities[first + axis] as number) + push * (across[axis] as number);
    }
  }
  return pushed;
}
