/**
 * Purpose: the shape that the GPU engine and the CPU engine share, so that code written for one runs on
 * the other. Where the GPU must wait for a readback it returns a promise, and the CPU engine the value:
 * `await` serves both.
 */
import {
  checkDimensions,
  checkFinite,
  checkInteger,
  checkKnownKeys,
  checkPacked,
  checkPositive,
} from './checks';
import { RETIRED_BIT } from './constants';
import { ArgumentError, CellstormError, describeCount, Phrase } from './errors';
import { FAST_SHARE, type Flights } from './flight';
import type { StaticBodies } from './obstacle-tree';
import {
  checkObstaclesFit,
  describeObstacles,
  NO_OBSTACLES,
  type ObstaclesGiven,
  readObstacles,
} from './obstacles';
import {
  checkCheckpointParticles,
  checkSameKind,
  checkSameWorld,
  describeWorld,
  type ParticlesCheckpoint,
} from './particles-checkpoint';
import {
  checkTimeStep,
  defaultSettings,
  MAX_SUBSTEPS,
  resolveSettings,
  SETTING_NAMES,
  type Settings,
  type SettingsOptions,
} from './settings';
import { checkBodiesFit, defineShapes, namesOfRadii, type Sizes } from './shapes';
import { checkSizes, type GivenSizes, refuseHalfExtents, roundRange } from './sizes';
import {
  checkDiameter,
  type Dimensions,
  defineLevels,
  defineWorld,
  FEWEST_PERIODIC_CELLS,
  GREATEST_SPEED,
  type RadiusRange,
  WORLD_NAMES,
  type World,
  type WorldOptions,
} from './world';

export interface SimulationOptions extends SettingsOptions, WorldOptions {
  /** Particles at most; memory is reserved for all of them. Default: as many as `positions` holds. */
  readonly capacity?: number | undefined;
  /** Of every particle; left out where each has a radius of its own. */
  readonly radius?: number | undefined;
  /**
   * A radius for each of `positions`, where particles have radii of their own; they then weigh radius^dimensions (see
   * core/settings.ts).
   */
  readonly radii?: Float32Array | undefined;
  /**
   * What radii of particles may be, now and later; of a box that of the ball around it. Default: from the smallest to the
   * largest that there is.
   */
  readonly radiusRange?: RadiusRange | undefined;
  /**
   * Of particles that are boxes, half of the edge along each axis, `dimensions` numbers a particle; 0 for balls (discs). The
   * radius of a box is 0; where all are boxes, `radii` are left out. Boxes do not rotate. See core/shapes.ts.
   */
  readonly halfExtents?: Float32Array | undefined;
  /** Whether particles may be boxes, now and later. Default: whether there are `halfExtents`. */
  readonly boxes?: boolean | undefined;
  /**
   * Opposite corners; default: a box for `capacity` particles at a fifth of the area (volume),
   * four cells long at least along axes that wrap around.
   */
  readonly min?: readonly number[] | undefined;
  readonly max?: readonly number[] | undefined;
  /** First particles, `dimensions` numbers each; their ids are 0, 1, 2 … */
  readonly positions?: Float32Array | undefined;
  readonly velocities?: Float32Array | undefined;
  /**
   * Positions of particles that never move: level geometry. They have no ids and are in no count; moving particles are
   * pushed off them. Of the same radius, or where particles have radii of their own, an object of `positions` and sizes,
   * which may be any, whatever the `radiusRange`; boxes among them where particles may be boxes. Default: none.
   */
  readonly obstacles?: ObstaclesGiven | undefined;
  /** Obstacles at most, for `setObstacles`; memory is reserved for all of them. Default: as many as `obstacles` holds. */
  readonly obstacleCapacity?: number | undefined;
  /**
   * No tunnelling: the paths of particles that move farther than a sixteenth of a diameter in a substep are followed, and
   * end where they hit somebody (see core/flight.ts). Default false.
   */
  readonly continuous?: boolean | undefined;
}

