/**
 * Purpose: how far a GPU's positions and velocities after one resolve (or separate) pass may be from the
 * reference's, both starting from the same bits. Derived from the accuracies that WGSL grants, not tuned.
 * Inputs: the sorted state before the pass. Outputs for each slot: the bound on the difference of each
 * coordinate, and the state that exact arithmetic would give (in doubles).
 *
 * Both sides are compared with exact arithmetic: each is off by at most E, so they differ by at most 2 E.
 * Let u = 2⁻²⁴ (half an ulp, relative), k the dimensions, D the diameter, w = relaxation / 2. WGSL rounds
 * + − × correctly (u each), may fuse or reorder them (which the counts below allow for), inverseSqrt is good
 * to 2 ulp (4 u), a quotient to 2.5 ulp (5 u), and sqrt to what 1 / inverseSqrt gives: 4 u + 5 u = 9 u.
 * «off by r» below is relative, «±e» absolute. Products of errors (u²) are covered by a factor 1 + 2⁻¹⁰ at the
 * end, as are the roundings of the doubles used here.
 *
 * One contact at distance d, overlap δ = D − d, relative velocity r of length V:
 *   apart       each difference is rounded once:                                off by u
 *   d²          square (2 u + u), k − 1 sums of positive terms:                 off by (k + 2) u
 *   d           half of that, and a sqrt:                                       off by DISTANCE = (k + 2) / 2 u + 9 u
 *   n           apart / d:                                                      off by NORMAL = DISTANCE + 6 u
 *   δ           D − d, rounded:                                                 ± d · DISTANCE + δ u
 *   p = w δ     one product:                                                    ± w (d · DISTANCE + 2 δ u)
 *   a = r·n     r is off by u, n by NORMAL, k roundings on terms ≤ V in all:    ± V · APPROACH = V (NORMAL + (k + 1) u)
 *   s = r − a n  a's error, a n's own (NORMAL + u), r's, the difference's:      ± V · SLIDING = V (APPROACH + NORMAL + 3 u)
 * A pair inside the band of brute-force.ts may be a contact on one side only; its |δ| is then at most
 * (k + 3) / 2 u D, which is added to δ's error with a factor of 2 to spare.
 *
 * Change of normal velocity c. Bearing contacts: min(p / dt, cap) · kept; minimum and maximum pass errors on
 * undiminished but not enlarged, so ± max(p's error / dt, a's error / 2), and three roundings. `kept` jumps by the
 * restitution where |a| = restSpeed: where a's error does not settle it, that jump is added. Bounces:
 * ½ (1 + e) |a| with a's error and three roundings. Whether two particles bounce hangs on comparisons of a; where
 * the errors do not settle them for either particle, the contact is undecided and the difference of both
 * outcomes is added.
 *
 * Friction G = min(f c, g |s|) s / |s| is the projection of w s onto the ball of radius f c: it passes on w times
 * the error of s and f times that of c, no more, however small s is. Its own roundings: f c or w |s| (1 u),
 * |s| twice (k / 2 u + 9 u each, once in the minimum and once below the line), a quotient (5 u), a product (u):
 * (k + 25) u |G|, taken as (k + 26) u. |s|² may be flushed to 0 when |s| < 2⁻⁶³ √k: ± w 2⁻⁶².
 *
 * Sums over m contacts add at most γ = m u / (1 − m u) times the sum of magnitudes, in any order; adding the sum
 * to the coordinate rounds once more: u (|x| + sum). Clamping to the walls enlarges nothing. A wall the particle
 * meets adds its change and friction as above (f c against the whole of s), with the errors of the
 * position and velocity that come in.
 *
 * A particle carried across an end of a periodic world has the period P added or taken off: u (|x| + P) once more.
 * A contact across such an end: the difference of coordinates is about P, so ± u P, which is √k u P / d relative to
 * the distance: DISTANCE and NORMAL grow by it.
 *
 * An obstacle does alone what both sides of a contact do: twice the push, with twice the error, since doubling rounds
 * nothing; p min v with v of the full approach; bounces (1 + e) |a|. Its velocity is 0, so r is v, and not off at all.
 * All but the bounce of what they do, S, is multiplied with a share s = min(1, M / T), M the deepest overlap and T
 * the sum of all: s lies between its values for M and T off by the greatest error and the sum of errors of the
 * overlaps (T's sum rounds too), with a quotient (5 u) and a product (u) more. |S| is at most the sum of magnitudes,
 * which the spread of s is multiplied with; then s S is added to the rest.
 *
 * Particles with radii of their own: D is the reach R of each pair, the sum of both radii, rounded once more. So
 * distance² is compared with R² (1 ± 3 u), the band is 2 u R² wider, and δ is off by u R more. What was half is the share
 * s of massShare in core/contact/settings.ts, which is computed:
 *   q     the smaller radius / the larger:                                      off by 5 u
 *   w     q² in the plane, q³ in space:                                         off by 11 u, 17 u
 *   s     1 or w, over 1 + w. The sum is off by u and by w / (1 + w) times what w is off by; divided by it,
 *         5 u, and w above the line brings its own:                             off by SHARE = 17 u, 23 u
 * p is 2 s w' δ with w' the relaxation / 2, two products: ± 2 s w' (d · DISTANCE + u R + (SHARE + 3 u) δ). s |a| in the
 * cap and in the bounce, and 2 s times the grip's share of |s|, are off by SHARE and a product more. A wall is a radius
 * away from the corner of the box, a sum that both sides round alike.
 *
 * Boxes (src/core/particles/shapes.ts): b = |apart| − h, along each axis two differences and a sum of half extents: ± u (|apart| + h +
 * |b|), and u P across an end; nothing where all of them are 32-bit floats. With e the length of these, the distance |o| is
 * off by e and DISTANCE, o / |o| by 2 e / |o| and NORMAL: as if e were what the difference of coordinates is off by. The
 * least deep overlap is off by its axis' error. Where rounding may say otherwise whether one is outside, or which axis is the
 * least deep, nothing is bounded.
 *
 * All vector errors are bounded in length, hence for each coordinate.
 */
