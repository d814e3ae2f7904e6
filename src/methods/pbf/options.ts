/**
 * Purpose: what a position-based fluid is told and what it tells, on the GPU as on the CPU: options and settings, checked
 * before anything is reserved, measures, checkpoints.
 */
import {
  ArgumentError,
  checkDimensions,
  checkFinite,
  checkInteger,
  checkKnownKeys,
  checkRange,
  checkVector,
  type Dimensions,
  METHOD_OPTION_NAMES,
  type MethodOptions,
  type NumberRanges,
  type ParticlesCheckpoint,
  type PlacedArrays,
  type PlacedOptions,
  placedOf,
  resolveNumbers,
} from '../../index';
import { checkObstacles, type Obstacle, type ObstacleOptions } from './obstacles';
import { defaultDensity, type Smoothing, smoothingOf } from './smoothing';

export interface PositionFluidNumbers {
  /** Rounds of corrections in a step, each of which sorts anew. Default 4. */
  readonly iterations: number;
  /** Share of its neighbours' velocity that a particle takes on in a step (XSPH). Default 0.02. */
  readonly viscosity: number;
  /** Push along where the fluid turns, so that eddies last, in radii. It does not keep momentum. Default 0. */
  readonly vorticity: number;
  /** How much of what is missing in density draws particles together, from 0 to 1. Default 0. */
  readonly tension: number;
  /** Artificial pressure between those very near, in radii². Default 0.0005. */
  readonly pressure: number;
  /** Makes corrections softer where there are few neighbours, in 1 / radius². Default 1. */
  readonly softness: number;
}

export interface PositionFluidSettings extends PositionFluidNumbers {
  /** Length / s². Default: 9.8 downwards. */
  readonly gravity: readonly number[];
}

/** The box's walls hold the fluid. */
export interface PositionFluidOptions extends Partial<PositionFluidSettings>, MethodOptions {
  /** How far particles feel each other. */
  readonly radius: number;
  /** At rest, in particles a unit of area (volume). Default: as a lattice with a spacing of half a radius. */
  readonly density?: number | undefined;
  /** Bodies that the fluid does not enter. At most 1,024; every particle looks at each. Default: none. */
  readonly obstacles?: readonly ObstacleOptions[] | undefined;
}

/** What there is, sorted by id. */
export type PositionFluidState = PlacedArrays;

/** Everything needed to go on with the same bits, in a fluid created with the same world, radius and density. */
export interface PositionFluidCheckpoint extends ParticlesCheckpoint {
  readonly time: number;
  readonly radius: number;
  /** At rest, as in the options. */
  readonly density: number;
  readonly settings: PositionFluidSettings;
  readonly obstacles: readonly ObstacleOptions[];
}

/** Densities as shares of that at rest. */
export interface FluidMeasures {
  /** Of each particle, ids ascending. */
  readonly densities: Float32Array;
  readonly meanDensity: number;
  /** How far above the density at rest, on average and at most. */
  readonly meanExcess: number;
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

/** Velocities are ways over this. */
const SHORTEST_STEP = 1e-6;

/** Options, checked as far as they are the fluid's own. */
export interface PositionFluidPlan {
  /** What a grid over the particles is made with. */
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

/** Settings that change. */
export function changeSettings(
  given: Partial<PositionFluidSettings>,
  held: PositionFluidSettings,
  dimensions: Dimensions,
): PositionFluidSettings {
  checkKnownKeys('settings', given, SETTING_NAMES);
  return resolveSettings(given, held, dimensions);
}

export function checkTimeStep(dt: unknown): asserts dt is number {
  checkRange('dt', dt, SHORTEST_STEP, 1);
}

/** Of a checkpoint, what is the fluid's own, or an error before anything changes. */
export function checkFluidCheckpoint(
  checkpoint: PositionFluidCheckpoint,
  { radius, density, placed }: PositionFluidPlan,
): Pick<PositionFluidPlan, 'settings' | 'obstacles'> {
  for (const [name, own] of Object.entries({ radius, density })) {
    const given = checkpoint?.[name as 'radius' | 'density'];
    if (given !== own) throw new ArgumentError(`checkpoint.${name}`, given, `${own}, like this fluid`);
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

/** `densities`: of all particles. */
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

/** Fewer than one particle within a radius are no fluid; very many are not what the kernels are made for. */
function checkDensity(density: unknown, dimensions: Dimensions, radius: number): void {
  const [low, high] = [1, 1000].map((particles) => particles / radius ** dimensions) as [number, number];
  checkRange('density', density, low, high);
}

export function defaultSettings(dimensions: Dimensions): PositionFluidSettings {
  return { ...FLUID_NUMBERS, gravity: dimensions === 2 ? [0, -GRAVITY] : [0, -GRAVITY, 0] };
}

function resolveSettings(
  given: Partial<PositionFluidSettings>,
  held: PositionFluidSettings,
  dimensions: Dimensions,
): PositionFluidSettings {
  const { gravity = held.gravity } = given;
  checkVector('gravity', gravity, dimensions);
  gravity.forEach((value, axis) => {
    checkRange(`gravity[${axis}]`, value, -1e9, 1e9);
  });
  const numbers = resolveNumbers(given, held, FLUID_RANGES);
  checkInteger('iterations', numbers.iterations, ...FLUID_RANGES.iterations);
  return { ...numbers, gravity: [...gravity] };
}
