/** Particle life on the CPU, single-threaded. */

import { ParticleMethod } from '../../core/simulation/placed-method';
import { type CpuGridParticles, createCpuGridParticles } from '../../cpu/grid/grid-particles';
import {
  changeSettings,
  checkLifeCheckpoint,
  checkNew,
  type LifeCheckpoint,
  type LifeOptions,
  type LifePlan,
  type LifeSettings,
  type LifeState,
  type NewLife,
  planLife,
} from './life-options';
import { checkTimeStep } from './options';
import { LifeTwin } from './reference/life';

/**
 * Creates particle life on the CPU, for Node and for pages without WebGPU. It takes the options of `createLife`.
 *
 * @example
 * ```ts
 * const positions = Float32Array.from({ length: 2000 }, () => 20 * Math.random());
 * const species = Uint8Array.from({ length: 1000 }, (_, id) => id % 2);
 * const attraction = [[0.5, -0.2], [0.8, 0.1]];
 * const options = { min: [0, 0], max: [20, 20], reach: 1, positions, species, attraction };
 * const life = createCpuLife({ dimensions: 2, ...options });
 * life.step(1 / 60);
 * ```
 */
export function createCpuLife(options: LifeOptions): CpuLife {
  const plan = planLife(options);
  return new CpuLife(plan, createCpuGridParticles(plan.placed));
}

/** Particle life on the CPU. It has the methods of `Life` except `encode`. Its methods return values, not promises. */
export class CpuLife extends ParticleMethod<CpuGridParticles, LifeSettings> {
  /** Always 'cpu'. */
  readonly backend = 'cpu';
  /** Number of species. */
  readonly kinds: number;
  private readonly twin: LifeTwin;
  private readonly species: Uint32Array;

  /** Use createCpuLife, which checks its arguments. @hideconstructor */
  constructor(
    private readonly plan: LifePlan,
    particles: CpuGridParticles,
  ) {
    super(particles, plan.settings);
    this.kinds = plan.kinds;
    this.twin = new LifeTwin(particles);
    this.species = new Uint32Array(particles.capacity);
    this.species.set(plan.species);
  }

  /**
   * The state itself, not a copy: packed arrays by id, for all ids below `end`. Positions of unused ids are NaN.
   * Between two steps you may change velocities and move particles within the world.
   */
  get buffers(): Readonly<Record<'positions' | 'velocities', Float32Array>> & {
    /** The species of each particle, by id. */
    readonly species: Uint32Array;
  } {
    return { ...this.particles.buffers, species: this.species.subarray(0, this.end) };
  }

  /** Bytes of all arrays. */
  get memoryBytes(): number {
    return this.particles.memoryBytes + this.twin.memoryBytes + this.species.byteLength;
  }

  /** Changes settings of later steps. */
  set(settings: Partial<LifeSettings>): void {
    this.particles.checkAlive();
    this.currentSettings = changeSettings(settings, this.currentSettings);
  }

  /** Adds particles. Returns their ids: the lowest free ids, ascending. */
  add(given: NewLife): Uint32Array {
    this.particles.checkAlive();
    const { placed, species } = checkNew(given, this.dimensions, this.kinds);
    const ids = this.particles.add(placed);
    this.write(ids, species);
    return ids;
  }

  /** Advances by `dt` seconds, 0 to 1. */
  step(dt: number): void {
    this.particles.checkAlive();
    checkTimeStep(dt);
    const { attraction, ...numbers } = this.currentSettings;
    const { reach, kinds } = this.plan;
    this.twin.step(this.species, { ...numbers, reach, kinds, dt, attraction: attraction.flat() });
    this.elapsed += dt;
  }

  /** Returns a copy of the state, in the order of ids. */
  read(): LifeState {
    const state = this.particles.read();
    return { ...state, species: state.ids.map((id) => this.species[id] as number) };
  }

  /** Returns plain data from which particle life continues with the same bits. */
  checkpoint(): LifeCheckpoint {
    const described = { time: this.elapsed, reach: this.plan.reach, settings: this.currentSettings };
    return { ...this.particles.checkpoint(), ...described, species: this.read().species };
  }

  /** Continues from a checkpoint, which may come from a `Life`. */
  restore(checkpoint: LifeCheckpoint): void {
    this.particles.checkAlive();
    const { species, settings } = checkLifeCheckpoint(checkpoint, this.plan);
    this.particles.restore(checkpoint);
    this.write(checkpoint.ids, species);
    this.currentSettings = settings;
    this.elapsed = checkpoint.time;
  }

  /** Releases the memory. Later calls throw. */
  destroy(): void {
    this.particles.destroy();
  }

  private write(ids: Uint32Array, species: Uint32Array): void {
    ids.forEach((id, index) => {
      this.species[id] = species[index] as number;
    });
  }
}