import { NO_PARTNER } from '../../core/base/constants';
import type { Substep } from '../../core/contact/settings';
import { OBSTACLE_PARTNER, obstacleShare } from '../../core/obstacles/obstacles';
import { NOT_APART } from '../../core/particles/shapes';
import type { World } from '../../core/world/world';
import { pairBand, UNIT_ROUNDOFF as U } from '../query/brute-force';
import { type GridState, probeCells } from '../query/probe';
import { type Bodies, COINCIDENT_SQUARED, coincidentNormal, nearestImage } from './contact';
import type { Box } from './contact-law';
import { type Obstacles, probeObstacles } from './obstacles';
import { boxOf } from './resolve';

export interface ResolveBound {
  /** For each slot: the GPU's and the reference's coordinates differ by at most this. */
  readonly positions: Float64Array;
  readonly velocities: Float64Array;
  /** Packed: what exact arithmetic gives, in a periodic world perhaps a little outside the box. Each side is within half the bound of it. */
  readonly exactPositions: Float64Array;
  readonly exactVelocities: Float64Array;
}

/** For products of errors and for the doubles this is computed in. */
const SLACK = 1 + 2 ** -10;

/** A few flushed subnormals. */
const FLUSHED = 2 ** -120;

/** The |s| that flushing |s|² to 0 can lose. */
const LOST_SLIDING = 2 ** -62;

