/** The position-based fluid on the CPU, single-threaded. */

import type { PlacedParticles } from '../../core/simulation/placed';
import { ParticleMethod } from '../../core/simulation/placed-method';
import { type CpuGridParticles, createCpuGridParticles } from '../../cpu/grid/grid-particles';
import { checkObstacles, type Obstacle, type ObstacleOptions, packObstacles } from './obstacles';
import {
  changeSettings,
  checkFluidCheckpoint,
  checkTimeStep,
  type FluidMeasures,
  measuresOf,
  type PositionFluidCheckpoint,
  type PositionFluidOptions,
  type PositionFluidPlan,
  type PositionFluidSettings,
  type PositionFluidState,
  planFluid,
} from './options';
import { FluidTwin } from './reference/fluid';

/**
 * Creates a position-based fluid on the CPU, for Node and for pages without WebGPU. It takes the options of
 * `createPositionFluid`. The same calls give the same bits.
 *
 * @example
 * ```ts
 * const positions = Float32Array.from({ length: 2000 }, (_, i) => (i % 2 ? i / 80 : (i / 2) % 40) / 2);
 * const fluid = createCpuPositionFluid({ dimensions: 2, min: [0, 0], max: [40, 20], radius: 1, positions });
 * fluid.step(1 / 60);
 * const { meanDensity } = fluid.measure();
 * ```
 */
export function createCpuPositionFluid(options: PositionFluidOptions): CpuPositionFluid {
  const plan = planFluid(options);
  return new CpuPositionFluid(plan, createCpuGridParticles(plan.placed));
}

/**
 * A position-based fluid on the CPU. It has the methods of `PositionFluid` except `encode`. Its methods return values,
 * not promises.
 */
export class CpuPositionFluid extends ParticleMethod<CpuGridParticles, PositionFluidSettings> {
  /** Always 'cpu'. */
  readonly backend = 'cpu';
  private readonly twin: FluidTwin;
  private obstacles: readonly Obstacle[];
  private solids: Float32Array;

  /** Use createCpuPositionFluid, which checks its arguments. @hideconstructor */
  constructor(
    private readonly plan: PositionFluidPlan,
    particles: CpuGridParticles,
  ) {
    super(particles, plan.settings);
    this.twin = new FluidTwin(particles, plan.radius, plan.smoothing);
    this.obstacles = plan.obstacles;
    this.solids = this.pack(plan.obstacles);
  }

  /**
   * The state itself, not a copy: packed arrays by id, for all ids below `end`. `densities` come from the last step
   * or `measure`; a step computes them before its last corrections. Positions of unused ids are NaN. Between two steps
   * you may change velocities and move particles within the world.
   */
  get buffers(): Readonly<Record<'positions' | 'velocities' | 'densities', Float32Array>> {
    return { ...this.particles.buffers, densities: this.twin.densities.subarray(0, this.end) };
  }

  /** Bytes of all arrays, except that of obstacles. */
  get memoryBytes(): number {
    return this.particles.memoryBytes + this.twin.memoryBytes;
  }

  /** Changes settings of later steps. */
  set(settings: Partial<PositionFluidSettings>): void {
    this.particles.checkAlive();
    this.currentSettings = changeSettings(settings, this.currentSettings, this.dimensions);
  }

  /** Replaces all obstacles by at most 1,024 others. */
  setObstacles(obstacles: readonly ObstacleOptions[]): void {
    this.particles.checkAlive();
    this.obstacles = checkObstacles('obstacles', obstacles, this.dimensions);
    this.solids = this.pack(this.obstacles);
  }

  /** Adds particles. Returns their ids: the lowest free ids, ascending. */
  add(particles: PlacedParticles): Uint32Array {
    const ids = this.particles.add(particles);
    for (const id of ids) this.twin.densities[id] = 0;
    return ids;
  }

  /** Advances by `dt` seconds, 10⁻⁶ to 1. */
  step(dt: number): void {
    this.particles.checkAlive();
    checkTimeStep(dt);
    this.twin.step({ settings: this.currentSettings, solids: this.solids, dt });
    this.elapsed += dt;
  }

  /** Returns a copy of the state, in the order of ids. */
  read(): PositionFluidState {
    return this.particles.read();
  }

  /** Returns current densities as shares of the rest density. Sorts once more and changes no particle. */
  measure(): FluidMeasures {
    const { ids } = this.read();
    this.particles.sort();
    this.twin.measure(this.particles.buffers.positions, {
      settings: this.currentSettings,
      solids: this.solids,
    });
    return measuresOf(Float32Array.from(ids, (id) => this.twin.densities[id] as number));
  }

  /** Returns plain data from which a fluid continues with the same bits. */
  checkpoint(): PositionFluidCheckpoint {
    const { elapsed: time, currentSettings: settings, obstacles } = this;
    const { radius, density } = this.plan;
    return { time, radius, density, settings, obstacles, ...this.particles.checkpoint() };
  }

  /** Continues from a checkpoint, which may come from a `PositionFluid`. */
  restore(checkpoint: PositionFluidCheckpoint): void {
    this.particles.checkAlive();
    const { settings, obstacles } = checkFluidCheckpoint(checkpoint, this.plan);
    this.particles.restore(checkpoint);
    this.twin.densities.fill(0);
    this.currentSettings = settings;
    this.obstacles = obstacles;
    this.solids = this.pack(obstacles);
    this.elapsed = checkpoint.time;
  }

  /** Releases the memory. Later calls throw. */
  destroy(): void {
    this.particles.destroy();
  }

  private pack(obstacles: readonly Obstacle[]): Float32Array {
    return packObstacles(obstacles, this.dimensions, this.plan.radius);
  }
}
