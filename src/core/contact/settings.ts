/**
 * The settings that may change between steps without rebuilding anything: defaults, checks, and the numbers of one
 * substep that the GPU host, the reference and the CPU engine derive from it. The contact law that they control is in
 * law.ts.
 */
import { checkFinite, checkInteger, checkKnownKeys, checkRange, checkVector } from '../base/checks';
import { ArgumentError } from '../base/errors';
import { type Dimensions, GREATEST_FLOAT, type RadiusRange, type World } from '../world/world';

export type BroadPhase = 'grid' | 'naive';

export interface Settings {
  /** Acceleration, length / s². Default 0. */
  readonly gravity: readonly number[];
  /** Speed kept in a bounce, 0 to 1. Default 0. */
  readonly restitution: number;
  /** Coulomb friction between particles and with walls, 0 to 10. Default 0.2. */
  readonly friction: number;
  /** Substeps per step, each with its own grid; stiffness grows with their square. Default 8. */
  readonly substeps: number;
  /**
   * Share of an overlap that one pass removes. Defaults 0.35 in 2D, 0.25 in 3D: above 0.355 and 0.285 the densest
   * packings never come to rest (see Stability in law.ts). If radii differ, 0.3 in 2D; if particles may be boxes, 0.3
   * and 0.15.
   */
  readonly relaxation: number;
  /** Keeps particles inside the world's box, along axes that do not wrap. Default true. */
  readonly walls: boolean;
  /**
   * The way to find candidates. The results are the same to the bit, except in unbounded worlds on the GPU and with
   * variable radii, for which sums over neighbours have another order. Default 'grid'.
   */
  readonly broadPhase: BroadPhase;
}

/**
 * Settings of a saved state. Older states also name `iterations`, the resolve passes per substep, of which there is
 * only one now. Other numbers would give other results, so they are rejected with an ArgumentError.
 */
export function readSavedSettings(name: string, saved: SettingsOptions): SettingsOptions {
  if (!('iterations' in saved)) return saved;
  const { iterations, ...settings } = saved as SettingsOptions & { readonly iterations?: unknown };
  if (iterations !== undefined && iterations !== 1) {
    throw new ArgumentError(`${name}.iterations`, iterations, '1, because substeps replaced it');
  }
  return settings;
}

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
/** The most rounds of `separate`. */
export const MAX_ROUNDS = 64;

/** Depth in diameters of the fall that limits the speed of a push in an unbounded world. */
const UNBOUNDED_FALL = 100;

/** Shortest substep in seconds. With shorter ones, 1 / dt makes rounding errors of positions dominate velocities. */
export const SHORTEST_STEP = 1e-7;

/** `range`: the range of radii, if each particle has its own; `boxes`: whether some particles may be boxes. */
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

/** Returns `base` with `changes` applied, checked as a whole. Does not change `base`. */
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

/** Checks the time of a step in seconds: 0 (nothing happens) or at least SHORTEST_STEP per substep. */
export function checkTimeStep(dt: unknown, substeps: number): asserts dt is number {
  checkFinite('dt', dt);
  if (dt !== 0 && !(dt / substeps >= SHORTEST_STEP)) {
    throw new ArgumentError('dt', dt, `0 or at least ${SHORTEST_STEP} s for each of ${substeps} substeps`);
  }
}

/** The parameters of one substep, each a 32-bit float, as the shaders read them. */
export interface Substep {
  readonly dt: number;
  readonly inverseDt: number;
  readonly gravity: readonly number[];
  readonly diameter: number;
  /**
   * Limit of distance² of overlapping particles; with variable radii, relative to the square of the sum of both radii.
   */
  readonly diameterSquared: number;
  readonly restitution: number;
  readonly friction: number;
  /** relaxation / 2: the share of an overlap that one of two equal sides moves. */
  readonly halfRelaxation: number;
  /**
   * Largest share of the sliding that friction may take off one of two equal sides: relaxation / 2 in 2D, / 8 in 3D.
   */
  readonly gripShare: number;
  /** Contacts slower than the speed that gravity adds in two substeps are at rest and do not bounce. */
  readonly restSpeed: number;
  /** The most speed that a push may give: that of a fall through the world (see UNBOUNDED_FALL), 0 without gravity. */
  readonly pushSpeed: number;
  /** Centres stay within these corners if walls are on; with variable radii, each by its own radius more. */
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  readonly walls: boolean;
  /** Number of substeps per step. */
  readonly substeps: number;
}

/** Calls deriveSubstep for one world and diameter, and keeps the result until the time step or the settings change. */
export class SubstepMemo {
  private dt = -1;
  private settings: Settings | undefined;
  private substep: Substep | undefined;

  constructor(
    private readonly world: World,
    private readonly diameter: number,
  ) {}

  derive(settings: Settings, dt: number): Substep {
    if (!this.substep || this.dt !== dt || this.settings !== settings) {
      this.substep = deriveSubstep(this.world, this.diameter, settings, dt);
      this.dt = dt;
      this.settings = settings;
    }
    return this.substep;
  }
}

/**
 * Limit of distance² of the neighbours that a particle with its own size tests, relative to the square of the sum of
 * both radii. For boxes the radii are those of the balls around them, and the limit is a little larger: sum, square and
 * comparison of 32-bit floats are off by less than 2⁻²⁰, which must not exclude two boxes whose corners overlap.
 */
function reachSquared({ boxes }: World): number {
  return boxes ? 1 + 2 ** -18 : 1;
}

export function deriveSubstep(world: World, diameter: number, settings: Settings, dt: number): Substep {
  const substepTime = Math.fround(dt / settings.substeps);
  const gravity = settings.gravity.map(Math.fround);
  const acceleration = Math.hypot(...gravity);
  const roundedDiameter = Math.fround(diameter);
  const height = (axis: number) =>
    world.kind === 'unbounded'
      ? UNBOUNDED_FALL * roundedDiameter
      : (world.max[axis] as number) - (world.min[axis] as number);
  const fall = gravity.reduce((sum, component, axis) => sum + Math.abs(component) * height(axis), 0);
  // Axes that wrap have no walls, and an unbounded world has none at all.
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
    restSpeed: Math.fround(2 * acceleration * substepTime),
    pushSpeed: Math.fround(Math.sqrt(2 * fall)),
    lower: world.min.map((low, axis) => (hasWalls(axis) ? Math.fround(low + radius) : -GREATEST_FLOAT)),
    upper: world.max.map((high, axis) => (hasWalls(axis) ? Math.fround(high - radius) : GREATEST_FLOAT)),
    walls: settings.walls,
    substeps: settings.substeps,
  };
}
