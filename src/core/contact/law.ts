/**
 * The contact law: how an overlap changes the positions and velocities of two bodies. docs/design/contact-law.md gives
 * the reasons. Its formulas are in this file and in the following ones, which must change together:
 *   - shaders/solve/contact_law.wgsl and obstacles.wgsl (GPU)
 *   - src/reference/solve/contact-law.ts (reference, in 32 bits)
 *   - src/reference/solve/bound-*.ts (the effect of rounding)
 *   - src/cpu/solver: general-contact.ts and its unrolled copies, finish.ts, walls.ts, obstacles.ts, exact/ (CPU)
 *   - src/core/exact/law.ts and shaders/solve/exact/law.wgsl (exact simulations, in whole numbers, without `aside` and
 *     `taken`)
 *
 * A pass reads only the state before it (Jacobi) and adds up all contacts of a particle. Between particles of one size,
 * a contact changes both by opposite amounts, to the bit. For overlapping particles a and b:
 *     n       = the unit normal from b to a
 *     v       = va − vb, the relative velocity
 *     vn      = v·n
 *     spring  = 2 · share · (relaxation / 2) · overlap
 *     half    = min((relaxation / 2) · overlap / dt, most) · kept
 *     change  = −share · (1 + e) · vn                                              if the contact bounces
 *             = 2 · share · half                                                   otherwise
 *     push    = share · BOUNCE_PUSH · overlap                                      if the contact bounces
 *             = min(spring + (FREE_PUSH − 1) · (spring − dt · change), share · overlap)   otherwise
 *     most    = max(pushSpeed, −vn / 2)                                            if a and b approach (vn ≤ 0)
 *             = max(0, pushSpeed − parting · vn / 2)                               if they part
 *     e       = restitution · max(0, 1 − load of a − load of b)
 *     kept    = 1 − e                                                              if |vn| > restSpeed
 *             = 1                                                                  otherwise
 *     aside   = max(0, depth − ASIDE_FROM) · side · (relaxation / 2) · overlap     if a and b have the same radius
 *             = 0                                                                  otherwise
 *     sliding = v − vn · n
 *     braking = min(friction · change, 2 · share · gripShare · |sliding|) / |sliding|
 * Because of `kept`, elastic particles gain nothing from an overlap. The contact changes a as follows:
 *     its velocity by  change · n − braking · sliding
 *     its position by  push · n                                          if the contact bounces
 *                      push · n + aside · t − braking · dt · sliding     otherwise
 * The last term takes back the sliding motion that friction stops. `aside` lets particles leave a straight row, whose
 * normals are all parallel. Its direction t is perpendicular to n: (n.y, −n.x) in 2D, n × (1, 1, 1) in 3D. `side` is a
 * triangle wave between −¼ and ¼ over the sum of all coordinates of both centres. So the contacts of a row push to
 * different sides.
 *
 * `share` is a's share of the effect on both bodies. Loads (see below) are 0 if all particles have one radius.
 *   - Equal particles: share = ½.
 *   - Particles with their own sizes: share = massShare(a, b) = mass of b / (mass of a + mass of b), with masses by
 *     volume. Unless the contact bounces, each mass is multiplied by 1 + load, but the share of the smaller particle
 *     stays at least ½.
 * Substep in settings.ts explains gripShare, pushSpeed, parting, kickSpeed, calmSpeed and restSpeed.
 *
 * Then each particle is settled by itself, from these values:
 *     C        the sum of the changes of its velocity
 *     S        the sum of change · n over contacts that do not bounce
 *     B        the sum of change over contacts that do not bounce; only with variable radii
 *     closing  the greatest −SPREADING · share · vn of its contacts; for one that bounces, the size of its change
 *     depth    the greatest depth of its contacts: DEEP · overlap / (diameter of the smaller of both bodies)
 *     strain   the greatest STRAIN · (half + min(0, vn / 2)) / (pushSpeed · (1 + load of a + load of b)) of its
 *              contacts that do not bounce, but at least 0; 0 if pushSpeed is 0. Loads count only between particles of
 *              different sizes.
 *     G        gravity · dt
 * Settling does the following:
 *   - limit: C, S and B are multiplied by the smaller one of kept(depth, max(closing, kickSpeed)) and kept(strain,
 *     max(closing / 2, calmSpeed)).
 *       kept(x, L) = 1 − limited + limited · L / |C|     if |C| is above L
 *                  = 1                                   otherwise
 *       limited    = min(1, max(0, x − 1))
 *   - hold, if S·G < 0: the velocity changes by −held · (G across S), the position by dt times as much. Here "X across
 *     S" is the part of X that is perpendicular to S.
 *       held = min(1, max(0, friction · |S| − |C across S|) / |G across S|)
 *   - load, with variable radii: limited to the range from 0 to MOST_LOAD. It takes effect in the next substep.
 *       load = REST_LOAD · (LOAD_KEPT · (B + how much obstacles and walls press) − |velocity change|) / restSpeed
 * Limit, hold and loads do not keep momentum. The limit acts only if depth or strain is above 1.
 *
 * Then the particle moves, and obstacles and walls act on its new position and velocity v: first all obstacles, then
 * one wall after the other, then the friction of all. They have no load; a's own load lowers e.
 *   - A wall moves particle a onto the wall. The wall's change is
 *       −(1 + e) · vn           if e > 0 and vn < −restSpeed: the wall bounces a
 *       min(depth / dt, −vn)    otherwise, if vn < 0
 *     It presses on a by its change.
 *   - An obstacle that overlaps a has a normal n, a depth, and a change c, which is that of a wall. But only the
 *     deepest obstacles can bounce a. The c of a shallower one that would bounce a is 0. If an obstacle bounces a, the
 *     c of all that do not is 0. All obstacles together act like one wall. Its normal u is the direction of Σ c n. With
 *     t = Σ c / |Σ c n|, its change is
 *       min((greatest c) · t, −(1 + e) · v·u)     with e = 0 unless an obstacle bounces a
 *     All obstacles together press on a by this change times t. They move a by
 *       BOUNCE_PUSH · (greatest depth) · Σ (depth · n) / Σ depth
 *   - Friction acts on s: the velocity without its components along u and along the normals of walls that press. It
 *     takes all of s, but at most friction · (how much obstacles and walls press). Unless one of them bounces a, it
 *     moves a back by dt times what it takes.
 *
 * At the end, v is multiplied by 1 − min(1, max(0, strain − SATURATED − 1)) · taken. Let E be what the contacts with
 * particles add to the position, divided by dt, minus what they add to the velocity.
 *     taken   = min(1, max(0, −E·v / v²), calmSpeed / |v|)
 * So a particle loses the share of its speed that pushes take back as motion, but at most calmSpeed. Without this,
 * particles in a straight row would keep velocities with which they do not move: pushes that give pushSpeed do not
 * depend on overlaps.
 *
 * Bounces between particles: e must be above 0, vn below −restSpeed, and each particle must be the other's fastest
 * approaching contact. So bounces keep momentum and, at restitution 1, energy.
 *
 * Stability of a pile at rest: a mode is a pattern in which all particles move together. A pass removes a share λ of
 * its normal part and a share σ of its sliding part. The mode is damped if 3 λ + 2 σ < 4; otherwise it oscillates
 * forever. A push that gives no speed is stable if FREE_PUSH · λ < 2. For FREE_PUSH ≤ 3/2, this follows from the
 * first condition.
 *   - Equal sizes: the stiffest modes of the densest packing have σ = relaxation, and λ = 3 · relaxation for discs or 4
 *     · relaxation for spheres. Numerically, over all modes, discs are stable up to a relaxation of 0.355 and spheres
 *     up to 0.285.
 *   - Variable radii: small particles in the gaps between large ones stiffen a packing. Discs in the gaps of the
 *     densest packing are stable up to 0.340, spheres up to 0.270. Hence the defaults 0.3 and 0.25.
 *   - Boxes: if a box has n contacts along an axis with equal boxes, λ is at most n · relaxation, and a relaxation
 *     below 4 / (3 n) is stable. Bricks in bond have n = 4 and are stable up to 0.33. Cubes that each lie on four
 *     others have n = 8 and are stable up to 0.166. Hence the defaults 0.3 and 0.15.
 *   - Obstacles and walls act on the result of a pass, and never add speed to it.
 */
