/** Types and checks of the position-based fluid, for both engines. */
import {
  checkDimensions,
  checkFinite,
  checkInteger,
  checkKnownKeys,
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
import { checkObstacles, type Obstacle, type ObstacleOptions } from './obstacles';
import { defaultDensity, type Smoothing, smoothingOf } from './smoothing';

/** The numbers among the settings of a position-based fluid. */
export interface PositionFluidNumbers {
  /** Rounds of corrections per step, 1 to 100. Each round sorts the particles again. Default: 4. */
  readonly iterations: number;
  /** How far a particle's velocity approaches that of its neighbours in a step (XSPH), 0 to 1. Default: 0.02. */
  readonly viscosity: number;
  /** Strength of a push that sustains eddies, in radii, 0 to 10. The push does not conserve momentum. Default: 0. */
  readonly vorticity: number;
  /** How strongly missing density draws particles together, 0 to 1. Default: 0. */
  readonly tension: number;
  /** Artificial pressure that keeps near particles apart, in radii², 0 to 1. Default: 0.0005. */
  readonly pressure: number;
  /** Softens the corrections of particles with few neighbours, in 1 / radius², 0.001 to 10⁶. Default: 1. */
  readonly softness: number;
}

/** The settings, which `set` can change while the fluid runs. */
export interface PositionFluidSettings extends PositionFluidNumbers {
  /** Acceleration, length / s². Default: 9.8 along −y. */
  readonly gravity: readonly number[];
}

/** Options of `createPositionFluid` and `createCpuPositionFluid`. */
export interface PositionFluidOptions extends Partial<PositionFluidSettings>, MethodOptions {
  /** Distance up to which particles interact, 10⁻⁶ to 10⁶. */
  readonly radius: number;
  /**
   * Rest density, in particles per area (3D: volume): 1 to 1,000 per radius² (3D: radius³). Default: the density of a
   * lattice with a spacing of half a radius.
   */
  readonly density?: number | undefined;
  /** Solid bodies, at most 1,024. Every particle tests each of them. Default: none. */
  readonly obstacles?: readonly ObstacleOptions[] | undefined;
}

/** The current particles, sorted by id. */
export type PositionFluidState = PlacedArrays;

/** Plain data from which a fluid with the same world, radius and density continues with the same bits. */
export interface PositionFluidCheckpoint extends ParticlesCheckpoint {
  /** Simulated seconds. */
  readonly time: number;
  /** The radius, as in the options. */
  readonly radius: number;
  /** The rest density, as in the options. */
  readonly density: number;
  /** The current settings. */
  readonly settings: PositionFluidSettings;
  /** The current obstacles. */
  readonly obstacles: readonly ObstacleOptions[];
}

/** Densities as shares of the rest density. */
export interface FluidMeasures {
  /** Density of each particle, in the order of ids. */
  readonly densities: Float32Array;
  /** Mean density. */
  readonly meanDensity: number;
  /** Mean excess over the rest density. */
  readonly meanExcess: number;
  /** Greatest excess over the rest density. */
  readonly greatestExcess: number;
}

export const FLUID_RANGES: NumberRanges<keyof PositionFluidNumbers> = {
  iterations: [1, 100],
  viscosity: [0, 1],
  vorticity: [0, 10],
  tension: [0, 1],
  pressure: [0, 1],
  softness: [1e-3, 1e6],
};

export const FLUID_NUMBERS: PositionFluidNumbers = {
  iterations: 4,
  viscosity: 0.02,
  vorticity: 0,
  tension: 0,
  pressure: 5e-4,
  softness: 1,
};

const GRAVITY = 9.8;

const SETTING_NAMES = [...Object.keys(FLUID_RANGES), 'gravity'];

const OPTION_NAMES = [...METHOD_OPTION_NAMES, 'radius', 'density', 'obstacles'];

/** Shortest step, in seconds. Velocities are distances / time step, so short steps magnify rounding errors. */
const SHORTEST_STEP = 1e-6;

/** Checked options, except `placed`, which GridParticles or CpuGridParticles checks. */
export interface PositionFluidPlan {
  readonly placed: PlacedOptions;
  readonly radius: number;
  readonly density: number;
  readonly smoothing: Smoothing;
  readonly settings: PositionFluidSettings;
  readonly obstacles: readonly Obstacle[];
}

export function planFluid(options: PositionFluidOptions): PositionFluidPlan {
  checkKnownKeys('options', options, [...OPTION_NAMES, ...SETTING_NAMES]);
  const { dimensions, radius } = options;
  checkDimensions(dimensions);
  checkRange('radius', radius, 1e-6, 1e6);
  const { density = defaultDensity(dimensions, radius) } = options;
  checkDensity(density, dimensions, radius);
  const settings = resolveSettings(options, defaultSettings(dimensions), dimensions);
  const obstacles = checkObstacles('obstacles', options.obstacles ?? [], dimensions);
  const placed = placedOf(options, radius);
  const smoothing = smoothingOf(dimensions, radius, density);
  return { placed, radius, density, smoothing, settings, obstacles };
}

export function changeSettings(
  given: Partial<PositionFluidSettings>,
  current: PositionFluidSettings,
  dimensions: Dimensions,
): PositionFluidSettings {
  checkKnownKeys('settings', given, SETTING_NAMES);
  return resolveSettings(given, current, dimensions);
}

export function checkTimeStep(dt: unknown): asserts dt is number {
  checkSeconds(dt, SHORTEST_STEP);
}

/** Checks a checkpoint. Call this before you change any state. */
export function checkFluidCheckpoint(
  checkpoint: PositionFluidCheckpoint,
  { radius, density, placed }: PositionFluidPlan,
): Pick<PositionFluidPlan, 'settings' | 'obstacles'> {
  checkVersion(checkpoint);
  for (const [name, expected] of Object.entries({ radius, density })) {
    const given = checkpoint[name as 'radius' | 'density'];
    if (given !== expected)
      throw new ArgumentError(`checkpoint.${name}`, given, `${expected}, like this fluid`);
  }
  const { time } = checkpoint;
  checkFinite('checkpoint.time', time);
  if (time < 0) throw new ArgumentError('checkpoint.time', time, '0 or more seconds');
  checkKnownKeys('checkpoint.settings', checkpoint.settings, SETTING_NAMES);
  const { dimensions } = placed;
  const settings = resolveSettings(checkpoint.settings, defaultSettings(dimensions), dimensions);
  const obstacles = checkObstacles('checkpoint.obstacles', checkpoint.obstacles, dimensions);
  return { settings, obstacles };
}

export function measuresOf(densities: Float32Array): FluidMeasures {
  const excesses = densities.map((density) => Math.max(0, density - 1));
  const mean = (values: Float32Array) => values.reduce((sum, value) => sum + value, 0) / values.length || 0;
  return {
    densities,
    meanDensity: mean(densities),
    meanExcess: mean(excesses),
    greatestExcess: excesses.reduce((most, excess) => Math.max(most, excess), 0),
  };
}

/** Accepts 1 to 1,000 particles per `radius ** dimensions`. Fewer form no fluid; the kernels are not made for more. */
function checkDensity(density: unknown, dimensions: Dimensions, radius: number): void {
  const [low, high] = [1, 1000].map((particles) => particles / radius ** dimensions) as [number, number];
  checkRange('density', density, low, high);
}

export function defaultSettings(dimensions: Dimensions): PositionFluidSettings {
  return { ...FLUID_NUMBERS, gravity: dimensions === 2 ? [0, -GRAVITY] : [0, -GRAVITY, 0] };
}

function resolveSettings(
  given: Partial<PositionFluidSettings>,
  current: PositionFluidSettings,
  dimensions: Dimensions,
): PositionFluidSettings {
  const { gravity = current.gravity } = given;
  checkVector('gravity', gravity, dimensions);
  gravity.forEach((value, axis) => {
    checkRange(`gravity[${axis}]`, value, -1e9, 1e9);
  });
  const numbers = resolveNumbers(given, current, FLUID_RANGES);
  checkInteger('iterations', numbers.iterations, ...FLUID_RANGES.iterations);
  return { ...numbers, gravity: [...gravity] };
}