export function resolveBound(
  world: World,
  substep: Substep,
  grid: GridState,
  mode: 'resolve' | 'separate' = 'resolve',
  obstacles?: Obstacles,
): ResolveBound {
  const { dimensions } = world;
  const count = grid.cells.length;
  const accuracy = accuracyOf(dimensions);
  const bounces =
    mode === 'resolve' && substep.restitution > 0
      ? findBounces(world, substep, grid, accuracy, obstacles)
      : undefined;
  const positions = new Float64Array(count);
  const velocities = new Float64Array(count);
  const exactPositions = Float64Array.from(grid.positions);
  const exactVelocities = Float64Array.from(grid.velocities);
  for (let slot = 0; slot < count; slot++) {
    const cell = grid.cells[slot] as number;
    if (cell >= world.cellCount) continue;
    const place = vectorOf(dimensions, grid.positions, slot);
    const velocity = vectorOf(dimensions, grid.velocities, slot);
    const push = new Sum(dimensions);
    const change = new Sum(dimensions);
    probeCells(world, grid, slot, (other) => {
      const contact = contactOf(world, substep, grid, slot, other, accuracy);
      if (!contact) return;
      if (mode === 'separate') {
        push.add(scaled(contact.push, contact.normal), pushError(contact), contact.push);
      } else {
        addContact(substep, contact, bounces?.(slot, other, contact) ?? SETTLED_NO, push, change);
      }
    });
    if (obstacles) {
      const met = new Obstructions(dimensions);
      probeObstacles(world, grid, slot, obstacles, (other) => {
        const contact = contactOf(world, substep, grid, slot, other, accuracy, obstacles);
        if (!contact) return;
        met.count(contact);
        if (mode === 'separate') {
          met.push.add(scaled(contact.push, contact.normal), pushError(contact), contact.push);
          return;
        }
        const verdict = bounces?.(slot, (OBSTACLE_PARTNER | other) >>> 0, contact) ?? SETTLED_NO;
        // Where a bounce is in doubt, so is whether its change is shared: once as if it were, and once the rest.
        addContact(substep, contact, verdict, met.push, verdict.isBounce ? met.bounce : met.change);
        if (!verdict.isSettled) met.bounce.add(scaled(0, contact.normal), met.widest(substep, contact), 0);
      });
      met.addTo(push, change);
    }
    const body = { position: push.addTo(place), velocity: change.addTo(velocity) };
    const box = boxOf(substep, grid, slot);
    if (mode === 'resolve' && substep.walls) meetWalls(substep, box, accuracy, body);
    if (substep.walls) {
      for (let axis = 0; axis < dimensions; axis++) {
        const low = Math.max(body.position.value[axis] as number, box.lower[axis] as number);
        body.position.value[axis] = Math.min(low, box.upper[axis] as number);
      }
    }
    body.position.error += wrappingError(world, body.position);
    positions[slot] = 2 * SLACK * body.position.error;
    exactPositions.set(body.position.value, slot * dimensions);
    if (mode === 'separate') continue;
    velocities[slot] = 2 * SLACK * body.velocity.error;
    exactVelocities.set(body.velocity.value, slot * dimensions);
  }
  return { positions, velocities, exactPositions, exactVelocities };
}

/** What is at an end of a periodic axis, or may be, has the period added or taken off, and is rounded once more. */
function wrappingError(world: World, { value, error }: Approximate): number {
  let sum = 0;
  for (let axis = 0; axis < value.length; axis++) {
    const period = world.period[axis] as number;
    const low = world.min[axis] as number;
    const at = value[axis] as number;
    if (period === 0 || (at - error >= low && at + error < low + period)) continue;
    const isBeyond = at - error < low - period || at + error >= low + 2 * period;
    // Several periods are a product and a difference, and one of them may still be missing.
    sum += U * (Math.abs(at) + period) * (isBeyond ? 4 : 1);
  }
  return sum;
}

/** The relative errors of the header, by name. */
interface Accuracy {
  readonly distance: number;
  readonly normal: number;
  readonly approach: number;
  readonly sliding: number;
  readonly friction: number;
}

/** `apart`: what the difference of coordinates is off by, beyond its one rounding. */
function accuracyOf(dimensions: number, apart = 0): Accuracy {
  const distance = ((dimensions + 2) / 2 + 9) * U + apart;
  const normal = distance + 6 * U + apart;
  const approach = normal + (dimensions + 1) * U;
  const sliding = approach + normal + 3 * U;
  return { distance, normal, approach, sliding, friction: (dimensions + 26) * U };
}

/** An exact vector and how far a computed one may be from it. */
interface Approximate {
  readonly value: number[];
  error: number;
}

