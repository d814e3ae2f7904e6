/** Checks and completes the options of a simulation. */
import {
  checkDimensions,
  checkInteger,
  checkKnownKeys,
  checkPacked,
  checkPositive,
  readLongestStep,
} from '../base/checks';
import { ArgumentError, describeCount, Phrase } from '../base/errors';
import { defaultSettings, resolveSettings, SETTING_NAMES, type Settings } from '../contact/settings';
import { defineQuanta, type Quanta } from '../exact/quanta';
import { checkObstaclesFit, obstaclesOf, readObstacles } from '../obstacles/obstacles';
import type { StaticBodies } from '../obstacles/tree';
import { checkBodiesFit, labelsOfRadii, type Sizes } from '../particles/shapes';
import { checkSizes, refuseHalfExtents, roundRange } from '../particles/sizes';
import { defineLevels } from '../world/level-world';
import {
  checkDiameter,
  type Dimensions,
  defineWorld,
  GREATEST_SPEED,
  type RadiusRange,
  WORLD_NAMES,
  type World,
} from '../world/world';
import { boxOf } from './default-box';
import { MAX_PARTICLES } from './ids';
import type { SimulationOptions } from './simulation';

export interface SimulationPlan extends Sizes {
  readonly dimensions: Dimensions;
  readonly capacity: number;
  readonly radius: number;
  readonly diameter: number;
  readonly world: World;
  /** The world, if its box is the default one. */
  readonly defaultBox: World | undefined;
  readonly settings: Settings;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly radiusRange: RadiusRange | undefined;
  readonly boxes: boolean;
  readonly count: number;
  readonly obstacles: StaticBodies;
  readonly obstacleCapacity: number;
  readonly continuous: boolean;
  readonly longestStep: number;
  readonly exact: boolean;
  /** The units of an exact simulation; otherwise undefined. */
  readonly quanta: Quanta | undefined;
}

const OPTION_NAMES = [
  ...SETTING_NAMES,
  ...WORLD_NAMES,
  'dimensions',
  'capacity',
  'radius',
  'radii',
  'radiusRange',
  'halfExtents',
  'boxes',
  'positions',
  'velocities',
  'obstacles',
  'obstacleCapacity',
  'continuous',
  'longestStep',
  'exact',
] as const;

export function planSimulation(options: SimulationOptions): SimulationPlan {
  if (typeof options !== 'object' || options === null) {
    throw new ArgumentError('options', options, 'an object with dimensions, radius (or radii) and more');
  }
  checkKnownKeys('options', options, OPTION_NAMES);
  const { dimensions } = options;
  checkDimensions(dimensions);
  const exact = readExact(options);
  const positions = options.positions ?? new Float32Array(0);
  const count = Math.floor(positions.length / dimensions);
  checkPacked('positions', positions, count, dimensions);
  const velocities = options.velocities ?? new Float32Array(positions.length);
  checkPacked('velocities', velocities, count, dimensions, GREATEST_SPEED);
  const sizes = planSizes(options, count);
  const { radius, radiusRange } = sizes;
  const capacity = options.capacity ?? count;
  checkInteger('capacity', capacity, 0, MAX_PARTICLES);
  if (count > capacity) {
    const accepted = `at most ${describeCount(capacity)} (the capacity)`;
    throw new ArgumentError('positions', new Phrase(describeCount(count)), accepted);
  }
  const rules = { dimensions, radiusRange, boxes: sizes.boxes };
  const obstacles = readObstacles('obstacles', obstaclesOf(options), MAX_PARTICLES, rules);
  const obstacleCount = obstacles.positions.length / dimensions;
  const { obstacleCapacity = obstacleCount } = options;
  checkInteger('obstacleCapacity', obstacleCapacity, 0, MAX_PARTICLES);
  if (obstacleCount > obstacleCapacity) {
    const accepted = `at most ${describeCount(obstacleCapacity, 'obstacle')} (the obstacleCapacity)`;
    throw new ArgumentError('obstacles', new Phrase(describeCount(obstacleCount, 'obstacle')), accepted);
  }
  const { continuous = false } = options;
  if (typeof continuous !== 'boolean') throw new ArgumentError('continuous', continuous, 'true or false');
  const longestStep = readLongestStep(options.longestStep);
  const diameter = Math.fround(2 * radius);
  checkDiameter('2 · radius', diameter);
  const { periodic, unbounded, cellSize, crowds } = options;
  const { min, max } = boxOf(options, capacity, diameter, [positions, obstacles.positions]);
  const worldOptions = { dimensions, min, max, periodic, unbounded, cellSize, crowds };
  const quanta = exact ? defineQuanta(defineWorld(worldOptions, diameter), diameter) : undefined;
  const world = radiusRange
    ? defineLevels(worldOptions, radiusRange, capacity, sizes.boxes, labelsOfRadii(options))
    : // The table of obstacles has as many buckets as the table of particles, so the larger number decides.
      defineWorld(worldOptions, quanta?.searchDiameter ?? diameter, Math.max(capacity, obstacleCapacity));
  checkBodiesFit('', sizes, world);
  checkObstaclesFit('obstacles', obstacles, world);
  const settingChanges: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) if (options[name] !== undefined) settingChanges[name] = options[name];
  const settings = resolveSettings(
    dimensions,
    defaultSettings(dimensions, radiusRange, sizes.boxes),
    settingChanges,
  );
  return {
    dimensions,
    capacity,
    ...sizes,
    diameter,
    world,
    defaultBox: min === options.min ? undefined : world,
    settings,
    positions,
    velocities,
    count,
    obstacles,
    obstacleCapacity,
    continuous,
    longestStep,
    exact,
    quanta,
  };
}