import {
  ASIDE_WAVES,
  FREE_PUSH,
  LEAST_REST_SPEED,
  LOAD_KEPT,
  MOST_LOAD,
  REST_LOAD,
  SATURATED,
} from '../base/constants';
import type { Dimensions } from '../world/world';
import type { Substep } from './settings';

/**
 * Returns the first particle's share of the effect, in 32-bit floats like the shaders. The smaller radius is divided by
 * the larger one, so nothing overflows or divides by 0.
 */
export function massShare(
  dimensions: Dimensions,
  own: number,
  other: number,
  ownLoad = 0,
  otherLoad = 0,
): number {
  if (own === other) return 0.5;
  const { fround } = Math;
  const isSmaller = own < other;
  const ratio = fround(isSmaller ? fround(own / other) : fround(other / own));
  const area = fround(ratio * ratio);
  const weight = dimensions === 2 ? area : fround(area * ratio);
  const ownMass = fround((isSmaller ? weight : 1) * fround(1 + ownLoad));
  const otherMass = fround((isSmaller ? 1 : weight) * fround(1 + otherLoad));
  const share = fround(otherMass / fround(ownMass + otherMass));
  return isSmaller ? Math.max(share, 0.5) : Math.min(share, 0.5);
}

/** Returns the restitution of a contact, in 32-bit floats. `load` is the sum of the loads of both bodies. */
export function restitutionOf(restitution: number, load: number): number {
  return Math.fround(restitution * Math.fround(Math.max(0, 1 - Math.fround(load))));
}

/**
 * Returns how far a contact that does not bounce moves a body besides `moved`, which is dt · change. `most` is share ·
 * overlap.
 */
