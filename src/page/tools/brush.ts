/**
 * Changes the velocities of particles near the pointer, on the GPU (shaders/page/brush.wgsl) or on the CPU by the same
 * formulas. A stroke pushes or pulls all particles near the pointer; a grip moves one particle to the pointer.
 */
import text from '../../../shaders/page/brush.wgsl?raw';
import { WORKGROUP_SIZE } from '../../core/base/constants';
import { defineStruct, type StructLayout } from '../../gpu/layout';
import { compileShader } from '../../gpu/shader-module';
import type { Dimensions, Gpu, ParticleArrays } from '../../index';
import type { GpuSimulationView } from '../model/simulation-view';
import type { Grip, Stroke } from '../view/engine';

/**
 * The share of the remaining distance that a dragged particle moves per step. If it moved the whole distance at once,
 * it would throw aside all particles on its way.
 */
const HELD_SHARE = 0.25;

const SOURCE = { name: 'page/brush.wgsl', text };

/** The members of struct Stroke in the shader. */
const STROKE = {
  origin: 'vector',
  direction: 'vector',
  reach: 'f32',
  change: 'f32',
  count: 'u32',
  held: 'u32',
} as const;

const NOWHERE = [0, 0, 0] as const;

interface Pipelines {
  readonly brush: GPUComputePipeline;
  readonly hold: GPUComputePipeline;
}

export class GpuBrush {
  private constructor(
    private readonly gpu: Gpu,
    private readonly pipelines: Pipelines,
    private readonly layout: StructLayout<typeof STROKE>,
    private readonly uniforms: GPUBuffer,
  ) {}

  static async create(gpu: Gpu, { dimensions, radiusRange, boxes }: GpuSimulationView): Promise<GpuBrush> {
    const { device } = gpu;
    const module = await compileShader(device, 'page.brush', {
      dimensions,
      sources: [SOURCE],
      flags: { VARIABLE_RADII: boxes || radiusRange !== undefined, HAS_BOXES: boxes },
    });
    const create = (entryPoint: string) =>
      device.createComputePipelineAsync({
        label: `page.${entryPoint}.pipeline`,
        layout: 'auto',
        compute: { module, entryPoint },
      });
    const [brush, hold] = await Promise.all([create('brush'), create('hold')]);
    const layout = defineStruct(dimensions, STROKE);
    const uniforms = device.createBuffer({
      label: 'page.brush.stroke',
      size: layout.size,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    return new GpuBrush(gpu, { brush, hold }, layout, uniforms);
  }

  /** Call it between two steps. */
  push(simulation: GpuSimulationView, { origin, direction, reach, force }: Stroke, seconds: number): void {
    const { positions, velocities } = simulation.buffers;
    const change = force * seconds;
    this.run(simulation, 'brush', { origin, direction, reach, change, held: 0 }, [positions, velocities]);
  }

  /** Call it between two steps. */
  hold(simulation: GpuSimulationView, { id, position, speed }: Grip, seconds: number): void {
    const { positions, velocities, ids } = simulation.buffers;
    const change = HELD_SHARE / seconds;
    // The kernel `hold` reads `reach` as the greatest speed, and `change` as the speed per unit of distance.
    const stroke = { origin: position, direction: NOWHERE, reach: speed, change, held: id };
    this.run(simulation, 'hold', stroke, [positions, velocities, ids]);
  }

  destroy(): void {
    this.uniforms.destroy();
  }

  private run(
    { count }: GpuSimulationView,
    entryPoint: keyof Pipelines,
    stroke: Omit<Parameters<StructLayout<typeof STROKE>['encode']>[0], 'count'>,
    buffers: readonly GPUBuffer[],
  ): void {
    if (count === 0) return;
    const { device, workgroupsPerDimension } = this.gpu;
    const pipeline = this.pipelines[entryPoint];
    device.queue.writeBuffer(this.uniforms, 0, this.layout.encode({ ...stroke, count }));
    const group = device.createBindGroup({
      label: `page.${entryPoint}.group`,
      layout: pipeline.getBindGroupLayout(0),
      entries: [this.uniforms, ...buffers].map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
    const encoder = device.createCommandEncoder({ label: `page.${entryPoint}` });
    const pass = encoder.beginComputePass({ label: `page.${entryPoint}` });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(Math.min(workgroupsPerDimension, Math.ceil(count / WORKGROUP_SIZE)));
    pass.end();
    device.queue.submit([encoder.finish()]);
  }
}

export function pushed(
  dimensions: Dimensions,
  { positions, velocities, ids }: ParticleArrays,
  { origin, direction, reach, force }: Stroke,
  seconds: number,
): Float32Array {
  const after = velocities.slice();
  const [fromX = 0, fromY = 0, fromZ = 0] = origin;
  const [alongX = 0, alongY = 0, alongZ = 0] = direction;
  for (let particle = 0; particle < ids.length; particle++) {
    const first = dimensions * particle;
    let x = (positions[first] as number) - fromX;
    let y = (positions[first + 1] as number) - fromY;
    let z = dimensions === 3 ? (positions[first + 2] as number) - fromZ : 0;
    const along = x * alongX + y * alongY + z * alongZ;
    x -= along * alongX;
    y -= along * alongY;
    z -= along * alongZ;
    const distance = Math.hypot(x, y, z);
    if (!(distance > 0 && distance < reach)) continue;
    const push = (force * seconds * (1 - distance / reach)) / distance;
    after[first] = (velocities[first] as number) + push * x;
    after[first + 1] = (velocities[first + 1] as number) + push * y;
    if (dimensions === 3) after[first + 2] = (velocities[first + 2] as number) + push * z;
  }
  return after;
}

export function held(
  dimensions: Dimensions,
  { positions, velocities, ids }: ParticleArrays,
  { id, position, speed }: Grip,
  seconds: number,
): Float32Array {
  const after = velocities.slice();
  const particle = ids.indexOf(id);
  if (particle < 0) return after;
  const first = dimensions * particle;
  const way = Array.from(
    { length: dimensions },
    (_, axis) => (position[axis] ?? 0) - (positions[first + axis] ?? 0),
  );
  const share = Math.min(HELD_SHARE / seconds, speed / Math.max(Math.hypot(...way), Number.MIN_VALUE));
  way.forEach((component, axis) => {
    after[first + axis] = component * share;
  });
  return after;
}
