/** Base of the page's fluids and flocks. */
import type { Dimensions, NewParticles, ParticleArrays } from '../../../index';

interface Method<Backend> {
  readonly backend: Backend;
  readonly capacity: number;
  readonly count: number;
  readonly time: number;
  add(particles: NewParticles): Uint32Array;
  remove(ids: Uint32Array | readonly number[]): void;
  read(): Promise<ParticleArrays> | ParticleArrays;
  destroy(): void;
}

export abstract class MethodSimulation<Backend extends 'gpu' | 'cpu'> {
  readonly radiusRange = undefined;
  readonly warnings: readonly string[] = [];
  readonly boxes = false;
  abstract readonly obstacleCount: number;

  constructor(
    private readonly running: Method<Backend>,
    readonly dimensions: Dimensions,
    /** Radius of a drawn particle. */
    readonly radius: number,
  ) {}

  get backend(): Backend {
    return this.running.backend;
  }

  get capacity(): number {
    return this.running.capacity;
  }

  get count(): number {
    return this.running.count;
  }

  get time(): number {
    return this.running.time;
  }

  add({ positions, velocities }: NewParticles): Uint32Array {
    return this.running.add({ positions, velocities });
  }

  remove(ids: Uint32Array | readonly number[]): void {
    this.running.remove(ids);
  }

  get obstacleCapacity(): number {
    return this.obstacleCount;
  }

  /** Does nothing, because the scene sets its own obstacles. */
  setObstacles(): void {}

  read(): Promise<ParticleArrays> | ParticleArrays {
    return this.running.read();
  }

  destroy(): void {
    this.running.destroy();
  }
}