/** Exact simulations reject these options, unless the value is false. */
const NOT_EXACT = [
  'radii',
  'radiusRange',
  'halfExtents',
  'boxes',
  'continuous',
  'unbounded',
  'crowds',
  'cellSize',
] as const;

/** Returns whether the simulation is exact. Throws if another option does not allow that. */
function readExact(options: SimulationOptions): boolean {
  const { exact = false } = options;
  if (typeof exact !== 'boolean') throw new ArgumentError('exact', exact, 'true or false');
  if (!exact) return false;
  for (const name of NOT_EXACT) {
    const value = options[name];
    if (value === undefined || value === false) continue;
    throw new ArgumentError(name, value, 'left out in an exact simulation, which does not offer it yet');
  }
  return true;
}

function planSizes(
  options: SimulationOptions,
  count: number,
): Pick<SimulationPlan, 'radius' | 'radiusRange' | 'boxes'> & Sizes {
  const { dimensions, radius, radii, halfExtents, radiusRange: given } = options;
  const boxes = options.boxes ?? halfExtents !== undefined;
  if (typeof boxes !== 'boolean') throw new ArgumentError('boxes', boxes, 'true or false');
  if (radii === undefined && given === undefined && !boxes) {
    checkPositive('radius', radius);
    if (halfExtents !== undefined) refuseHalfExtents('halfExtents', halfExtents);
    return { radius, radiusRange: undefined, boxes };
  }
  if (radius !== undefined) {
    throw new ArgumentError('radius', radius, 'left out if each particle has its own radius');
  }
  if (given !== undefined) checkRadiusRange(given);
  const range = given && roundRange(given);
  const shapes = checkSizes('', { radii, halfExtents }, count, { dimensions, radiusRange: range, boxes });
  if (range) return { radius: range.largest, radiusRange: range, boxes, ...shapes };
  if (count === 0) {
    const accepted = 'given if there are no particles yet, to say which radii are allowed';
    throw new ArgumentError('radiusRange', given, accepted);
  }
  const radiusRange = { smallest: Number.POSITIVE_INFINITY, largest: 0 };
  for (const own of shapes.radii) {
    if (own < radiusRange.smallest) radiusRange.smallest = own;
    if (own > radiusRange.largest) radiusRange.largest = own;
  }
  return { radius: radiusRange.largest, radiusRange, boxes, ...shapes };
}

function checkRadiusRange(range: RadiusRange): void {
  checkKnownKeys('radiusRange', range, ['smallest', 'largest']);
  for (const name of ['smallest', 'largest'] as const) checkPositive(`radiusRange.${name}`, range[name]);
  if (range.smallest > range.largest) {
    const accepted = `at most radiusRange.largest, ${range.largest}`;
    throw new ArgumentError('radiusRange.smallest', range.smallest, accepted);
  }
}
