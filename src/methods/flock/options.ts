/** Types and checks of a flock, for both engines. */
import {
  checkDimensions,
  checkFinite,
  checkKnownKeys,
  checkPacked,
  checkRange,
  checkVector,
} from '../../core/base/checks';
import { ArgumentError } from '../../core/base/errors';
import { type NumberRanges, resolveNumbers } from '../../core/base/numbers';
import { checkVersion, type ParticlesCheckpoint } from '../../core/simulation/particles-checkpoint';
import {
  checkSeconds,
  METHOD_OPTION_NAMES,
  type MethodOptions,
  type PlacedArrays,
  type PlacedOptions,
  placedOf,
} from '../../core/simulation/placed';
import type { Dimensions } from '../../core/world/world';

/** The settings, which `set` can change while the flock runs. Lengths are in your unit. */
export interface FlockSettings {
  /** Boids nearer than this turn away from each other. Default: half of `perception`. */
  readonly spacing: number;
  /** Acceleration of two boids away from each other at distance 0, length / s². Default: 20 × `perception`. */
  readonly separation: number;
  /** Rate at which a boid's velocity approaches the mean velocity of its neighbours, 1 / s. Default: 5. */
  readonly alignment: number;
  /** Pull towards the middle of the neighbours, 1 / s². Default: 4. */
  readonly cohesion: number;
  /**
   * Acceleration away from an obstacle or a wall at distance 0, length / s². It falls to 0 at the distance
   * `perception`. Default: 20 × `perception`.
   */
  readonly avoidance: number;
  /**
   * Acceleration away from a hunter at distance 0, length / s². It falls to 0 at the distance `fear`. Default: 40 ×
   * `perception`.
   */
  readonly flight: number;
  /** Least speed of a boid, length / s. Default: `perception`. */
  readonly slowest: number;
  /** Greatest speed of a boid, length / s. Default: 4 × `perception`. */
  readonly fastest: number;
  /** Greatest acceleration of a boid or a hunter, length / s². Default: 15 × `perception`. */
  readonly greatestAcceleration: number;
  /** Pull of a hunter towards the middle of the boids within `fear`, 1 / s². Default: 8. */
  readonly hunting: number;
  /** Greatest speed of hunters, length / s. Default: 5 × `perception`. */
  readonly hunterSpeed: number;
}

/** Options of `createFlock` and `createCpuFlock`. */
export interface FlockOptions extends Partial<FlockSettings>, MethodOptions {
  /** Distance up to which boids see each other, 10⁻⁶ to 10⁶. */
  readonly perception: number;
  /**
   * Packed velocities, length / s. Default: all 0. A boid with velocity 0 that nothing pushes starts along x, with the
   * speed `slowest`.
   */
  readonly velocities?: Float32Array | undefined;
  /** Balls to avoid, at most 1,024, packed: the centre of each, followed by its radius. Default: none. */
  readonly obstacles?: Float32Array | undefined;
  /** Packed initial positions of hunters, at most 1,024. Default: none. */
  readonly hunters?: Float32Array | undefined;
  /** Distance up to which boids see hunters, and hunters see boids, 10⁻⁶ to 10⁶. Default: 3 × `perception`. */
  readonly fear?: number | undefined;
}

/** The current boids, sorted by id, and the hunters. */
export interface FlockState extends PlacedArrays {
  /** Packed positions of hunters. */
  readonly hunters: Float32Array;
}

/**
 * Plain data from which a flock with the same world, perception, fear and number of hunters continues with the same
 * bits.
 */
export interface FlockCheckpoint extends ParticlesCheckpoint, FlockState {
  /** Simulated seconds. */
  readonly time: number;
  /** The perception, as in the options. */
  readonly perception: number;
  /** The fear, as in the options. */
  readonly fear: number;
  /** The current settings. */
  readonly settings: FlockSettings;
  /** Packed velocities of hunters. */
  readonly hunterVelocities: Float32Array;
  /** Obstacles, packed as in the options. */
  readonly obstacles: Float32Array;
}

export const FLOCK_RANGES: NumberRanges<keyof FlockSettings> = {
  spacing: [1e-6, 1e6],
  separation: [0, 1e9],
  alignment: [0, 1e6],
  cohesion: [0, 1e6],
  avoidance: [0, 1e9],
  flight: [0, 1e9],
  slowest: [0, 1e6],
  fastest: [0, 1e6],
  greatestAcceleration: [0, 1e9],
  hunting: [0, 1e6],
  hunterSpeed: [0, 1e6],
};

const SETTING_NAMES = Object.keys(FLOCK_RANGES);

const OPTION_NAMES = [...METHOD_OPTION_NAMES, 'perception', 'obstacles', 'hunters', 'fear'];

/** Greatest number of hunters, and of obstacles. Every boid tests each of them, so larger numbers would be slow. */
export const MOST_SPHERES = 1024;

/** Returns the default settings. `perception`: 10⁻⁶ to 10⁶. */
export function flockSettings(perception: number): FlockSettings {
  checkRange('perception', perception, 1e-6, 1e6);
  return {
    spacing: perception / 2,
    separation: 20 * perception,
    alignment: 5,
    cohesion: 4,
    avoidance: 20 * perception,
    flight: 40 * perception,
    slowest: perception,
    fastest: 4 * perception,
    greatestAcceleration: 15 * perception,
    hunting: 8,
    hunterSpeed: 5 * perception,
  };
}