export function freePush(spring: number, moved: number, most: number): number {
  return Math.min(FREE_PUSH * (spring - moved), most - moved);
}

/** Returns `side`, in 32-bit floats like the shaders. `rate` is DEEP / diameter, `sum` the sum of both positions. */
export function sideOf(rate: number, sum: readonly number[]): number {
  const { fround } = Math;
  const total = sum.reduce((before, along) => fround(before + along));
  const waves = fround(fround(ASIDE_WAVES * rate) * total);
  return fround(Math.abs(fround(fround(waves - Math.floor(waves)) - 0.5)) - 0.25);
}

/** Returns t for the normal n (see the header). */
export function turned(normal: readonly number[]): number[] {
  const [x = 0, y = 0, z] = normal;
  return z === undefined ? [y, -x] : [y - z, z - x, x - y];
}

/** Returns the change of one body's normal velocity in a bounce. `approach` is vn. */
export function bounceChange(approach: number, share: number, restitution: number): number {
  return -share * (1 + restitution) * approach;
}

/** Returns the fraction of the sliding velocity that friction takes away. `grip` is the greatest fraction allowed. */
export function frictionShare(
  change: number,
  slidingSquared: number,
  grip: number,
  friction: number,
): number {
  const most = friction * change;
  // Resting contacts take neither a root nor a quotient.
  return most * most >= grip * grip * slidingSquared ? grip : most / Math.sqrt(slidingSquared);
}

/**
 * Returns `half`: the change of the normal velocity of each of two equal bodies in a contact that does not bounce.
 * `pushVelocity` is (relaxation / 2) · overlap / dt.
 */
export function halfChange(
  pushVelocity: number,
  approach: number,
  pushSpeed: number,
  parting: number,
  restSpeed: number,
  restitution: number,
): number {
  // The first test is easier to predict for a processor than the second.
  const kept = restitution > 0 && Math.abs(approach) > restSpeed ? 1 - restitution : 1;
  const half = approach / 2;
  // Most contacts are far from the limit, whether they approach or part.
  if (pushVelocity <= pushSpeed - parting * Math.abs(half)) return pushVelocity * kept;
  const limit = half > 0 ? Math.max(0, pushSpeed - parting * half) : Math.max(pushSpeed, -half);
  return Math.min(pushVelocity, limit) * kept;
}

/** Returns the speed that a push gives each of two equal bodies beyond ending their approach. */
export function excessOf(half: number, approach: number): number {
  return half + Math.min(0, approach / 2);
}

/** Returns the change of the normal velocity at a wall that the particle does not bounce off. `approach` is below 0. */
export function wallChange(depthVelocity: number, approach: number): number {
  return Math.min(depthVelocity, -approach);
}

/**
 * Returns the change of velocity along u, the common normal of all obstacles that a particle meets. `greatest` is the
 * greatest c, `turn` is t, and `approach` is v·u (see the header).
 */
export function obstacleChange(
  greatest: number,
  turn: number,
  approach: number,
  restitution: number,
): number {
  return Math.min(greatest * turn, bounceChange(approach, 1, restitution));
}

/** Returns the share of the sum of changes that is kept. `size` is the length of the sum, above 0. */
export function keptShare(
  size: number,
  closing: number,
  { depth, strain }: { readonly depth: number; readonly strain: number },
  { kickSpeed, calmSpeed }: Pick<Substep, 'kickSpeed' | 'calmSpeed'>,
): number {
  const kept = (limited: number, most: number) => 1 - limited + limited * Math.min(1, most / size);
  return Math.min(
    kept(limitedAt(depth), Math.max(closing, kickSpeed)),
    kept(limitedAt(strain), Math.max(closing / 2, calmSpeed)),
  );
}

/** Returns the factor on the velocity at the end of a pass. `along` is E·v, `squared` is v² (see the header). */
export function movingShare(strain: number, along: number, squared: number, calmSpeed: number): number {
  if (!(along < 0)) return 1;
  return 1 - limitedAt(strain - SATURATED) * Math.min(1, -along / squared, calmSpeed / Math.sqrt(squared));
}

function limitedAt(value: number): number {
  return Math.min(1, Math.max(0, value - 1));
}

/**
 * Returns the factor f so that static friction holds f · (|S|² G − (S·G) S); see `hold` in the header. `used` and
 * `slip` are |S| times the lengths of C and G across S.
 */
export function holdFactor(supportSquared: number, used: number, slip: number, friction: number): number {
  const room = friction * supportSquared - used;
  if (!(room > 0 && slip > 0)) return 0;
  return Math.min(1, room / slip) / supportSquared;
}

/**
 * Returns the load of a particle. `bearing` is B plus how much obstacles and walls press (see the header). `net` is the
 * length of the change of velocity.
 */
export function loadOf(bearing: number, net: number, restSpeed: number): number {
  if (!(restSpeed > LEAST_REST_SPEED)) return 0;
  return Math.min(MOST_LOAD, (REST_LOAD * Math.max(0, LOAD_KEPT * bearing - net)) / restSpeed);
}