export interface Measures {
  /** Particles alive: in the world's cells, plus those set aside. */
  readonly count: number;
  /** Unordered pairs that the broad phase hands to the distance test. */
  readonly candidates: number;
  /**
   * Unordered pairs that overlap: distance² < diameter², or the square of the sum of both radii where each particle
   * has its own; of boxes see core/shapes.ts. Touching is not overlapping.
   */
  readonly contacts: number;
  /**
   * Of all pairs, those so close to touching (distance² within 2^-20 of diameter², relative) that rounding of
   * 32-bit floats may have decided whether they are contacts. 0 where nothing rounds: where the coordinates and
   * the diameter are multiples of 2^(floor(log2 diameter) - 11), for a diameter of 1 of 1/2048; and on the CPU
   * engine, whose decisions are exact. Where each particle has its own radius, the sum of both stands for the diameter
   * in the first, the largest diameter in the second, and radii must be such multiples too. Where one is a box, those that
   * overlap or are apart by 2^-19 of the sum of both radii (of boxes 0) and of all half extents, and half extents must be
   * such multiples. In periodic worlds the share grows with the period: a difference from one end to the other is rounded
   * as what it is, about one period.
   */
  readonly borderline: number;
  /** Overlaps of a particle with an obstacle, told as `contacts` are. No other of these figures counts obstacles. */
  readonly obstacleContacts: number;
  /**
   * Particles that share a bucket of the table with particles of another cell: unbounded worlds only, and others where
   * particles have radii of their own, else 0. It costs time, never a contact.
   */
  readonly bucketCollisions: number;
  readonly occupiedCells: number;
  /** Particles in the fullest cell. */
  readonly greatestOccupancy: number;
  /** Particles in cells of more than 128: they cost the square of their number. See crowdingWarning. */
  readonly crowded: number;
  /** Particles whose centre is outside the world's box. */
  readonly outside: number;
  /**
   * Particles set aside because a coordinate is not finite: in a checkpoint, by a move out of the range of
   * 32-bit floats, or with a component of velocity of 2^48 and more, which sets the position to NaN.
   */
  readonly nonFinite: number;
  /**
   * ½ Σ m v², each particle of mass 1, or where each has its own radius, of (radius / largest)^dimensions, a box of that of
   * a ball as large.
   */
  readonly kineticEnergy: number;
  /** Σ m v, with masses as in `kineticEnergy`. */
  readonly momentum: readonly number[];
  /** Greatest overlap of a contact, in units of length. */
  readonly deepestOverlap: number;
  /** Mean over contacts, in units of length; 0 without contacts. */
  readonly meanOverlap: number;
  /** Sixteen hexadecimal digits that depend on every bit of every particle, not on their order. */
  readonly hash: string;
}

/** Overlapping pairs: `pairs[2k] < pairs[2k + 1]` are ids, sorted by the first and then the second. */
export interface PairList {
  readonly count: number;
  readonly pairs: Uint32Array;
}

/** What findPairs finds, and how many pairs, in the list or not, rounding may have decided on: see Measures. */
export interface FoundPairs extends PairList {
  readonly borderline: number;
}

/** Particles sorted by id; set-aside ones included. */
export interface ParticleArrays {
  readonly ids: Uint32Array;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  /** Where each has a radius of its own; of a box 0. */
  readonly radii?: Float32Array | undefined;
  /** Where they may be boxes: half of each edge, of others 0. */
  readonly halfExtents?: Float32Array | undefined;
}

/** Everything needed to go on with the same bits: plain data, safe to copy and to store. */
export interface Checkpoint extends ParticleArrays, ParticlesCheckpoint {
  /** Of every particle; where each has its own, the largest of `radiusRange`. */
  readonly radius: number;
  /** What radii may be; left out where all are equal. */
  readonly radiusRange?: RadiusRange | undefined;
  /** Left out where no particle may be a box. */
  readonly boxes?: true | undefined;
  /** Left out where the paths of fast particles are not followed. */
  readonly continuous?: true | undefined;
  readonly time: number;
  readonly settings: Settings;
  /** As in SimulationOptions; left out where there are none. */
  readonly obstacles?: ObstaclesGiven | undefined;
}

export interface NewParticles {
  readonly positions: Float32Array;
  /** Default: at rest. */
  readonly velocities?: Float32Array | undefined;
  /** One for each particle, within the simulation's `radiusRange`; left out where all are equal. Of boxes 0. */
  readonly radii?: Float32Array | undefined;
  /** `dimensions` numbers for each particle, where they may be boxes: see SimulationOptions. */
  readonly halfExtents?: Float32Array | undefined;
}