/** Checked options, except `placed`, which GridParticles or CpuGridParticles checks. */
export interface FlockPlan {
  readonly placed: PlacedOptions;
  readonly perception: number;
  readonly fear: number;
  readonly settings: FlockSettings;
  readonly hunters: Float32Array;
  readonly obstacles: Float32Array;
}

export function planFlock(options: FlockOptions): FlockPlan {
  checkKnownKeys('options', options, [...OPTION_NAMES, ...SETTING_NAMES]);
  const { dimensions, perception } = options;
  checkDimensions(dimensions);
  checkRange('perception', perception, 1e-6, 1e6);
  const { fear = 3 * perception, obstacles = new Float32Array(), hunters = new Float32Array() } = options;
  checkRange('fear', fear, 1e-6, 1e6);
  checkHunters('hunters', hunters, dimensions);
  if (hunters.length > 0) checkFear(fear, options);
  checkObstacles('obstacles', obstacles, dimensions);
  const settings = resolveSettings(options, flockSettings(perception));
  const placed = placedOf(options, perception);
  return { placed, perception, fear, settings, hunters, obstacles };
}

export function changeSettings(given: Partial<FlockSettings>, current: FlockSettings): FlockSettings {
  checkKnownKeys('settings', given, SETTING_NAMES);
  return resolveSettings(given, current);
}

export function checkTimeStep(dt: unknown): asserts dt is number {
  checkSeconds(dt, 0);
}

/** Checks a checkpoint. Call this before you change any state. */
export function checkFlockCheckpoint(
  checkpoint: FlockCheckpoint,
  { perception, fear }: Pick<FlockPlan, 'perception' | 'fear'>,
  { dimensions, hunters }: { readonly dimensions: Dimensions; readonly hunters: number },
): FlockSettings {
  checkVersion(checkpoint);
  for (const [name, expected] of Object.entries({ perception, fear })) {
    const given = checkpoint[name as 'perception' | 'fear'];
    if (given !== expected)
      throw new ArgumentError(`checkpoint.${name}`, given, `${expected}, like this flock`);
  }
  checkPacked('checkpoint.hunters', checkpoint.hunters, hunters, dimensions, 2 ** 48);
  checkPacked('checkpoint.hunterVelocities', checkpoint.hunterVelocities, hunters, dimensions, 2 ** 48);
  checkObstacles('checkpoint.obstacles', checkpoint.obstacles, dimensions);
  checkTime(checkpoint.time);
  checkKnownKeys('checkpoint.settings', checkpoint.settings, SETTING_NAMES);
  return resolveSettings(checkpoint.settings, flockSettings(perception));
}

export function checkTime(time: unknown): void {
  checkFinite('checkpoint.time', time);
  if (time < 0) throw new ArgumentError('checkpoint.time', time, '0 or more seconds');
}

function resolveSettings(given: Partial<FlockSettings>, current: FlockSettings): FlockSettings {
  const settings = resolveNumbers(given, current, FLOCK_RANGES);
  if (settings.slowest > settings.fastest) {
    throw new ArgumentError('slowest', settings.slowest, `at most ${settings.fastest}, the value of fastest`);
  }
  return settings;
}

/**
 * Checks `fear` against the world. Hunters search as far as `fear`, and no search may exceed half of the shortest
 * period.
 */
function checkFear(fear: number, { dimensions, min, max, periodic, unbounded }: FlockOptions): void {
  if (unbounded === true) return;
  checkVector('world.min', min, dimensions);
  checkVector('world.max', max, dimensions);
  const wraps = (axis: number) => (Array.isArray(periodic) ? periodic[axis] : periodic) === true;
  const periods = max.map((high, axis) =>
    wraps(axis) ? high - (min[axis] as number) : Number.POSITIVE_INFINITY,
  );
  const most = Math.min(...periods) / 2;
  if (fear > most) throw new ArgumentError('fear', fear, `at most ${most}, half of the shortest period`);
}

export function checkHunters(argument: string, hunters: unknown, dimensions: Dimensions): void {
  const count = checkSpheres(argument, hunters, dimensions);
  checkPacked(argument, hunters, count, dimensions, 2 ** 48);
}

export function checkObstacles(
  argument: string,
  obstacles: unknown,
  dimensions: Dimensions,
): asserts obstacles is Float32Array {
  const floats = dimensions + 1;
  checkSpheres(argument, obstacles, floats);
  (obstacles as Float32Array).forEach((value, index) => {
    const isRadius = index % floats === dimensions;
    const name = isRadius ? `${argument}[${index}] (a radius)` : `${argument}[${index}]`;
    checkRange(name, value, isRadius ? 0 : -1e9, 1e9);
  });
}

function checkSpheres(argument: string, given: unknown, floats: number): number {
  const isFit = given instanceof Float32Array && given.length % floats === 0;
  if (!isFit || given.length > MOST_SPHERES * floats) {
    const accepted = `a Float32Array of at most ${MOST_SPHERES} entries with ${floats} numbers each`;
    throw new ArgumentError(argument, given, accepted);
  }
  return given.length / floats;
}