/** Contributions of contacts. */
class Sum {
  readonly value: number[];
  error = 0;
  magnitude = 0;
  terms = 0;

  constructor(dimensions: number) {
    this.value = new Array<number>(dimensions).fill(0);
  }

  add(contribution: readonly number[], error: number, magnitude: number): void {
    for (let axis = 0; axis < this.value.length; axis++) {
      this.value[axis] = (this.value[axis] as number) + (contribution[axis] as number);
    }
    this.error += error + FLUSHED;
    this.magnitude += magnitude;
    this.terms++;
  }

  addTo(vector: readonly number[]): Approximate {
    // Adding nothing rounds nothing.
    if (this.terms === 0) return { value: [...vector], error: 0 };
    const growth = (this.terms * U) / (1 - this.terms * U);
    return {
      value: vector.map((component, axis) => component + (this.value[axis] as number)),
      error: this.error + growth * this.magnitude + U * (length(vector) + this.magnitude),
    };
  }
}

/** What obstacles do to a particle: all but a bounce is shared. */
class Obstructions {
  readonly push: Sum;
  readonly change: Sum;
  readonly bounce: Sum;
  private deepest = 0;
  private greatestError = 0;
  private overlaps = 0;
  private overlapsError = 0;

  constructor(dimensions: number) {
    this.push = new Sum(dimensions);
    this.change = new Sum(dimensions);
    this.bounce = new Sum(dimensions);
  }

  count({ overlap, overlapError }: ExactContact): void {
    this.deepest = Math.max(this.deepest, overlap);
    this.greatestError = Math.max(this.greatestError, overlapError);
    this.overlaps += overlap;
    this.overlapsError += overlapError;
  }

  /** Whether it is a bounce or shared being in doubt, both together and their friction, twice. */
  widest({ restitution, friction, pushSpeed }: Substep, { speed }: ExactContact): number {
    return 2 * (1 + friction) * ((1 + restitution) * speed + Math.max(pushSpeed, speed));
  }

  addTo(push: Sum, change: Sum): void {
    const { deepest, greatestError, overlaps } = this;
    const { terms } = this.push;
    if (terms === 0) return;
    const share = obstacleShare(deepest, overlaps);
    const off = this.overlapsError + 2 * terms * U * overlaps;
    const least = obstacleShare(Math.max(0, deepest - greatestError), overlaps + off);
    const most = obstacleShare(deepest + greatestError, Math.max(0, overlaps - off));
    // One alone has no share to be in doubt.
    const doubt = terms === 1 ? 0 : Math.max(share - least, most - share) + 6 * U;
    for (const [sum, target] of [
      [this.push, push],
      [this.change, change],
    ] as const) {
      const growth = (sum.terms * U) / (1 - sum.terms * U);
      const error = sum.error + (growth + doubt + 2 * U) * sum.magnitude;
      target.add(scaled(share, sum.value), error, sum.magnitude);
    }
    const { value, error, magnitude } = this.bounce;
    if (this.bounce.terms > 0) change.add(value, error + U * this.bounce.terms * magnitude, magnitude);
  }
}

interface ExactContact {
  readonly normal: readonly number[];
  readonly push: number;
  /** Of the push's amount, without that of its direction. */
  readonly amountError: number;
  readonly relative: readonly number[];
  readonly speed: number;
  readonly approach: number;
  readonly approachError: number;
  readonly accuracy: Accuracy;
  /** Inside the band: perhaps no contact on one side. */
  readonly isDoubtful: boolean;
  readonly overlap: number;
  readonly overlapError: number;
  /** What this side does of what both do. */
  readonly part: Part;
}

/** What one side does of what both do, and how much of the sliding it may take off. */
interface Part {
  readonly share: number;
  readonly gripShare: number;
  /** What either is off by, a product included. */
  readonly error: number;
}

function partOf({ dimensions }: World, { gripShare }: Substep, own?: number, other?: number): Part {
  if (own === undefined || other === undefined) return { share: 0.5, gripShare, error: 0 };
  const ratio = Math.min(own / other, other / own) ** dimensions;
  const share = (own < other ? 1 : ratio) / (1 + ratio);
  return { share, gripShare: 2 * share * gripShare, error: (dimensions === 2 ? 18 : 24) * U };
}

