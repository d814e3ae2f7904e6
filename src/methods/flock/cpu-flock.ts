/** Boids on the CPU, single-threaded. */

import { checkPacked } from '../../core/base/checks';
import type { PlacedParticles } from '../../core/simulation/placed';
import { ParticleMethod } from '../../core/simulation/placed-method';
import { type CpuGridParticles, createCpuGridParticles } from '../../cpu/grid/grid-particles';
import {
  changeSettings,
  checkFlockCheckpoint,
  checkObstacles,
  checkTimeStep,
  type FlockCheckpoint,
  type FlockOptions,
  type FlockPlan,
  type FlockSettings,
  type FlockState,
  planFlock,
} from './options';
import { Boids } from './reference/boids';

/**
 * Creates a flock on the CPU, for Node and for pages without WebGPU. It takes the options of `createFlock`.
 *
 * @example
 * ```ts
 * const positions = Float32Array.from({ length: 2000 }, () => 20 * Math.random());
 * const flock = createCpuFlock({ dimensions: 2, min: [0, 0], max: [20, 20], perception: 1, positions });
 * flock.step(1 / 60);
 * const { velocities } = flock.read();
 * ```
 */
export function createCpuFlock(options: FlockOptions): CpuFlock {
  const plan = planFlock(options);
  return new CpuFlock(plan, createCpuGridParticles(plan.placed));
}

/** A flock on the CPU. It has the methods of `Flock` except `encode`. Its methods return values, not promises. */
export class CpuFlock extends ParticleMethod<CpuGridParticles, FlockSettings> {
  /** Always 'cpu'. */
  readonly backend = 'cpu';
  private readonly boids: Boids;
  private readonly hunters: Float32Array;
  private readonly hunterVelocities: Float32Array;
  private obstacles: Float32Array;

  /** Use createCpuFlock, which checks its arguments. @hideconstructor */
  constructor(
    private readonly plan: FlockPlan,
    particles: CpuGridParticles,
  ) {
    super(particles, plan.settings);
    this.boids = new Boids(particles);
    this.hunters = plan.hunters.slice();
    this.hunterVelocities = new Float32Array(plan.hunters.length);
    this.obstacles = plan.obstacles.slice();
  }

  /**
   * The state itself, not a copy. `positions` and `velocities` of the boids are packed arrays by id, for all ids below
   * `end`. Positions of unused ids are NaN. `hunters` has the packed positions of the hunters. Between two steps you
   * may change velocities and move boids within the world.
   */
  get buffers(): Readonly<Record<'positions' | 'velocities' | 'hunters', Float32Array>> {
    return { ...this.particles.buffers, hunters: this.hunters };
  }

  /** Bytes of all arrays, except those of hunters and obstacles. */
  get memoryBytes(): number {
    return this.particles.memoryBytes + this.boids.memoryBytes;
  }

  /** Changes settings of later steps. */
  set(settings: Partial<FlockSettings>): void {
    this.particles.checkAlive();
    this.currentSettings = changeSettings(settings, this.currentSettings);
  }

  /** Moves all hunters to the given positions, which are packed. Hunters keep their velocities. */
  placeHunters(positions: Float32Array): void {
    this.particles.checkAlive();
    checkPacked('positions', positions, this.hunters.length / this.dimensions, this.dimensions, 2 ** 48);
    this.hunters.set(positions);
  }

  /** Replaces all obstacles by at most 1,024 others: balls, packed as the centre of each, followed by its radius. */
  setObstacles(obstacles: Float32Array): void {
    this.particles.checkAlive();
    checkObstacles('obstacles', obstacles, this.dimensions);
    this.obstacles = obstacles.slice();
  }

  /** Adds boids. Returns their ids: the lowest free ids, ascending. */
  add(boids: PlacedParticles): Uint32Array {
    return this.particles.add(boids);
  }

  /** Advances by `dt` seconds, 0 to 1. */
  step(dt: number): void {
    this.particles.checkAlive();
    checkTimeStep(dt);
    const { perception, fear } = this.plan;
    const hunters = { positions: this.hunters, velocities: this.hunterVelocities };
    this.boids.step(hunters, this.obstacles, { ...this.currentSettings, perception, fear, dt });
    this.elapsed += dt;
  }

  /** Returns a copy of the state, in the order of ids. */
  read(): FlockState {
    return { ...this.particles.read(), hunters: this.hunters.slice() };
  }

  /** Returns plain data from which a flock continues with the same bits. */
  checkpoint(): FlockCheckpoint {
    const { perception, fear } = this.plan;
    return {
      ...this.particles.checkpoint(),
      ...{ time: this.elapsed, perception, fear, settings: this.currentSettings },
      hunters: this.hunters.slice(),
      hunterVelocities: this.hunterVelocities.slice(),
      obstacles: this.obstacles.slice(),
    };
  }

  /** Continues from a checkpoint, which may come from a `Flock`. */
  restore(checkpoint: FlockCheckpoint): void {
    const hunters = this.hunters.length / this.dimensions;
    this.particles.checkAlive();
    const settings = checkFlockCheckpoint(checkpoint, this.plan, { dimensions: this.dimensions, hunters });
    this.particles.restore(checkpoint);
    this.hunters.set(checkpoint.hunters);
    this.hunterVelocities.set(checkpoint.hunterVelocities);
    this.obstacles = checkpoint.obstacles.slice();
    this.currentSettings = settings;
    this.elapsed = checkpoint.time;
  }

  /** Releases the memory. Later calls throw. */
  destroy(): void {
    this.particles.destroy();
  }
}
