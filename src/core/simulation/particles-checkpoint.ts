/** The part of checkpoints that simulations and particle methods share. */
import { ArgumentError } from '../base/errors';
import type { Dimensions, World } from '../world/world';

/** The shared part of a checkpoint: plain data, safe to copy and to store. */
export interface ParticlesCheckpoint {
  /** Version of the format. */
  readonly version: 1;
  /** 2 or 3. */
  readonly dimensions: Dimensions;
  /** Low corner of the box. In an unbounded world, the lowest finite 32-bit float along each axis. */
  readonly min: readonly number[];
  /** High corner of the box. In an unbounded world, the greatest finite 32-bit float along each axis. */
  readonly max: readonly number[];
  /** Length of the box along periodic axes, 0 along others; left out if no axis is periodic. */
  readonly period?: readonly number[] | undefined;
  /** True in an unbounded world, otherwise left out. */
  readonly unbounded?: true | undefined;
  /** Ids of the particles, ascending. */
  readonly ids: Uint32Array;
  /** `dimensions` numbers per particle. */
  readonly positions: Float32Array;
  /** `dimensions` numbers per particle, in length / s. */
  readonly velocities: Float32Array;
}

export function describeWorld(
  world: World,
): Pick<ParticlesCheckpoint, 'min' | 'max' | 'period' | 'unbounded'> {
  const { kind, min, max, period } = world;
  if (kind === 'unbounded') return { min, max, unbounded: true };
  return { min, max, ...(kind === 'periodic' ? { period } : {}) };
}

/** Throws unless the version is 1. A value without a version may be a Promise that the user forgot to await. */
export function checkVersion(checkpoint: { readonly version: 1 } | undefined): void {
  const version = checkpoint?.version;
  if (version === undefined) {
    const accepted = 'a checkpoint with its version, such as the result of `await simulation.checkpoint()`';
    throw new ArgumentError('checkpoint', checkpoint, accepted);
  }
  if (version !== 1) throw new ArgumentError('checkpoint.version', version, '1');
}

export function checkSameKind(
  checkpoint: Pick<ParticlesCheckpoint, 'version' | 'dimensions'>,
  dimensions: Dimensions,
): void {
  checkVersion(checkpoint);
  if (checkpoint.dimensions !== dimensions) {
    const accepted = `${dimensions}, like this simulation`;
    throw new ArgumentError('checkpoint.dimensions', checkpoint.dimensions, accepted);
  }
}

export function checkSameWorld(
  checkpoint: Pick<ParticlesCheckpoint, 'min' | 'max' | 'period' | 'unbounded'>,
  world: World,
): void {
  // Compare `unbounded` first: a message about the corners of an unbounded world would not help.
  const unbounded = world.kind === 'unbounded';
  if ((checkpoint.unbounded ?? false) !== unbounded) {
    const accepted = unbounded
      ? "true, like this simulation's world"
      : "left out, since this simulation's world is a box";
    throw new ArgumentError('checkpoint.unbounded', checkpoint.unbounded, accepted);
  }
  for (const corner of ['min', 'max'] as const) {
    const given = checkpoint[corner];
    if (!Array.isArray(given) || world[corner].some((value, axis) => value !== given[axis])) {
      const accepted = `[${world[corner].join(', ')}], like this simulation's box`;
      throw new ArgumentError(`checkpoint.${corner}`, given, accepted);
    }
  }
  const period = checkpoint.period ?? world.period.map(() => 0);
  if (!Array.isArray(period) || world.period.some((value, axis) => value !== period[axis])) {
    const accepted = `[${world.period.join(', ')}], like this simulation's box`;
    throw new ArgumentError('checkpoint.period', period, accepted);
  }
}

/** Returns the number of particles. A velocity must be finite if the particle's position is. */
export function checkCheckpointParticles(
  checkpoint: Pick<ParticlesCheckpoint, 'ids' | 'positions' | 'velocities'>,
  dimensions: Dimensions,
  capacity: number,
): number {
  if (!(checkpoint.ids instanceof Uint32Array)) {
    throw new ArgumentError('checkpoint.ids', checkpoint.ids, 'a Uint32Array');
  }
  const count = checkpoint.ids.length;
  if (count > capacity) {
    const accepted = `at most ${capacity}, the capacity: use a capacity of at least ${count}`;
    throw new ArgumentError('checkpoint.ids.length', count, accepted);
  }
  for (let index = 0; index < count; index++) {
    const id = checkpoint.ids[index] as number;
    const previous = index === 0 ? -1 : (checkpoint.ids[index - 1] as number);
    if (id <= previous || id >= capacity) {
      const accepted = `above ${previous} and below the capacity, ${capacity}`;
      throw new ArgumentError(`checkpoint.ids[${index}]`, id, accepted);
    }
  }
  for (const name of ['positions', 'velocities'] as const) {
    const vectors = checkpoint[name];
    if (!(vectors instanceof Float32Array) || vectors.length !== count * dimensions) {
      const accepted = `a Float32Array of ${count * dimensions} numbers`;
      throw new ArgumentError(`checkpoint.${name}`, vectors, accepted);
    }
  }
  const { positions, velocities } = checkpoint;
  for (let index = 0; index < velocities.length; index++) {
    if (Number.isFinite(velocities[index]) || isNonFinite(positions, index, dimensions)) continue;
    const accepted = 'a finite number, since the position of its particle is finite';
    throw new ArgumentError(`checkpoint.velocities[${index}]`, velocities[index], accepted);
  }
  return count;
}

function isNonFinite(positions: Float32Array, index: number, dimensions: Dimensions): boolean {
  const first = index - (index % dimensions);
  return positions.subarray(first, first + dimensions).some((component) => !Number.isFinite(component));
}