/** How two particles lie to each other. */
interface Geometry {
  readonly normal: readonly number[];
  /** 0 where they may be apart. */
  readonly overlap: number;
  /** What the overlap is off by, but for its own rounding; and what it is at most where it is in doubt. */
  readonly error: number;
  readonly doubt: number;
  readonly accuracy: Accuracy;
  readonly isDoubtful: boolean;
  /** Nobody can say which way the sides take. */
  readonly isTorn: boolean;
}

function boundBalls(
  world: World,
  substep: Substep,
  grid: GridState,
  slot: number,
  other: number,
  settled: Accuracy,
  obstacles?: Obstacles,
): Geometry | undefined {
  const { dimensions, period } = world;
  const others: Bodies = obstacles ?? grid;
  const radius = grid.radii?.[slot];
  const otherRadius = others.radii?.[other];
  // Where radii are equal, it has been rounded long before.
  const reach = radius === undefined || otherRadius === undefined ? substep.diameter : radius + otherRadius;
  const reachError = grid.radii ? U * reach : 0;
  const apart = Array.from({ length: dimensions }, (_, axis) =>
    nearestImage(
      component(dimensions, grid.positions, slot, other, axis, others.positions),
      period[axis] as number,
    ),
  );
  const squared = inner(apart, apart);
  const band = pairBand(dimensions, reach, period) + 2 * reachError * reach * SLACK;
  if (squared > reach * reach + band) return undefined;
  const distance = Math.sqrt(squared);
  const isCoincident = squared < COINCIDENT_SQUARED;
  const across = Math.max(
    ...apart.map((along, axis) =>
      along === component(dimensions, grid.positions, slot, other, axis, others.positions)
        ? 0
        : (period[axis] as number),
    ),
  );
  const accuracy =
    across > 0 ? accuracyOf(dimensions, (Math.sqrt(dimensions) * U * across) / distance) : settled;
  return {
    normal: isCoincident ? coincidentNormal(dimensions, slot, other) : apart.map((along) => along / distance),
    overlap: isCoincident ? reach : Math.max(0, reach - distance),
    error: distance * accuracy.distance + reachError,
    doubt: (dimensions + 3) * U * reach + 2 * reachError,
    accuracy,
    isDoubtful: squared >= reach * reach - band,
    // At the very threshold of coincidence; it is 2⁻⁵⁰ wide.
    isTorn: Math.abs(squared / COINCIDENT_SQUARED - 1) < 16 * U,
  };
}

