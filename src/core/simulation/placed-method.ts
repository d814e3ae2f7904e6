/**
 * Base class of methods that move the particles of a GridParticles or CpuGridParticles. A subclass must add the time of
 * each step to `elapsed`.
 */
import type { Dimensions, World } from '../world/world';

interface Placed {
  readonly dimensions: Dimensions;
  readonly grid: { readonly world: World };
  readonly capacity: number;
  readonly count: number;
  readonly end: number;
  remove(ids: Uint32Array | readonly number[]): void;
}

export abstract class ParticleMethod<Particles extends Placed, Settings> {
  protected elapsed = 0;

  constructor(
    protected readonly particles: Particles,
    protected currentSettings: Settings,
  ) {}

  /** 2 or 3. */
  get dimensions(): Dimensions {
    return this.particles.dimensions;
  }

  /** The world and its cells. */
  get world(): World {
    return this.particles.grid.world;
  }

  /** Greatest number of particles. */
  get capacity(): number {
    return this.particles.capacity;
  }

  /** Number of living particles. */
  get count(): number {
    return this.particles.count;
  }

  /** One more than the greatest living id, or 0. Buffers that are indexed by id hold particles below this index. */
  get end(): number {
    return this.particles.end;
  }

  /** Simulated seconds. Steps that are recorded but not submitted yet count too. */
  get time(): number {
    return this.elapsed;
  }

  /** The current settings. */
  get settings(): Settings {
    return this.currentSettings;
  }

  /** Removes particles. Their ids become free; no other id changes. */
  remove(ids: Uint32Array | readonly number[]): void {
    this.particles.remove(ids);
  }
}
