/** Checks the options and particles of GridParticles and CpuGridParticles. */
import { checkDimensions, checkInteger, checkKnownKeys, checkPacked, refuseLongStep } from '../base/checks';
import { ArgumentError, describeCount, Phrase } from '../base/errors';
import { checkInside } from '../world/bounds';
import { defineWorld, GREATEST_SPEED, WORLD_NAMES, type World, type WorldOptions } from '../world/world';
import type { IdAllocator } from './ids';
import { MAX_PARTICLES } from './ids';

/** Options of particles that your own code moves. */
export interface PlacedOptions extends WorldOptions {
  /** Particles that are nearer to each other than this are neighbours. From 2^-40 to 2^60. */
  readonly diameter: number;
  /**
   * `dimensions` numbers per particle, inside the box unless the world is unbounded. The array is copied. The
   * particles' ids are 0, 1, 2 …
   */
  readonly positions: Float32Array;
  /** Velocities in the form of `positions`. Default: all 0. */
  readonly velocities?: Float32Array | undefined;
  /** The greatest number of particles. Memory is reserved for all of them. Default: the number in `positions`. */
  readonly capacity?: number | undefined;
}

export const PLACED_OPTION_NAMES = [
  'dimensions',
  'diameter',
  ...WORLD_NAMES,
  'capacity',
  'positions',
  'velocities',
] as const satisfies readonly (keyof PlacedOptions)[];

/** Particles to add. */
export type PlacedParticles = Pick<PlacedOptions, 'positions' | 'velocities'>;

/** The current particles, sorted by id. */
export interface PlacedArrays {
  /** Ids, ascending. */
  readonly ids: Uint32Array;
  /** `dimensions` numbers per particle. */
  readonly positions: Float32Array;
  /** `dimensions` numbers per particle. */
  readonly velocities: Float32Array;
}

export interface PlacedPlan {
  readonly world: World;
  readonly capacity: number;
  readonly count: number;
}

export function planPlaced(options: PlacedOptions): PlacedPlan {
  const { dimensions, positions, velocities, diameter } = options;
  checkDimensions(dimensions);
  const count = positions instanceof Float32Array ? Math.ceil(positions.length / dimensions) : 0;
  checkPacked('positions', positions, count, dimensions);
  if (velocities !== undefined) {
    checkPacked('velocities', velocities, count, dimensions, GREATEST_SPEED);
  }
  const { capacity = count } = options;
  checkInteger('capacity', capacity, 0, MAX_PARTICLES);
  if (count > capacity) {
    const accepted = `at most ${describeCount(capacity)} (the capacity)`;
    throw new ArgumentError('positions', new Phrase(describeCount(count)), accepted);
  }
  const world = defineWorld(options, diameter, capacity);
  checkInside(positions, world);
  return { world, capacity, count };
}

export function admitPlaced(ids: IdAllocator, world: World, particles: PlacedParticles): PlacedArrays {
  checkKnownKeys('particles', particles, ['positions', 'velocities']);
  if (particles.positions instanceof Float32Array) checkInside(particles.positions, world);
  const { dimensions } = world;
  return ids.admit({ dimensions, radiusRange: undefined, boxes: false }, particles);
}

/** The options that a method passes on to its particles; the method chooses the cells of its grid itself. */
export type MethodOptions = Omit<PlacedOptions, 'diameter' | 'cellSize' | 'crowds'>;

export const METHOD_OPTION_NAMES = [
  'dimensions',
  'min',
  'max',
  'periodic',
  'unbounded',
  'capacity',
  'positions',
  'velocities',
] as const satisfies readonly (keyof MethodOptions)[];

/** Returns the options of a method's particles. `diameter` is the distance up to which neighbours are found. */
export function placedOf(options: MethodOptions, diameter: number): PlacedOptions {
  const { dimensions, min, max, periodic, unbounded, capacity, positions, velocities } = options;
  return { dimensions, min, max, periodic, unbounded, capacity, positions, velocities, diameter };
}

/** Rejects steps shorter than `low` or longer than 1 second. */
export function checkSeconds(dt: unknown, low: number): asserts dt is number {
  if (typeof dt !== 'number' || !(dt >= low && Number.isFinite(dt))) {
    throw new ArgumentError('dt', dt, `a number of seconds from ${low} to 1`);
  }
  refuseLongStep(dt);
}