export interface ParticleSimulation {
  readonly backend: 'gpu' | 'cpu';
  readonly dimensions: Dimensions;
  readonly world: World;
  /** Of every particle; where each has its own, the largest there may be. */
  readonly radius: number;
  /** What radii may be, where each particle has its own. */
  readonly radiusRange: RadiusRange | undefined;
  /** Whether particles may be boxes. */
  readonly boxes: boolean;
  readonly capacity: number;
  readonly count: number;
  /** Particles that never move: how many there are, and may be. */
  readonly obstacleCount: number;
  readonly obstacleCapacity: number;
  /** Whether the paths of fast particles are followed. */
  readonly continuous: boolean;
  /** Simulated seconds. */
  readonly time: number;
  readonly settings: Settings;
  readonly memoryBytes: number;
  set(changes: SettingsOptions): void;
  /** Advances by `dt` seconds. */
  step(dt: number): void;
  /**
   * A step with as many substeps as the fastest particle needs to move no farther than a sixteenth of a diameter in one,
   * and at least those of the settings; where that would be more than `most`, with those of the settings, and fast
   * particles' paths are followed. Of a `continuous` simulation only. Default: twice those of the settings. Returns how
   * many it took.
   */
  advance(dt: number, most?: number): Promise<number> | number;
  /** How the fast particles of the last step fared; of a `continuous` simulation only. */
  flights(): Promise<Flights> | Flights;
  /** Pushes overlapping particles apart, `iterations` times, without touching velocities or time. */
  separate(iterations?: number): void;
  /** Returns the new particles' ids: the lowest free ones, ascending. */
  add(particles: NewParticles): Uint32Array;
  remove(ids: Uint32Array | readonly number[]): void;
  /** Replaces all obstacles, by `obstacleCapacity` at most. */
  setObstacles(obstacles: ObstaclesGiven): void;
  measure(): Promise<Measures> | Measures;
  findPairs(): Promise<FoundPairs> | FoundPairs;
  read(): Promise<ParticleArrays> | ParticleArrays;
  checkpoint(): Promise<Checkpoint> | Checkpoint;
  restore(checkpoint: Checkpoint): void;
  destroy(): void;
}

/** Edge of the default box, in whole diameters: discs fill a fifth of its area, spheres of its volume. */
function defaultEdge(dimensions: Dimensions, capacity: number): number {
  return Math.ceil((Math.max(1, capacity) * (dimensions === 2 ? 4 : 2.62)) ** (1 / dimensions));
}

/** Cells that the default box of so many particles takes at most: what a device must be asked for. */
export function defaultCellCount(dimensions: Dimensions, capacity: number): number {
  const edge = defaultEdge(dimensions, capacity);
  // Rounded up, perhaps stretched by what rounding of positions asks for, and a cell at each end.
  return (Math.ceil(edge * (1 + 2 ** -22 * edge)) + 4) ** dimensions;
}

/** Options checked and completed: what both engines start from. */
export interface SimulationPlan extends Sizes {
  readonly dimensions: Dimensions;
  readonly capacity: number;
  readonly radius: number;
  readonly diameter: number;
  readonly world: World;
  readonly settings: Settings;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly radiusRange: RadiusRange | undefined;
  readonly boxes: boolean;
  readonly count: number;
  readonly obstacles: StaticBodies;
  readonly obstacleCapacity: number;
  readonly continuous: boolean;
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
] as const;

/** Particles a simulation can hold at most: ids are below RETIRED_BIT. */
export const MAX_PARTICLES = RETIRED_BIT - 1;

export function planSimulation(options: SimulationOptions): SimulationPlan {
  if (typeof options !== 'object' || options === null) {
    throw new ArgumentError('options', options, 'an object with dimensions, radius (or radii) and more');
  }
  checkKnownKeys('options', options, OPTION_NAMES);
  const { dimensions } = options;
  checkDimensions(dimensions);
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
    throw new ArgumentError('positions', positions, `at most ${describeCount(capacity)} (the capacity)`);
  }
  const rules = { dimensions, radiusRange, boxes: sizes.boxes };
  const obstacles = readObstacles('obstacles', obstaclesOf(options), MAX_PARTICLES, rules);
  const obstacleCount = obstacles.positions.length / dimensions;
  const { obstacleCapacity = obstacleCount } = options;
  checkInteger('obstacleCapacity', obstacleCapacity, 0, MAX_PARTICLES);
  if (obstacleCount > obstacleCapacity) {
    const accepted = `at most ${describeCount(obstacleCapacity)} (the obstacleCapacity)`;
    throw new ArgumentError('obstacles', new Phrase(describeCount(obstacleCount)), accepted);
  }
  const { continuous = false } = options;
  if (typeof continuous !== 'boolean') throw new ArgumentError('continuous', continuous, 'true or false');
  const diameter = Math.fround(2 * radius);
  checkDiameter('2 · radius', diameter);
  const { periodic, unbounded, cellSize, crowds } = options;
  const corners = unbounded === true ? options : defaultBox(options, capacity, diameter);
  const { min, max } = corners;
  const worldOptions = { dimensions, min, max, periodic, unbounded, cellSize, crowds };
  const world = radiusRange
    ? defineLevels(worldOptions, radiusRange, capacity, sizes.boxes, namesOfRadii(options))
    : // Obstacles are filed in a table of their own, with as many buckets.
      defineWorld(worldOptions, diameter, Math.max(capacity, obstacleCapacity));
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
    settings,
    positions,
    velocities,
    count,
    obstacles,
    obstacleCapacity,
    continuous,
  };
}

