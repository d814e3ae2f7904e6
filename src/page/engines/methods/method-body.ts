/**
 * Purpose: what a method shows the page alike, be it a liquid or a flock: particles of one radius, by id, whose other bodies are
 * the scene's. Inputs: the method, on the GPU or on the CPU. Outputs: what `Body` asks of both.
 */
import type { NewParticles, ParticleArrays } from '../../../core/simulation/simulation';
import type { Dimensions } from '../../../core/world/world';

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

export abstract class MethodBody<Backend extends 'gpu' | 'cpu'> {
  readonly radiusRange = undefined;
  readonly boxes = false;
  abstract readonly obstacleCount: number;

  constructor(
    private readonly running: Method<Backend>,
    readonly dimensions: Dimensions,
    /** So large particles are drawn. */
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

  /** They are the scene's. */
  setObstacles(): void {}

  read(): Promise<ParticleArrays> | ParticleArrays {
    return this.running.read();
  }

  destroy(): void {
    this.running.destroy();
  }
}
