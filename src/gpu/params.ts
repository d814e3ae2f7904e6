/**
 * Bind group 0: the parameters of the grid and of the substep (shaders/base/params.wgsl). Changed parameters go to the
 * next slot of a UniformRing, so a recorded step keeps its own parameters.
 */

import type { Substep } from '../core/contact/settings';
import { firstObstacle, mergedWord } from '../core/world/cells';
import type { Dimensions, World } from '../core/world/world';
import { createBuffers } from './buffers';
import type { Gpu } from './device';
import { defineStruct, type StructValues } from './layout';
import { UniformRing } from './uniform-ring';

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
  merged_word: 'u32',
  level_first: 'table',
} as const;

/** Simulations in floats do not read these fields. */
export const EXACT_FIELDS = {
  quantum: 'f32',
  extent: 'extent',
  quanta_bits: 'u32',
  gained: 'extent',
  dither: 'u32',
  gain: 'extent',
  exact_dt: 'u32',
  exact_relaxation: 'u32',
  push_rate: 'u32',
  wall_rate: 'u32',
  exact_friction: 'u32',
  exact_grip: 'u32',
  rebound: 'u32',
  half_rebound: 'u32',
  damping: 'u32',
  most_overlap: 'u32',
  most_depth: 'u32',
  exact_rest_speed: 'u32',
  exact_push_speed: 'u32',
  exact_kick_speed: 'u32',
  exact_calm_speed: 'u32',
} as const;

/** `diameter_squared` and `restitution` replace the values of a float substep. */
export type ExactValues = StructValues<typeof EXACT_FIELDS> & {
  readonly diameter_squared: number;
  readonly restitution: number;
};

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
  parting: 'f32',
  kick_speed: 'f32',
  calm_speed: 'f32',
  deep_rate: 'f32',
  strain_rate: 'f32',
  walls: 'u32',
  substeps: 'f32',
  ...EXACT_FIELDS,
} as const;

const NO_EXACT = Object.fromEntries(
  Object.keys(EXACT_FIELDS).map((name) => [name, 0]),
) as unknown as StructValues<typeof EXACT_FIELDS>;

export interface SharedBinding {
  readonly group: GPUBindGroup;
  readonly offsets: readonly [number, number];
}

export class SharedParameters {
  private readonly gridLayout;
  private readonly substepLayout;
  private readonly gridRing: UniformRing;
  private readonly substepRing: UniformRing;
  private group: GPUBindGroup;
  /** True if encoders of the caller may refer to the buffers. */
  private isRecorded = false;
  private last:
    | {
        world: World;
        count: number;
        substep: Substep;
        exact: ExactValues | undefined;
        binding: SharedBinding;
      }
    | undefined;

  private constructor(
    private readonly gpu: Gpu,
    dimensions: Dimensions,
    private readonly label: string,
    grid: GPUBuffer,
    substep: GPUBuffer,
    readonly bytes: number,
  ) {
    this.gridLayout = defineStruct(dimensions, GRID_FIELDS);
    this.substepLayout = defineStruct(dimensions, SUBSTEP_FIELDS);
    this.gridRing = new UniformRing(gpu.device, grid);
    this.substepRing = new UniformRing(gpu.device, substep);
    this.group = this.bind();
  }

  static async create(gpu: Gpu, dimensions: Dimensions, label: string): Promise<SharedParameters> {
    const size = UniformRing.BYTES;
    const { buffers, bytes } = await createBuffers(
      gpu,
      label,
      { 'grid-parameters': size, 'substep-parameters': size },
      GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    );
    const { 'grid-parameters': grid, 'substep-parameters': substep } = buffers;
    return new SharedParameters(gpu, dimensions, label, grid, substep, bytes);
  }

  /** Writes the parameters only if they have changed. `exact` is for exact simulations. */
  write(world: World, count: number, substep: Substep, exact?: ExactValues): SharedBinding {
    const { last } = this;
    const isSame = last?.world === world && last.count === count;
    if (isSame && last.substep === substep && last.exact === exact) return last.binding;
    if (this.isRecorded && (this.gridRing.isFull || this.substepRing.isFull)) this.replace();
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
        merged_word: mergedWord(world),
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
        parting: substep.parting,
        kick_speed: substep.kickSpeed,
        calm_speed: substep.calmSpeed,
        deep_rate: substep.deepRate,
        strain_rate: substep.strainRate,
        walls: substep.walls ? 1 : 0,
        substeps: substep.substeps,
        ...(exact ?? NO_EXACT),
      }),
    );
    const binding = { group: this.group, offsets: [grid, parameters] as const };
    this.last = { world, count, substep, exact, binding };
    return binding;
  }

  /**
   * Runs `record`, which records into the caller's encoder. The parameters of this recording are never overwritten,
   * because only the caller knows whether the encoder was submitted.
   */
  recordInto(record: () => void): void {
    this.isRecorded = true;
    record();
    // If `record` replaced the buffers, `isRecorded` became false.
    this.isRecorded = true;
  }

  destroy(): void {
    this.gridRing.destroy();
    this.substepRing.destroy();
  }

  private replace(): void {
    this.gridRing.replace();
    this.substepRing.replace();
    this.group = this.bind();
    this.isRecorded = false;
  }

  private bind(): GPUBindGroup {
    return this.gpu.device.createBindGroup({
      label: `${this.label}.shared`,
      layout: this.gpu.sharedLayout,
      entries: [
        { binding: 0, resource: { buffer: this.gridRing.buffer, size: this.gridLayout.size } },
        { binding: 1, resource: { buffer: this.substepRing.buffer, size: this.substepLayout.size } },
      ],
    });
  }
}