/** `most` of ParticleSimulation.advance, or an error: before anybody asks for the fastest particle. */
export function checkAdvance(
  simulation: Pick<ParticleSimulation, 'continuous' | 'settings'>,
  dt: number,
  most: number | undefined,
): number {
  const { substeps } = simulation.settings;
  checkContinuous(simulation, 'advance');
  checkTimeStep(dt, substeps);
  if (most === undefined) return Math.min(MAX_SUBSTEPS, 2 * substeps);
  checkInteger('most', most, 1, MAX_SUBSTEPS);
  return most;
}

/** ParticleSimulation.advance, where nobody may move more than so many of its own diameters. */
export function stepAsFastAs(
  simulation: Pick<ParticleSimulation, 'settings' | 'set' | 'step'>,
  farthest: number,
  dt: number,
  most: number,
): number {
  const { substeps: usual } = simulation.settings;
  const needed = Math.ceil(farthest / FAST_SHARE);
  const substeps = needed <= most ? Math.max(usual, needed) : usual;
  if (substeps === usual) {
    simulation.step(dt);
    return substeps;
  }
  simulation.set({ substeps });
  try {
    simulation.step(dt);
  } finally {
    simulation.set({ substeps: usual });
  }
  return substeps;
}

/** For what only simulations that follow paths can tell. */
export function checkContinuous({ continuous }: Pick<ParticleSimulation, 'continuous'>, name: string): void {
  if (continuous) return;
  throw new CellstormError(`This simulation was created without \`continuous\`, which ${name} needs.`);
}