/** Of two of which each may be a box: see the header. */
function boundShapes(
  { dimensions, period }: World,
  grid: GridState,
  slot: number,
  other: number,
  settled: Accuracy,
  others: Bodies = grid,
): Geometry | undefined {
  const half = ({ halves }: Bodies, body: number, axis: number) =>
    (halves?.[dimensions * body + axis] as number) || 0;
  const rounding = (of: Bodies, body: number) => (half(of, body, 0) > 0 ? 0 : (of.radii?.[body] as number));
  const round = rounding(grid, slot) + rounding(others, other);
  const apart: number[] = [];
  const depths: number[] = [];
  const errors: number[] = [];
  const outside: number[] = [];
  for (let axis = 0; axis < dimensions; axis++) {
    const direct = component(dimensions, grid.positions, slot, other, axis, others.positions);
    const along = nearestImage(direct, period[axis] as number);
    const sides = half(grid, slot, axis) + half(others, other, axis);
    const beyond = Math.abs(along) - sides;
    const isExact = [direct, along, sides, beyond].every((value) => Math.fround(value) === value);
    const across = along === direct ? 0 : (period[axis] as number);
    apart.push(along);
    outside.push(Math.max(0, beyond));
    depths.push(Math.abs(along) < NOT_APART ? -sides : beyond);
    errors.push(isExact ? 0 : U * (Math.abs(along) + sides + Math.abs(beyond) + across));
  }
  const error = length(errors);
  const distance = length(outside);
  const isOutside = distance * distance >= COINCIDENT_SQUARED;
  const least = depths.indexOf(Math.max(...depths));
  const gap = isOutside ? distance : (depths[least] as number);
  const accuracy = isOutside && error > 0 ? accuracyOf(dimensions, (2 * error) / distance) : settled;
  const off = (isOutside ? distance * accuracy.distance : (errors[least] as number)) + U * round;
  const doubt = 2 * off + (dimensions + 3) * U * round;
  const overlap = round - gap;
  if (overlap < -doubt) return undefined;
  const along = apart[least] as number;
  const isUp = Math.abs(along) < NOT_APART ? slot > other : along > 0;
  const rivals = depths.filter(
    (_, axis) =>
      axis !== least &&
      (depths[least] as number) - (depths[axis] as number) <=
        (errors[least] as number) + (errors[axis] as number),
  );
  // Whether outside or not, which axis, and to which side, where rounding may say otherwise.
  const isTorn =
    error > 0 &&
    (isOutside ? distance <= 4 * error : -gap <= error || rivals.length > 0 || Math.abs(along) <= error);
  return {
    normal: isOutside
      ? outside.map((beyond, axis) => (Math.sign(apart[axis] as number) * beyond) / distance)
      : new Array<number>(dimensions).fill(0).with(least, isUp ? 1 : -1),
    overlap: Math.max(0, overlap),
    error: off,
    doubt,
    accuracy,
    isDoubtful: overlap <= doubt,
    isTorn,
  };
}

function contactOf(
  world: World,
  substep: Substep,
  grid: GridState,
  slot: number,
  other: number,
  settled: Accuracy,
  obstacles?: Obstacles,
): ExactContact | undefined {
  const { dimensions } = world;
  const geometry = grid.halves
    ? boundShapes(world, grid, slot, other, settled, obstacles)
    : boundBalls(world, substep, grid, slot, other, settled, obstacles);
  if (!geometry) return undefined;
  const { normal, overlap, accuracy, isDoubtful, isTorn } = geometry;
  const sizes = grid.bulks ?? grid.radii;
  const part = obstacles
    ? { share: 1, gripShare: substep.gripShare, error: 0 }
    : partOf(world, substep, sizes?.[slot], sizes?.[other]);
  const relaxation = 2 * part.share * substep.halfRelaxation;
  const axes = Array.from({ length: dimensions }, (_, axis) => axis);
  const relative = obstacles
    ? vectorOf(dimensions, grid.velocities, slot)
    : axes.map((axis) => component(dimensions, grid.velocities, slot, other, axis));
  const speed = length(relative);
  const amountError = isTorn
    ? Number.POSITIVE_INFINITY
    : relaxation * (geometry.error + (2 * U + part.error) * overlap) +
      (isDoubtful ? relaxation * geometry.doubt : 0);
  return {
    normal,
    push: relaxation * overlap,
    amountError,
    relative,
    speed,
    approach: inner(relative, normal),
    approachError: speed * accuracy.approach,
    accuracy,
    isDoubtful,
    overlap,
    overlapError: amountError / relaxation,
    part,
  };
}

function pushError(contact: ExactContact): number {
  return contact.amountError + contact.push * (contact.accuracy.normal + U);
}

/** Does a contact bounce, and do the errors leave any doubt? */
interface Verdict {
  readonly isBounce: boolean;
  readonly isSettled: boolean;
}

const SETTLED_NO: Verdict = { isBounce: false, isSettled: true };

