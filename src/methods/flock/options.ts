/**
 * Purpose: what a flock is told and what it tells, on the GPU as on the CPU: options and settings, checked before anything
 * is reserved, the state, checkpoints.
 */
import {
  ArgumentError,
  checkDimensions,
  checkFinite,
  checkKnownKeys,
  checkPacked,
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

/** Lengths in the caller's unit, times in seconds if dt is. */
export interface FlockSettings {
  /** Nearer than this two turn away from each other. Default: half the perception. */
  readonly spacing: number;
  /** How hard, length / s², at no distance. Default: 20 perceptions. */
  readonly separation: number;
  /** Of the difference to the neighbours' velocity, how much is made up a second. Default 5. */
  readonly alignment: number;
  /** Pull to the neighbours' middle, 1 / s². Default 4. */
  readonly cohesion: number;
  /** Away from obstacles and walls that are in sight, length / s², at their surface. Default: 20 perceptions. */
  readonly avoidance: number;
  /** Away from hunters nearer than `fear`, length / s², where they are. Default: 40 perceptions. */
  readonly flight: number;
  /** Speeds that boids keep between. Default: 1 and 4 perceptions a second. */
  readonly slowest: number;
  readonly fastest: number;
  /** Of all of that together, what a boid is able to. Default: 15 perceptions / s². */
  readonly greatestAcceleration: number;
  /** Pull of a hunter to the middle of the boids it sees, 1 / s². Default 8. */
  readonly hunting: number;
  /** Default: 5 perceptions a second. */
  readonly hunterSpeed: number;
}

export interface FlockOptions extends Partial<FlockSettings>, MethodOptions {
  /** How far a boid sees. */
  readonly perception: number;
  /** As packed as positions. Default: all 0; a boid without a heading sets out along x. */
  readonly velocities?: Float32Array | undefined;
  /** Balls that are flown around: the centre and then the radius of each. At most 1,024. */
  readonly obstacles?: Float32Array | undefined;
  /** Where hunters set out, packed. At most 1,024. */
  readonly hunters?: Float32Array | undefined;
  /** How far boids see hunters, and hunters boids. Default: 3 perceptions. */
  readonly fear?: number | undefined;
}

export interface FlockState extends PlacedArrays {
  /** Where hunters are, packed. */
  readonly hunters: Float32Array;
}

/** Everything needed to go on with the same bits, in a flock created with the same world, perception and fear. */
export interface FlockCheckpoint extends ParticlesCheckpoint, FlockState {
  readonly time: number;
  readonly perception: number;
  readonly fear: number;
  readonly settings: FlockSettings;
  readonly hunterVelocities: Float32Array;
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

/** Every boid looks at each of them, so they are to be few. */
export const MOST_SPHERES = 1024;

/** What settings are where nothing else is said. */
export function flockSettings(perception: number): FlockSettings {
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

/** Options, checked as far as they are the flock's own. */
export interface FlockPlan {
  /** What a grid over the boids is made with. */
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

/** Settings that change. */
export function changeSettings(given: Partial<FlockSettings>, held: FlockSettings): FlockSettings {
  checkKnownKeys('settings', given, SETTING_NAMES);
  return resolveSettings(given, held);
}

export function checkTimeStep(dt: unknown): asserts dt is number {
  checkRange('dt', dt, 0, 1);
}

/** Of a checkpoint, what is the flock's own: its settings, or an error before anything changes. */
export function checkFlockCheckpoint(
  checkpoint: FlockCheckpoint,
  { perception, fear }: Pick<FlockPlan, 'perception' | 'fear'>,
  { dimensions, hunters }: { readonly dimensions: Dimensions; readonly hunters: number },
): FlockSettings {
  for (const [name, own] of Object.entries({ perception, fear })) {
    const given = checkpoint?.[name as 'perception' | 'fear'];
    if (given !== own) throw new ArgumentError(`checkpoint.${name}`, given, `${own}, like this flock`);
  }
  checkPacked('checkpoint.hunters', checkpoint.hunters, hunters, dimensions, 2 ** 48);
  checkPacked('checkpoint.hunterVelocities', checkpoint.hunterVelocities, hunters, dimensions, 2 ** 48);
  checkObstacles('checkpoint.obstacles', checkpoint.obstacles, dimensions);
  checkTime(checkpoint.time);
  checkKnownKeys('checkpoint.settings', checkpoint.settings, SETTING_NAMES);
  return resolveSettings(checkpoint.settings, flockSettings(perception));
}

/** Of a checkpoint, simulated seconds. */
export function checkTime(time: unknown): void {
  checkFinite('checkpoint.time', time);
  if (time < 0) throw new ArgumentError('checkpoint.time', time, '0 or more seconds');
}

function resolveSettings(given: Partial<FlockSettings>, held: FlockSettings): FlockSettings {
  const settings = resolveNumbers(given, held, FLOCK_RANGES);
  if (settings.slowest > settings.fastest) {
    throw new ArgumentError('slowest', settings.slowest, `at most fastest, ${settings.fastest}`);
  }
  return settings;
}

/** Hunters look that far, and where the world wraps around nobody looks farther than half way. */
function checkFear(fear: number, { dimensions, min, max, periodic, unbounded }: FlockOptions): void {
  if (unbounded === true) return;
  checkVector('world.min', min, dimensions);
  checkVector('world.max', max, dimensions);
  const wraps = (axis: number) => (Array.isArray(periodic) ? periodic[axis] : periodic) === true;
  const ways = max.map((high, axis) =>
    wraps(axis) ? high - (min[axis] as number) : Number.POSITIVE_INFINITY,
  );
  const most = Math.min(...ways) / 2;
  if (fear > most) throw new ArgumentError('fear', fear, `at most ${most}, half of the shortest way around`);
}

export function checkHunters(argument: string, hunters: unknown, dimensions: Dimensions): void {
  const count = checkSpheres(argument, hunters, dimensions);
  checkPacked(argument, hunters, count, dimensions, 2 ** 48);
}

/** The centre and then the radius of each. */
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
    const accepted = `a Float32Array with ${floats} numbers for each of at most ${MOST_SPHERES}`;
    throw new ArgumentError(argument, given, accepted);
  }
  return given.length / floats;
}
