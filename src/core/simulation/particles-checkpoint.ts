/**
 * Purpose: what checkpoints of all that holds particles have in common: who there is and where, and of which world. Inputs:
 * a checkpoint from anywhere. Output: an error that names what does not fit, before anything changes.
 */
import { ArgumentError } from '../base/errors';
import type { Dimensions, World } from '../world/world';

/** Plain data, safe to copy and to store. */
export interface ParticlesCheckpoint {
  readonly version: 1;
  readonly dimensions: Dimensions;
  /** Corners of the box; of an unbounded world, all that 32-bit floats can say. */
  readonly min: readonly number[];
  readonly max: readonly number[];
  /** Length of the box along axes that wrap around, 0 along others; left out where there are none. */
  readonly period?: readonly number[] | undefined;
  /** Left out where the world is a box. */
  readonly unbounded?: true | undefined;
  /** Ascending. */
  readonly ids: Uint32Array;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
}

/** What a checkpoint says of a world: enough to know it again. */
export function describeWorld(
  world: World,
): Pick<ParticlesCheckpoint, 'min' | 'max' | 'period' | 'unbounded'> {
  const { kind, min, max, period } = world;
  if (kind === 'unbounded') return { min, max, unbounded: true };
  return { min, max, ...(kind === 'periodic' ? { period } : {}) };
}

export function checkSameKind(
  checkpoint: Pick<ParticlesCheckpoint, 'version' | 'dimensions'>,
  dimensions: Dimensions,
): void {
  if (checkpoint?.version !== 1) throw new ArgumentError('checkpoint.version', checkpoint?.version, '1');
  if (checkpoint.dimensions !== dimensions) {
    const accepted = `${dimensions}, like this simulation`;
    throw new ArgumentError('checkpoint.dimensions', checkpoint.dimensions, accepted);
  }
}

export function checkSameWorld(
  checkpoint: Pick<ParticlesCheckpoint, 'min' | 'max' | 'period' | 'unbounded'>,
  world: World,
): void {
  // First: the corners of an unbounded world would not tell anybody what is wrong.
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

/** Ids that ascend below the capacity, and a position and a velocity for each; how many there are. */
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
    throw new ArgumentError('checkpoint.ids.length', count, `at most ${capacity}, the capacity`);
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
    if (Number.isFinite(velocities[index]) || isSetAside(positions, index, dimensions)) continue;
    const accepted = 'a finite number, as the position of its particle is finite';
    throw new ArgumentError(`checkpoint.velocities[${index}]`, velocities[index], accepted);
  }
  return count;
}

/** Whether the particle that a component belongs to has a position that is not finite. */
function isSetAside(positions: Float32Array, index: number, dimensions: Dimensions): boolean {
  const first = index - (index % dimensions);
  return positions.subarray(first, first + dimensions).some((component) => !Number.isFinite(component));
}
