/** Settings that may change between steps, and the numbers per substep derived from them. law.ts explains their use. */
import {
  checkFinite,
  checkInteger,
  checkKnownKeys,
  checkRange,
  checkVector,
  refuseLongStep,
} from '../base/checks';
import { DEEP, LEAST_REST_SPEED, PARTING, REST_LOAD, STRAIN } from '../base/constants';
import { ArgumentError } from '../base/errors';
import {
  type Dimensions,
  GREATEST_FLOAT,
  GREATEST_SPEED,
  type RadiusRange,
  type World,
} from '../world/world';

/** How candidate pairs are found: with the grid, or by testing all pairs. */
export type BroadPhase = 'grid' | 'naive';

/** Settings that may change between steps. */
export interface Settings {
  /** Acceleration in length / s², one number per axis. Default: 0. */
  readonly gravity: readonly number[];
  /**
   * Share of the speed that a bounce keeps, 0 to 1. With variable radii, particles that bear others bounce less.
   * Default: 0.
   */
  readonly restitution: number;
  /** Coulomb friction of particles with each other, obstacles and walls, 0 to 10. Default: 0.2. */
  readonly friction: number;
  /** Substeps per step, 1 to 256. Stiffness grows with the square of this number. Default: 8. */
  readonly substeps: number;
  /**
   * Share of an overlap that one pass removes, 0.01 to 1. A push that gives no speed removes 1.5 times as much, at most
   * all. The densest packings of equal particles never come to rest above 0.355 in 2D and 0.285 in 3D. Defaults:
   *   - equal radii: 0.35 in 2D, 0.25 in 3D
   *   - different radii: 0.3 in 2D, 0.25 in 3D
   *   - particles that may be boxes: 0.3 in 2D, 0.15 in 3D
   */
  readonly relaxation: number;
  /** Keeps particles inside the world's box along axes that are not periodic. Default: true. */
  readonly walls: boolean;
  /**
   * How candidates are found. 'grid' and 'naive' give the same bits if they add up neighbours in the same order. The
   * order differs with variable radii and, on the GPU, in unbounded worlds and in crowds. Default: 'grid'.
   */
  readonly broadPhase: BroadPhase;
}

/**
 * Reads saved settings. Older ones have `iterations`, which is now always 1; any other number is rejected, because it
 * would change the results.
 */
export function readSavedSettings(name: string, saved: SettingsOptions): SettingsOptions {
  if (typeof saved !== 'object' || !('iterations' in saved)) return saved;
  const { iterations, ...settings } = saved as SettingsOptions & { readonly iterations?: unknown };
  if (iterations !== undefined && iterations !== 1) {
    throw new ArgumentError(`${name}.iterations`, iterations, '1, because substeps replaced iterations');
  }
  return settings;
}

/** Settings to change. Those left out keep their value or get their default. */
export type SettingsOptions = { readonly [Key in keyof Settings]?: Settings[Key] | undefined };

export const SETTING_NAMES = [
  'gravity',
  'restitution',
  'friction',
  'substeps',
  'relaxation',
  'walls',
  'broadPhase',
] as const satisfies readonly (keyof Settings)[];

export const MAX_SUBSTEPS = 256;
export const MAX_ROUNDS = 64;

/** A push may hold up this many columns of particles at once (see pushSpeed). */
const COLUMNS = 8;
/**
 * Substeps of gravity in restSpeed. With 2, heavy bodies rattled on light bodies, and slopes of obstacles held nothing;
 * with 6, heaps of 14 rows fell.
 */
const REST_SUBSTEPS = 2 * REST_LOAD;
/** An unbounded world counts as this many diameters high. */
const UNBOUNDED_FALL = 100;

/**
 * Shortest substep in seconds. In shorter ones, rounding errors of positions, divided by dt, would dominate velocities.
 */
export const SHORTEST_STEP = 1e-7;