function addContact(
  substep: Substep,
  contact: ExactContact,
  { isBounce, isSettled }: Verdict,
  push: Sum,
  change: Sum,
): void {
  const { accuracy } = contact;
  const { dt, inverseDt, restitution, friction, restSpeed, pushSpeed } = substep;
  const { approach, approachError, normal, relative, speed } = contact;
  const { share, gripShare, error: partError } = contact.part;
  const shareError = share * (approachError + partError * Math.abs(approach));
  // Twice the share of pushSpeed among particles, all of it on an obstacle.
  const most = (gripShare / substep.gripShare) * pushSpeed;
  const cap = approach > 0 ? most : Math.max(most, -approach * share);
  const full = Math.min(contact.push * inverseDt, cap);
  const kept = Math.abs(approach) > restSpeed ? 1 - restitution : 1;
  const isKeptSettled = restitution === 0 || Math.abs(Math.abs(approach) - restSpeed) > approachError;
  const bearing = full * kept;
  const bearingError =
    Math.max(contact.amountError * inverseDt, shareError, partError * most) +
    3 * U * full +
    (isKeptSettled ? 0 : restitution * full);
  const bouncing = Math.max(0, -(1 + restitution) * share * approach);
  const bouncingError = (1 + restitution) * (shareError + 3 * U * share * Math.abs(approach));
  const amount = isBounce ? bouncing : bearing;
  const amountError = isSettled
    ? isBounce
      ? bouncingError
      : bearingError
    : Math.max(bouncingError, bearingError) + Math.abs(bouncing - bearing);
  const sliding = relative.map((along, axis) => along - approach * (normal[axis] as number));
  const slidingSpeed = length(sliding);
  const grip = Math.min(friction * amount, gripShare * slidingSpeed);
  const gripError =
    gripShare * (speed * accuracy.sliding + partError * slidingSpeed + LOST_SLIDING) +
    friction * amountError +
    accuracy.friction * grip;
  const braking = slidingSpeed > 0 ? scaled(grip / slidingSpeed, sliding) : sliding.map(() => 0);
  change.add(
    normal.map((along, axis) => amount * along - (braking[axis] as number)),
    amountError + amount * (accuracy.normal + U) + gripError + U * (amount + grip),
    amount + grip,
  );
  // Either side may hold or let go where the bounce is in doubt.
  const held = isBounce ? 0 : dt * grip;
  const widestGrip = Math.min(friction * Math.max(bouncing, bearing), gripShare * slidingSpeed);
  const heldError =
    isBounce && isSettled
      ? 0
      : dt * (gripError + 2 * U * grip) +
        (isSettled ? 0 : dt * (widestGrip + accuracy.friction * widestGrip));
  push.add(
    normal.map((along, axis) => contact.push * along - (isBounce ? 0 : dt * (braking[axis] as number))),
    pushError(contact) + heldError + U * (contact.push + held),
    contact.push + held,
  );
}

/** Partners by exact arithmetic, and for which particles errors could change the choice. */
function findBounces(
  world: World,
  substep: Substep,
  grid: GridState,
  accuracy: Accuracy,
  obstacles?: Obstacles,
): (slot: number, other: number, contact: ExactContact) => Verdict {
  const count = grid.cells.length;
  const partners = new Uint32Array(count).fill(NO_PARTNER);
  const isOpen = new Uint8Array(count);
  const threshold = -substep.restSpeed;
  for (let slot = 0; slot < count; slot++) {
    const rivals: (ExactContact & { readonly other: number })[] = [];
    probeCells(world, grid, slot, (other) => {
      const contact = contactOf(world, substep, grid, slot, other, accuracy);
      if (contact && contact.approach - contact.approachError < threshold) rivals.push({ ...contact, other });
    });
    if (obstacles) {
      probeObstacles(world, grid, slot, obstacles, (obstacle) => {
        const contact = contactOf(world, substep, grid, slot, obstacle, accuracy, obstacles);
        const other = (OBSTACLE_PARTNER | obstacle) >>> 0;
        if (contact && contact.approach - contact.approachError < threshold)
          rivals.push({ ...contact, other });
      });
    }
    let best = rivals[0];
    if (!best) continue;
    for (const rival of rivals) if (rival.approach < best.approach) best = rival;
    if (best.approach < threshold) partners[slot] = best.other;
    const reach = best.approach + best.approachError;
    const isClose = rivals.some((rival) => rival !== best && rival.approach - rival.approachError <= reach);
    if (isClose || best.isDoubtful || reach >= threshold) isOpen[slot] = 1;
  }
  return (slot, other, contact) => ({
    isBounce: partners[slot] === other && (other >= OBSTACLE_PARTNER || partners[other] === slot),
    isSettled:
      (isOpen[slot] === 0 && (other >= OBSTACLE_PARTNER || isOpen[other] === 0)) ||
      contact.approach - contact.approachError >= threshold,
  });
}

