/**
 * Purpose: what can be changed between steps without rebuilding anything, its defaults and its checks;
 * and the numbers of one substep derived from it, shared by the GPU host, the reference and the CPU engine.
 *
 * The contact law (one place, three implementations: shaders/solve/resolve.wgsl, src/reference/solve/resolve.ts,
 * src/cpu/). All particles of one radius weigh 1. For particle a and an overlapping neighbour b, with n from b to a,
 * overlap = diameter − distance and the relative velocity's normal part vn = (va − vb)·n:
 *   - position: a is pushed by ½ · relaxation · overlap along n, b by as much the other way;
 *   - if a and b are each other's fastest approaching contact (restitution > 0, vn < −restSpeed), they
 *     bounce as a pair: a's velocity changes by −½ (1 + restitution) vn. A particle bounces off at most
 *     one other a substep, so a bounce keeps momentum and, at restitution 1, energy, in any crowd;
 *   - otherwise velocity follows position: push / dt, at most `pushSpeed` (or what stops the approach);
 *     times (1 − restitution) where |vn| > restSpeed, so that elastic particles gain nothing from overlap;
 *   - friction takes at most friction · (normal velocity change) off the tangential velocity, and at most
 *     ½ · relaxation of it, in space a quarter of that; unless the two bounce, it takes the way of that back too.
 * Stability: over position and velocity, a Jacobi pass damps a mode of the contact network whose normal part it
 * takes λ off and whose sliding part σ off if 3 λ + 2 σ < 4, and makes it swing for ever if not. In the densest
 * packing of discs the stiffest modes have λ = 3 and σ = 1 times the relaxation, in that of spheres λ = 4 and
 * σ = 1 times it. Over all modes, numerically, discs are stable up to 0.355 and spheres up to 0.285.
 * Obstacles, the particles that never move: the law is that of particles, with what both sides would do done by one.
 * For particle a on obstacle b, vn = va·n:
 *   - position: a is pushed by relaxation · overlap along n;
 *   - if b is a's fastest approaching contact of all (restitution > 0, vn < −restSpeed), a bounces as off a wall: its
 *     velocity changes by −(1 + restitution) vn. Nobody else bounces off a in that pass;
 *   - otherwise velocity follows position as above, at most `pushSpeed` (or what stops the approach, all of it);
 *   - friction as above, at most ½ · relaxation of the tangential velocity, in space a quarter of that;
 *   - all this but the bounce is multiplied with deepest / sum, of the overlaps of a with all obstacles: they may lie as
 *     close as anybody likes, upon each other even, and push no farther together than the deepest would alone.
 * Stability: obstacles take λ ≤ 1 and σ ≤ ½ (in space ⅛) times the relaxation off a particle that touches nothing else,
 * stable whatever the relaxation. Seen from a, an obstacle is a neighbour that moves just the other way, and takes no
 * more off a mode than a neighbour in its place might: so the bounds above should hold among neighbours too. That is
 * not proven, but measured on piles upon obstacles (docs/obstacles.md). Twice the deepest overlap instead of once made
 * discs on a dense floor swing for ever.
 * Particles with radii of their own: each weighs (radius / the largest radius there may be)^dimensions. The law is the
 * same with overlap = radiusA + radiusB − distance, and with what a does of what both do: where the law above says ½ for
 * a, it is massShare(a, b) = weight of b / (weight of a + weight of b), and where it says `pushSpeed`, 2 · massShare(a, b)
 * times it; so momentum is kept, to rounding.
 * Stability: with modes weighed by the weights, 3 λ + 2 σ < 4 holds as above. Small ones in the gaps between large ones make
 * a packing stiffer: numerically, over all modes, discs in the gaps of the densest packing are stable up to 0.340 and in
 * those of a square one up to 0.344, spheres in the gaps of four and of six in the densest packing up to 0.270. Random
 * packings with ratios up to 1:64 are stable up to 0.35 and 0.33 at least, where overlaps are small. Hence the defaults 0.3 and 0.25.
 * Boxes (src/core/particles/shapes.ts): the same with the overlap and the normal of the shortest way out, and weights by volume.
 * Normals lie along axes, so that a mode along one knows only contacts across it: of n equal boxes on each that touch it on
 * both sides of an axis, at most λ = n relaxation, stable below 4 / (3 n). Bricks in bond have n = 4 and are stable up to
 * 0.33, cubes that each lie on four others n = 8 and are up to 0.166 (measured: at rest at 0.15, not at 0.2). Hence the
 * defaults 0.3 and 0.15; long ones across each other in great number ask for less.
 * Walls do the same with an unmovable other side. Everything read is the state before the pass (Jacobi),
 * and each contribution is antisymmetric in a and b to the bit.
 */
import { checkFinite, checkInteger, checkKnownKeys, checkRange, checkVector } from '../base/checks';
import { ArgumentError } from '../base/errors';
import { type Dimensions, GREATEST_FLOAT, type RadiusRange, type World } from '../world/world';

/**
 * Of what two particles with radii of their own do to each other, the part that the one does: the other's weight of the
 * weight of both, from the ratio of their radii, which neither overflows nor divides by nothing. In 32-bit floats, as the
 * shaders have it.
 */
export function massShare(dimensions: Dimensions, own: number, other: number): number {
  const { fround } = Math;
  const isSmaller = own < other;
  const ratio = fround(isSmaller ? fround(own / other) : fround(other / own));
  const area = fround(ratio * ratio);
  const weight = dimensions === 2 ? area : fround(area * ratio);
  return fround((isSmaller ? 1 : weight) / fround(1 + weight));
}

export type BroadPhase = 'grid' | 'naive';