export function defaultSettings(dimensions: Dimensions, range?: RadiusRange, boxes = false): Settings {
  const hasSizes = boxes || (range !== undefined && range.smallest < range.largest);
  return {
    gravity: new Array<number>(dimensions).fill(0),
    restitution: 0,
    friction: 0.2,
    substeps: 8,
    relaxation: dimensions === 2 ? (hasSizes ? 0.3 : 0.35) : boxes ? 0.15 : 0.25,
    walls: true,
    broadPhase: 'grid',
  };
}

export function resolveSettings(dimensions: Dimensions, base: Settings, changes: SettingsOptions): Settings {
  checkKnownKeys('settings', changes, SETTING_NAMES);
  const merged: Record<string, unknown> = { ...base };
  for (const name of SETTING_NAMES) if (changes[name] !== undefined) merged[name] = changes[name];
  const settings = merged as unknown as Settings;
  checkVector('gravity', settings.gravity, dimensions);
  checkRange('restitution', settings.restitution, 0, 1);
  checkRange('friction', settings.friction, 0, 10);
  checkInteger('substeps', settings.substeps, 1, MAX_SUBSTEPS);
  checkRange('relaxation', settings.relaxation, 0.01, 1);
  if (typeof settings.walls !== 'boolean') throw new ArgumentError('walls', settings.walls, 'true or false');
  if (settings.broadPhase !== 'grid' && settings.broadPhase !== 'naive') {
    throw new ArgumentError('broadPhase', settings.broadPhase, "'grid' or 'naive'");
  }
  return Object.freeze({ ...settings, gravity: Object.freeze(Array.from(settings.gravity, Math.fround)) });
}

/**
 * Checks the seconds of a step: 0 (nothing happens), or at least SHORTEST_STEP per substep and at most `longestStep`.
 */
export function checkTimeStep(
  dt: unknown,
  { settings, longestStep }: { readonly settings: Settings; readonly longestStep: number },
): asserts dt is number {
  const { substeps } = settings;
  checkFinite('dt', dt);
  if (dt !== 0 && !(dt / substeps >= SHORTEST_STEP)) {
    throw new ArgumentError('dt', dt, `0 or at least ${SHORTEST_STEP} s for each of ${substeps} substeps`);
  }
  refuseLongStep(dt, longestStep);
}

/** The numbers of a substep as 32-bit floats, as the shaders read them. */
export interface Substep {
  readonly dt: number;
  readonly inverseDt: number;
  readonly gravity: readonly number[];
  readonly diameter: number;
  /** Particles overlap if their distance² is below this. With variable radii: see reachSquared(). */
  readonly diameterSquared: number;
  readonly restitution: number;
  readonly friction: number;
  /** relaxation / 2. Between two equal particles, `spring` (see law.ts) is this share of their overlap. */
  readonly halfRelaxation: number;
  /**
   * Friction may remove at most this share of the sliding from each of two equal particles: relaxation / 2 in 2D, / 8
   * in 3D.
   */
  readonly gripShare: number;
  /** The speed that gravity adds in REST_SUBSTEPS substeps. Slower contacts do not bounce, so that bodies settle. */
  readonly restSpeed: number;
  /**
   * The greatest speed that one push may give. It is the lowest of three speeds:
   *   - the speed of a fall through the world
   *   - 8 times the speed that a particle needs per substep to hold up a column of particles as high as the world. If
   *     radii differ, the column consists of the largest particles, and the speed is multiplied by the cube root of the
   *     ratio of the largest mass to the smallest.
   *   - GREATEST_SPEED
   */
  readonly pushSpeed: number;
  /**
   * If two equal bodies part at the speed s, a push gives each at most pushSpeed − parting · s / 2. If radii differ,
   * `parting` is PARTING times the square of the cube root in pushSpeed, so that crowds of different sizes gain
   * less speed.
   */
  readonly parting: number;
  /**
   * pushSpeed / 8 and restSpeed / 4. All contacts of a pass together change a velocity by at most kickSpeed in deep
   * overlaps and calmSpeed under strain, or by more if a contact approaches (`limit` in law.ts).
   */
  readonly kickSpeed: number;
  readonly calmSpeed: number;
  /** DEEP / diameter: factor from an overlap of particles of one size to its `depth` (law.ts). */
  readonly deepRate: number;
  /** From a speed to its `strain` (law.ts): STRAIN / pushSpeed, or 0 if pushSpeed is at most LEAST_REST_SPEED. */
  readonly strainRate: number;
  /**
   * With walls, centres stay within `lower` and `upper`. With variable radii, these are the walls; each centre stays
   * the radius or half extent of its body away from them.
   */
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  readonly walls: boolean;
  readonly substeps: number;
}