interface Body {
  position: Approximate;
  velocity: Approximate;
}

function meetWalls(substep: Substep, box: Box, accuracy: Accuracy, body: Body): void {
  for (let axis = 0; axis < body.position.value.length; axis++) {
    meetWall(substep, accuracy, body, axis, box.lower[axis] as number, 1);
    meetWall(substep, accuracy, body, axis, box.upper[axis] as number, -1);
  }
}

function meetWall(
  substep: Substep,
  accuracy: Accuracy,
  { position, velocity }: Body,
  axis: number,
  limit: number,
  inward: 1 | -1,
): void {
  const { restitution, friction, restSpeed, dt, inverseDt } = substep;
  const depth = inward * (limit - (position.value[axis] as number));
  const depthError = position.error + U * Math.abs(depth);
  if (depth <= -depthError) return;
  const isInside = depth <= 0;
  if (!isInside) position.value[axis] = limit;
  const approach = inward * (velocity.value[axis] as number);
  const approachError = velocity.error;
  if (approach >= approachError) return;
  const inbound = isInside ? 0 : Math.max(0, -approach);
  const soft = Math.min(Math.max(0, depth) * inverseDt, inbound);
  const softError = Math.max(depthError * inverseDt, approachError) + 2 * U * soft;
  const hard = (1 + restitution) * Math.max(0, -approach);
  const hardError = (1 + restitution) * (approachError + 2 * U * Math.abs(approach));
  const isHardPossible = restitution > 0 && approach - approachError < -restSpeed;
  const isHardCertain = isHardPossible && depth > depthError && approach + approachError < -restSpeed;
  const isHard = restitution > 0 && !isInside && approach < -restSpeed;
  const change = isHard ? hard : soft;
  const changeError = isHardCertain
    ? hardError
    : isHardPossible
      ? Math.max(softError, hardError) + hard
      : softError;
  const sliding = velocity.value.map((along, other) => (other === axis ? 0 : along));
  const slidingSpeed = length(sliding);
  const grip = Math.min(friction * change, slidingSpeed);
  const gripError = velocity.error + LOST_SLIDING + friction * changeError + accuracy.friction * grip;
  const braking = slidingSpeed > 0 ? scaled(grip / slidingSpeed, sliding) : sliding;
  velocity.error += gripError + changeError + 2 * U * (length(velocity.value) + grip + change);
  // One that bounces only changes course.
  const held = isHard ? 0 : dt;
  if (!isHardCertain) position.error += dt * (gripError + 2 * U * grip);
  if (!isHardCertain && isHardPossible) position.error += dt * (grip + gripError);
  position.error += U * (length(position.value) + held * grip);
  for (let other = 0; other < sliding.length; other++) {
    velocity.value[other] = (velocity.value[other] as number) - (braking[other] as number);
    position.value[other] = (position.value[other] as number) - held * (braking[other] as number);
  }
  velocity.value[axis] = (velocity.value[axis] as number) + inward * change;
}

function component(
  dimensions: number,
  vectors: Float32Array,
  slot: number,
  other: number,
  axis: number,
  others = vectors,
): number {
  return (vectors[slot * dimensions + axis] as number) - (others[other * dimensions + axis] as number);
}

function vectorOf(dimensions: number, vectors: Float32Array, slot: number): number[] {
  return Array.from(vectors.subarray(slot * dimensions, (slot + 1) * dimensions));
}

function inner(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, along, axis) => sum + along * (b[axis] as number), 0);
}

function length(vector: readonly number[]): number {
  return Math.sqrt(inner(vector, vector));
}

function scaled(factor: number, vector: readonly number[]): number[] {
  return vector.map((along) => factor * along);
}