export interface Settings {
  /** Acceleration, length / s². Default 0. */
  readonly gravity: readonly number[];
  /** Speed kept in a bounce, 0 to 1. Default 0. */
  readonly restitution: number;
  /** Coulomb friction between particles and with walls, 0 to 10. Default 0.2. */
  readonly friction: number;
  /** Substeps of a step, each with its own grid; stiffness grows with their square. Default 8. */
  readonly substeps: number;
  /** Resolve passes on the grid of one substep. Default 1: another substep buys more. */
  readonly iterations: number;
  /**
   * Share of an overlap that one pass takes away. Defaults 0.35 in 2D, 0.25 in 3D: above 0.355 and 0.285
   * the densest packings never come to rest (see Stability above). Where radii differ, 0.3 in 2D; where particles may be
   * boxes, 0.3 and 0.15.
   */
  readonly relaxation: number;
  /** Keeps particles inside the world's box, along axes that do not wrap around. Default true. */
  readonly walls: boolean;
  /**
   * How candidates are found; the results are the same to the bit, but in unbounded worlds on the GPU, and where each
   * particle has a radius of its own: there sums over neighbours come in another order. Default 'grid'.
   */
  readonly broadPhase: BroadPhase;
}

export type SettingsOptions = { readonly [Key in keyof Settings]?: Settings[Key] | undefined };

export const SETTING_NAMES = [
  'gravity',
  'restitution',
  'friction',
  'substeps',
  'iterations',
  'relaxation',
  'walls',
  'broadPhase',
] as const satisfies readonly (keyof Settings)[];

export const MAX_SUBSTEPS = 256;
export const MAX_ITERATIONS = 64;

/** Diameters: where the world has no height, a push gives at most the speed of a fall so deep. */
const UNBOUNDED_FALL = 100;

/** Shorter steps make 1 / dt overflow into noise. */
export const SHORTEST_STEP = 1e-7;

/** `range`: what radii may be, where each particle has its own; `boxes`: whether some may be boxes. */
export function defaultSettings(dimensions: Dimensions, range?: RadiusRange, boxes = false): Settings {
  const isMixed = boxes || (range !== undefined && range.smallest < range.largest);
  return {
    gravity: new Array<number>(dimensions).fill(0),
    restitution: 0,
    friction: 0.2,
    substeps: 8,
    iterations: 1,
    relaxation: dimensions === 2 ? (isMixed ? 0.3 : 0.35) : boxes ? 0.15 : 0.25,
    walls: true,
    broadPhase: 'grid',
  };
}

/** `changes` over `base`, checked as a whole; `base` is left alone. */
export function resolveSettings(dimensions: Dimensions, base: Settings, changes: SettingsOptions): Settings {
  checkKnownKeys('settings', changes, SETTING_NAMES);
  const merged: Record<string, unknown> = { ...base };
  for (const name of SETTING_NAMES) if (changes[name] !== undefined) merged[name] = changes[name];
  const settings = merged as unknown as Settings;
  checkVector('gravity', settings.gravity, dimensions);
  checkRange('restitution', settings.restitution, 0, 1);
  checkRange('friction', settings.friction, 0, 10);
  checkInteger('substeps', settings.substeps, 1, MAX_SUBSTEPS);
  checkInteger('iterations', settings.iterations, 1, MAX_ITERATIONS);
  checkRange('relaxation', settings.relaxation, 0.01, 1);
  if (typeof settings.walls !== 'boolean') throw new ArgumentError('walls', settings.walls, 'true or false');
  if (settings.broadPhase !== 'grid' && settings.broadPhase !== 'naive') {
    throw new ArgumentError('broadPhase', settings.broadPhase, "'grid' or 'naive'");
  }
  return Object.freeze({ ...settings, gravity: Object.freeze(Array.from(settings.gravity, Math.fround)) });
}

/** Time of a step in seconds: 0 (nothing happens) or at least SHORTEST_STEP a substep. */
export function checkTimeStep(dt: unknown, substeps: number): asserts dt is number {
  checkFinite('dt', dt);
  if (dt !== 0 && !(dt / substeps >= SHORTEST_STEP)) {
    throw new ArgumentError('dt', dt, `0 or at least ${SHORTEST_STEP} s for each of ${substeps} substeps`);
  }
}

/** The numbers of one substep, each a 32-bit float, as the shaders read them. */
export interface Substep {
  readonly dt: number;
  readonly inverseDt: number;
  readonly gravity: readonly number[];
  readonly diameter: number;
  /** What distances² of particles that overlap are below: where each has its own radius, in squares of the sum of two. */
  readonly diameterSquared: number;
  readonly restitution: number;
  readonly friction: number;
  /** relaxation / 2: the share of an overlap that one side of a contact moves. */
  readonly halfRelaxation: number;
  /** Share of the sliding that friction may take off one side: relaxation / 2 in 2D, / 8 in 3D. */
  readonly gripShare: number;
  /** Contacts slower than what gravity adds in two substeps are at rest: they do not bounce. */
  readonly restSpeed: number;
  /** A push gives at most the speed of a fall through the world (UNBOUNDED_FALL); without gravity it gives none. */
  readonly pushSpeed: number;
  /** Centres stay within these corners, where particles have radii of their own by their radius, where walls are on. */
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  readonly walls: boolean;
  /** Of a step. */
  readonly substeps: number;
}

/** deriveSubstep for one world and diameter, remembered while the time step and the settings stay. */
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
 * Up to where the neighbours of a particle that has a size of its own are looked at, in squares of the sum of both radii. Of
 * boxes those whose balls overlap are looked at, and a little more: sum, square and comparison of 32-bit floats, off by
 * less than 2^-20, must not come between two whose corners overlap.
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
  // Axes that wrap around have no walls, and unbounded space has none at all.
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