/** The radius of all particles, or those of each and what they may be, and which of them are boxes. */
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
    throw new ArgumentError('radius', radius, 'left out where each particle has a radius of its own');
  }
  if (given !== undefined) checkRadiusRange(given);
  const range = given && roundRange(given);
  const shapes = checkSizes('', { radii, halfExtents }, count, { dimensions, radiusRange: range, boxes });
  if (range) return { radius: range.largest, radiusRange: range, boxes, ...shapes };
  if (count === 0) {
    const accepted = 'given where there are no particles yet that say what their radii may be';
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

/** Cells along a periodic axis of the default box, at least: three are needed, and rounding takes its share. */
const FEWEST_DEFAULT_CELLS = FEWEST_PERIODIC_CELLS + 1;

function defaultBox(
  { dimensions, min, max, periodic, cellSize }: SimulationOptions,
  capacity: number,
  diameter: number,
): Pick<WorldOptions, 'min' | 'max'> {
  const edge = diameter * defaultEdge(dimensions, capacity);
  // Neither is checked yet: what is not as it should be is refused with the world.
  const cell = typeof cellSize === 'number' ? Math.max(diameter, cellSize) : diameter;
  const wraps = (axis: number) => (Array.isArray(periodic) ? periodic[axis] : periodic) === true;
  const edgeAlong = (axis: number) => (wraps(axis) ? Math.max(edge, FEWEST_DEFAULT_CELLS * cell) : edge);
  return {
    min: min ?? new Array<number>(dimensions).fill(0),
    max: max ?? Array.from({ length: dimensions }, (_, axis) => (min?.[axis] ?? 0) + edgeAlong(axis)),
  };
}

/** The settings of a checkpoint that this simulation can hold, or an error; nothing is changed. */
export function checkCheckpoint(
  checkpoint: Checkpoint,
  simulation: Pick<
    ParticleSimulation,
    | 'dimensions'
    | 'radius'
    | 'radiusRange'
    | 'boxes'
    | 'world'
    | 'capacity'
    | 'obstacleCapacity'
    | 'continuous'
  >,
): Settings {
  const { dimensions, capacity, world, radiusRange } = simulation;
  checkSameKind(checkpoint, dimensions);
  if (checkpoint.radius !== simulation.radius) {
    const accepted = `${simulation.radius}, like this simulation`;
    throw new ArgumentError('checkpoint.radius', checkpoint.radius, accepted);
  }
  checkSameRange(checkpoint.radiusRange, radiusRange);
  if ((checkpoint.boxes ?? false) !== simulation.boxes) {
    const accepted = simulation.boxes
      ? 'true, since particles of this simulation may be boxes'
      : 'left out, since no particle of this simulation may be a box';
    throw new ArgumentError('checkpoint.boxes', checkpoint.boxes, accepted);
  }
  checkSameWorld(checkpoint, world);
  if ((checkpoint.continuous ?? false) !== simulation.continuous) {
    const accepted = simulation.continuous
      ? 'true, since this simulation follows the paths of fast particles'
      : 'left out, since this simulation was created without `continuous`';
    throw new ArgumentError('checkpoint.continuous', checkpoint.continuous, accepted);
  }
  const count = checkCheckpointParticles(checkpoint, dimensions, capacity);
  sizesOf('checkpoint.', checkpoint, count, simulation);
  checkObstacles(obstaclesOf(checkpoint), simulation, 'checkpoint.obstacles');
  checkFinite('checkpoint.time', checkpoint.time);
  if (checkpoint.time < 0) throw new ArgumentError('checkpoint.time', checkpoint.time, '0 or more seconds');
  const defaults = defaultSettings(dimensions, radiusRange, simulation.boxes);
  return resolveSettings(dimensions, defaults, checkpoint.settings ?? {});
}

/** The sizes of particles as the engines hold them, checked, in a world if there is one; undefined where all have one radius. */
export function sizesOf(
  prefix: string,
  particles: GivenSizes,
  count: number,
  sizes: Pick<ParticleSimulation, 'dimensions' | 'radiusRange' | 'boxes'> & { readonly world?: World },
): Sizes | undefined {
  if (sizes.radiusRange) {
    const own = checkSizes(prefix, particles, count, sizes);
    if (sizes.world) checkBodiesFit(prefix, own, sizes.world);
    return own;
  }
  if (particles.halfExtents !== undefined) refuseHalfExtents(`${prefix}halfExtents`, particles.halfExtents);
  if (particles.radii === undefined) return undefined;
  const accepted = 'left out, since all particles of this simulation have one radius';
  throw new ArgumentError(`${prefix}radii`, particles.radii, accepted);
}

function checkSameRange(given: RadiusRange | undefined, range: RadiusRange | undefined): void {
  if (given?.smallest === range?.smallest && given?.largest === range?.largest) return;
  const accepted = range
    ? `{ smallest: ${range.smallest}, largest: ${range.largest} }, like this simulation`
    : 'left out, since all particles of this simulation have one radius';
  throw new ArgumentError('checkpoint.radiusRange', given, accepted);
}

/** Those of options or of a checkpoint, which may have none. */
export function obstaclesOf({ obstacles }: Pick<Checkpoint, 'obstacles'>): ObstaclesGiven {
  return obstacles === undefined ? new Float32Array(0) : obstacles;
}

/** Obstacles of a simulation as the engines hold them, or an error. */
export function checkObstacles(
  given: ObstaclesGiven,
  {
    obstacleCapacity,
    world,
    ...rules
  }: Pick<ParticleSimulation, 'dimensions' | 'radiusRange' | 'boxes' | 'world' | 'obstacleCapacity'>,
  argument = 'obstacles',
): StaticBodies {
  const obstacles = readObstacles(argument, given, obstacleCapacity, rules);
  checkObstaclesFit(argument, obstacles, world);
  return obstacles;
}

/** What a checkpoint says of a simulation beside its particles. */
export function describeSimulation(
  simulation: Pick<
    ParticleSimulation,
    'dimensions' | 'radius' | 'radiusRange' | 'boxes' | 'world' | 'continuous' | 'time' | 'settings'
  >,
  obstacles: StaticBodies = NO_OBSTACLES,
): Omit<Checkpoint, keyof ParticleArrays> {
  const { dimensions, radius, radiusRange, boxes, world, continuous, time, settings } = simulation;
  return {
    version: 1,
    dimensions,
    radius,
    ...(radiusRange ? { radiusRange } : {}),
    ...(boxes ? { boxes } : {}),
    ...describeWorld(world),
    ...(continuous ? { continuous } : {}),
    time,
    settings,
    ...(obstacles.positions.length > 0 ? { obstacles: describeObstacles(dimensions, obstacles) } : {}),
  };
}

/** Particles as the engines hold them: checked, with their ids, and with sizes as in Shapes. */
export interface Bodies extends Sizes {
  readonly ids: Uint32Array;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
}

/** The particles of a checkpoint that was checked. */
export function bodiesOf(
  { ids, positions, velocities, radii, halfExtents }: Checkpoint,
  simulation: Pick<ParticleSimulation, 'dimensions' | 'boxes'>,
): Bodies {
  const { dimensions, boxes } = simulation;
  const sizes = boxes
    ? defineShapes(dimensions, radii ?? new Float32Array(ids.length), halfExtents)
    : { radii };
  return { ids, positions, velocities, ...sizes };
}