export class SubstepMemo {
  /** The last time step above 0, in seconds; 1/60 before the first. */
  step = 1 / 60;
  private dt = -1;
  private settings: Settings | undefined;
  private substep: Substep | undefined;

  constructor(
    private readonly world: World,
    private readonly diameter: number,
  ) {}

  derive(settings: Settings, dt: number): Substep {
    if (dt > 0) this.step = dt;
    if (!this.substep || this.dt !== dt || this.settings !== settings) {
      this.substep = deriveSubstep(this.world, this.diameter, settings, dt);
      this.dt = dt;
      this.settings = settings;
    }
    return this.substep;
  }
}

/**
 * Returns a factor f. With variable radii, two particles are neighbours if their distance² is below f · (sum of both
 * radii)². With boxes, f is a little above 1, so that rounding (less than 2⁻²⁰) leaves out no boxes whose corners
 * overlap.
 */
function reachSquared({ boxes }: World): number {
  return boxes ? 1 + 2 ** -18 : 1;
}

export function deriveSubstep(world: World, diameter: number, settings: Settings, dt: number): Substep {
  const substepTime = Math.fround(dt / settings.substeps);
  const gravity = settings.gravity.map(Math.fround);
  // `hypot` may differ between engines of JavaScript.
  const acceleration = Math.sqrt(gravity.reduce((sum, along) => sum + along * along, 0));
  const roundedDiameter = Math.fround(diameter);
  const height = (axis: number) =>
    world.kind === 'unbounded'
      ? UNBOUNDED_FALL * roundedDiameter
      : (world.max[axis] as number) - (world.min[axis] as number);
  const fall = gravity.reduce((sum, component, axis) => sum + Math.abs(component) * height(axis), 0);
  const massRatio = (world.diameter / world.smallestDiameter) ** world.dimensions;
  const strength = Math.cbrt(massRatio);
  const column = strength * (fall / roundedDiameter) * substepTime;
  const pushSpeed = Math.fround(Math.min(Math.sqrt(2 * fall), COLUMNS * column, GREATEST_SPEED));
  const restSpeed = Math.fround(REST_SUBSTEPS * acceleration * substepTime);
  const hasWalls = (axis: number) => world.kind !== 'unbounded' && world.period[axis] === 0;
  const ownRadii = world.levels > 0;
  const radius = ownRadii ? 0 : roundedDiameter / 2;
  return {
    dt: substepTime,
    inverseDt: substepTime > 0 ? Math.fround(1 / substepTime) : 0,
    gravity,
    diameter: roundedDiameter,
    diameterSquared: ownRadii ? reachSquared(world) : Math.fround(roundedDiameter * roundedDiameter),
    restitution: Math.fround(settings.restitution),
    friction: Math.fround(settings.friction),
    halfRelaxation: Math.fround(settings.relaxation / 2),
    gripShare: Math.fround(settings.relaxation / (world.dimensions === 2 ? 2 : 8)),
    restSpeed,
    pushSpeed,
    parting: Math.fround(PARTING * strength * strength),
    kickSpeed: pushSpeed / 8,
    calmSpeed: restSpeed / 4,
    deepRate: Math.fround(DEEP / roundedDiameter),
    strainRate: pushSpeed > LEAST_REST_SPEED ? Math.fround(STRAIN / pushSpeed) : 0,
    lower: world.min.map((low, axis) => (hasWalls(axis) ? Math.fround(low + radius) : -GREATEST_FLOAT)),
    upper: world.max.map((high, axis) => (hasWalls(axis) ? Math.fround(high - radius) : GREATEST_FLOAT)),
    walls: settings.walls,
    substeps: settings.substeps,
  };
}
