/** The base class of the page's methods, and helpers to measure and time them. */
import { StateHash } from '../../../core/state/hash';
import type { Dimensions, NewParticles, ParticleArrays, StageTimes } from '../../../index';
import type { MethodMeasures } from '../../model/simulation-view';

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

  /** Does nothing: the scene sets its own obstacles. */
  setObstacles(): void {}

  read(): Promise<ParticleArrays> | ParticleArrays {
    return this.running.read();
  }

  destroy(): void {
    this.running.destroy();
  }
}

/** Leaves out undefined values, which the types of `set` do not allow. */
export function definedOf<Values extends object>(
  values: Values,
): { readonly [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Values;
}

/** Returns a buffer with the ids 0, 1, 2, … for methods whose buffers are indexed by id. */
export function createIds(device: GPUDevice, label: string, capacity: number): GPUBuffer {
  const ids = device.createBuffer({
    label,
    size: Math.max(4, 4 * capacity),
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
  });
  device.queue.writeBuffer(
    ids,
    0,
    Uint32Array.from({ length: capacity }, (_, id) => id),
  );
  return ids;
}

export async function timeOnGpu(device: GPUDevice, step: () => void): Promise<StageTimes> {
  await device.queue.onSubmittedWorkDone();
  const began = performance.now();
  step();
  await device.queue.onSubmittedWorkDone();
  return { source: 'wall-clock', stages: {}, total: performance.now() - began };
}

export function timeOnCpu(step: () => void): StageTimes {
  const began = performance.now();
  step();
  return { source: 'wall-clock', stages: {}, total: performance.now() - began };
}

export interface MotionMeasures extends Omit<MethodMeasures, 'figures'> {
  readonly meanSpeed: number;
  /** Length of the mean direction: 1 if all directions are the same. */
  readonly order: number;
  /** Speed of the centre of mass. */
  readonly drift: number;
}

/** Measures particles of mass 1. */
export function measureMotion(
  dimensions: Dimensions,
  { ids, positions, velocities }: ParticleArrays,
): MotionMeasures {
  const hash = new StateHash();
  const words = new Uint32Array(2 * dimensions);
  const floats = new Float32Array(words.buffer);
  const heading = new Float64Array(dimensions);
  const momentum = new Float64Array(dimensions);
  let speeds = 0;
  let squares = 0;
  ids.forEach((id, index) => {
    const first = dimensions * index;
    const velocity = velocities.subarray(first, first + dimensions);
    floats.set(positions.subarray(first, first + dimensions));
    floats.set(velocity, dimensions);
    hash.addParticle(id, words);
    const speed = Math.sqrt(velocity.reduce((sum, along) => sum + along * along, 0));
    speeds += speed;
    squares += speed * speed;
    velocity.forEach((along, axis) => {
      momentum[axis] = (momentum[axis] as number) + along;
      if (speed > 0) heading[axis] = (heading[axis] as number) + along / speed;
    });
  });
  const count = ids.length;
  const each = Math.max(1, count);
  return {
    count,
    kineticEnergy: squares / 2,
    hash: hash.toString(),
    meanSpeed: speeds / each,
    order: Math.hypot(...heading) / each,
    drift: Math.hypot(...momentum) / each,
  };
}
