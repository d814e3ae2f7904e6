/**
 * Bind group 0 of every kernel: the parameters of the grid and of the substep (shaders/base/params.wgsl). A recorded
 * step must keep its parameters even if the caller changes settings before submitting it. So parameters are written to
 * rings (uniform-ring.ts). `recordInto` rejects an encoder that would need more slots than a ring has.
 */

import type { Substep } from '../core/contact/settings';
import { firstObstacle } from '../core/world/cells';
import type { Dimensions, World } from '../core/world/world';
import { type BufferSet, createBuffers } from './buffers';
import type { Gpu } from './device';
import { defineStruct } from './layout';
import { RecordedChanges, UniformRing } from './uniform-ring';

export const GRID_FIELDS = {
  origin: 'vector',
  inverse_cell_size: 'f32',
  cells: 'extent',
  cell_count: 'u32',
  count: 'u32',
  cell_size: 'f32',
  period: 'vector',
  inverse_period: 'vector',
  ring: 'extent',
  levels: 'u32',
  inverse_base: 'f32',
  greatest_radius: 'f32',
  first_obstacle: 'u32',
  level_first: 'table',
} as const;

export const SUBSTEP_FIELDS = {
  gravity: 'vector',
  dt: 'f32',
  lower: 'vector',
  inverse_dt: 'f32',
  upper: 'vector',
  diameter: 'f32',
  diameter_squared: 'f32',
  restitution: 'f32',
  friction: 'f32',
  half_relaxation: 'f32',
  grip_share: 'f32',
  rest_speed: 'f32',
  push_speed: 'f32',
  walls: 'u32',
  substeps: 'f32',
} as const;

/** The bind group, with the dynamic offsets of the parameters for the passes that are recorded next. */
export interface SharedBinding {
  readonly group: GPUBindGroup;
  readonly offsets: readonly [number, number];
}

type Rings = BufferSet<'grid-parameters' | 'substep-parameters'>;

export class SharedParameters {
  private readonly gridLayout;
  private readonly substepLayout;
  private readonly gridRing: UniformRing;
  private readonly substepRing: UniformRing;
  private readonly group: GPUBindGroup;
  private readonly recorded = new RecordedChanges();
  /** Number of calls of `place` that wrote a slot. Neither ring has written more slots than this. */
  private changes = 0;
  /** The parameters of the last call; most calls repeat them. */
  private last: { world: World; count: number; substep: Substep; binding: SharedBinding } | undefined;

  private constructor(
    gpu: Gpu,
    dimensions: Dimensions,
    label: string,
    private readonly rings: Rings,
  ) {
    this.gridLayout = defineStruct(dimensions, GRID_FIELDS);
    this.substepLayout = defineStruct(dimensions, SUBSTEP_FIELDS);
    this.gridRing = new UniformRing(gpu.device, rings.buffers['grid-parameters']);
    this.substepRing = new UniformRing(gpu.device, rings.buffers['substep-parameters']);
    this.group = gpu.device.createBindGroup({
      label: `${label}.shared`,
      layout: gpu.sharedLayout,
      entries: [
        { binding: 0, resource: { buffer: this.gridRing.buffer, size: this.gridLayout.size } },
        { binding: 1, resource: { buffer: this.substepRing.buffer, size: this.substepLayout.size } },
      ],
    });
  }

  static async create(gpu: Gpu, dimensions: Dimensions, label: string): Promise<SharedParameters> {
    const bytes = UniformRing.BYTES;
    const rings = await createBuffers(
      gpu,
      label,
      { 'grid-parameters': bytes, 'substep-parameters': bytes },
      GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    );
    return new SharedParameters(gpu, dimensions, label, rings);
  }

  /** Writes parameters to the rings, unless they are unchanged, and returns where kernels find them. */
  write(world: World, count: number, substep: Substep): SharedBinding {
    const { last } = this;
    if (last?.world === world && last.count === count && last.substep === substep) return last.binding;
    const grid = this.gridRing.write(
      this.gridLayout.encode({
        origin: world.min,
        inverse_cell_size: world.inverseCellSize,
        cells: world.cells,
        cell_count: world.cellCount,
        count,
        cell_size: world.cellSize,
        period: world.period,
        inverse_period: world.period.map((length) => (length > 0 ? 1 / length : 0)),
        ring: world.period.map((length) => (length > 0 ? 0 : 1)),
        levels: world.levels,
        inverse_base: world.levels > 0 ? 1 / world.baseDiameter : 0,
        greatest_radius: world.diameter / 2,
        first_obstacle: firstObstacle(world),
        level_first: world.levelStarts,
      }),
    );
    const parameters = this.substepRing.write(
      this.substepLayout.encode({
        gravity: substep.gravity,
        dt: substep.dt,
        lower: substep.lower,
        inverse_dt: substep.inverseDt,
        upper: substep.upper,
        diameter: substep.diameter,
        diameter_squared: substep.diameterSquared,
        restitution: substep.restitution,
        friction: substep.friction,
        half_relaxation: substep.halfRelaxation,
        grip_share: substep.gripShare,
        rest_speed: substep.restSpeed,
        push_speed: substep.pushSpeed,
        walls: substep.walls ? 1 : 0,
        substeps: substep.substeps,
      }),
    );
    const offsets = [grid, parameters] as const;
    if (offsets.some((offset, index) => last?.binding.offsets[index] !== offset)) this.changes++;
    const binding = { group: this.group, offsets };
    this.last = { world, count, substep, binding };
    return binding;
  }

  /**
   * Runs `record`, which writes parameters and records passes with them into the caller's encoder. The rings must not
   * wrap around before the encoder is submitted. Encoders that are recorded at the same time share the slots. This
   * class cannot detect that, but the docs warn of it.
   */
  recordInto(encoder: GPUCommandEncoder, record: () => void): void {
    this.recorded.check(encoder, ' (dt, settings, count)');
    const before = this.changes;
    record();
    this.recorded.add(encoder, this.changes - before);
  }

  get bytes(): number {
    return this.rings.bytes;
  }

  destroy(): void {
    this.rings.destroy();
  }
}
