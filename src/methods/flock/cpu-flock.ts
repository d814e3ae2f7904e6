/**
 * Boids on the CPU, single-threaded, for Node and for pages without WebGPU. CpuFlock has the methods of Flock except
 * `encode`; its methods return values instead of promises.
 *
 *     const flock = createCpuFlock({ dimensions: 2, min, max, periodic: true, perception: 1, positions });
 *     flock.step(1 / 60);
 *
 * createCpuFlock takes the options of createFlock.
 */

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

export function createCpuFlock(options: FlockOptions): CpuFlock {
  const plan = planFlock(options);
  return new CpuFlock(plan, createCpuGridParticles(plan.placed));
}

export class CpuFlock extends ParticleMethod<CpuGridParticles, FlockSettings> {
  readonly backend = 'cpu';
  private readonly boids: Boids;
  private readonly hunters: Float32Array;
  private readonly hunterVelocities: Float32Array;
  private obstacles: Float32Array;

  /** Use createCpuFlock, which checks its arguments. */
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
   * The state itself, not a copy. `positions` and `velocities` are packed and belong to the boids, for all ids below
   * `end`; positions of unused ids are NaN. `hunters` holds the hunters' positions. Between two steps you may change
   * velocities, and may move boids to other positions within the world.
   */
  get buffers(): Readonly<Record<'positions' | 'velocities' | 'hunters', Float32Array>> {
    return { ...this.particles.buffers, hunters: this.hunters };
  }

  get memoryBytes(): number {
    return this.particles.memoryBytes + this.boids.memoryBytes;
  }

  set(settings: Partial<FlockSettings>): void {
    this.particles.checkAlive();
    this.currentSettings = changeSettings(settings, this.currentSettings);
  }

  /** Moves all hunters to new packed positions. Hunters keep their velocities. */
  placeHunters(positions: Float32Array): void {
    this.particles.checkAlive();
    checkPacked('positions', positions, this.hunters.length / this.dimensions, this.dimensions, 2 ** 48);
    this.hunters.set(positions);
  }

  /** Replaces all obstacles by at most 1,024 others. */
  setObstacles(obstacles: Float32Array): void {
    this.particles.checkAlive();
    checkObstacles('obstacles', obstacles, this.dimensions);
    this.obstacles = obstacles.slice();
  }

  /** Adds boids. Returns their ids: the lowest free ids, ascending. */
  add(boids: PlacedParticles): Uint32Array {
    return this.particles.add(boids);
  }

  step(dt: number): void {
    this.particles.checkAlive();
    checkTimeStep(dt);
    const { perception, fear } = this.plan;
    const hunters = { positions: this.hunters, velocities: this.hunterVelocities };
    this.boids.step(hunters, this.obstacles, { ...this.currentSettings, perception, fear, dt });
    this.elapsed += dt;
  }

  read(): FlockState {
    return { ...this.particles.read(), hunters: this.hunters.slice() };
  }

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

  /** Continues from a checkpoint, which may come from a Flock. */
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

  destroy(): void {
    this.particles.destroy();
  }
}
