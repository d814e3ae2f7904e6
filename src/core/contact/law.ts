/**
 * The contact law: how an overlap changes the positions and velocities of two bodies. Its formulas are in four files,
 * which change together: this one (CPU engine and continuous motion), shaders/solve/contact_law.wgsl (GPU),
 * src/reference/solve/contact-law.ts (the same in 32 bits) and src/reference/solve/bound.ts (the effect of rounding).
 *
 * A pass reads only the state before it (Jacobi): all contacts of a particle are computed first and added up. Each
 * contribution is antisymmetric in both particles to the bit, so momentum is kept. For particle a and an overlapping
 * body b, n is the unit normal from b to a, v the relative velocity va − vb, and vn = v·n:
 *   push    = 2 · share · (relaxation / 2) · overlap
 *   change  = −share · (1 + restitution) · vn                                    if the contact bounces
 *           = min(push / dt, max(2 · grip · pushSpeed, −share · vn)) · kept      otherwise; the maximum only if vn ≤ 0
 *   kept    = 1 − restitution if |vn| > restSpeed, otherwise 1: elastic particles gain nothing from an overlap
 *   sliding = v − vn · n
 *   braking = min(friction · change, 2 · grip · gripShare · |sliding|) / |sliding|
 * The velocity of a changes by change · n − braking · sliding. Its position moves by push · n and, unless the contact
 * bounces, by −braking · dt · sliding: a contact that does not bounce also takes back that part of the sliding motion.
 *
 * `share` is a's part in the effect on both sides, and `grip` its part in pushSpeed and in friction:
 *   - equal particles: both ½. If particles have their own sizes, both are massShare(a, b) = mass of b / (mass of a +
 *     mass of b), with masses by volume, so momentum is kept to rounding;
 *   - obstacles never move, so a does the work of both: share 1, grip ½. Everything except a bounce is then multiplied
 *     by the deepest overlap of a with an obstacle / the sum of its overlaps with obstacles. So obstacles that lie
 *     close to or on each other push no farther together than the deepest alone;
 *   - walls: a is moved onto the wall; change = min(depth / dt, −vn); friction may take all of the sliding.
 * gripShare is relaxation / 2 in 2D and relaxation / 8 in 3D. pushSpeed and restSpeed: see Substep in settings.ts.
 *
 * A contact bounces only with restitution > 0 and vn < −restSpeed, and only if each side is the other's fastest
 * approaching contact. A particle bounces off at most one other per pass, so bounces keep momentum and, at restitution
 * 1, energy, however dense the crowd. An obstacle or a wall bounces any particle; an obstacle only if it is the fastest
 * of all its contacts.
 *
 * Stability of a pile at rest. A pass takes a share λ off the normal part of a mode of the contact network and σ off
 * its sliding part. Over position and velocity it damps the mode if 3 λ + 2 σ < 4; otherwise the mode oscillates
 * forever.
 *   - Equal sizes: the stiffest modes of the densest packing have λ = 3 and σ = 1 times the relaxation for discs, λ = 4
 *     and σ = 1 times it for spheres. Numerically, over all modes, discs are stable up to 0.355 and spheres up to
 *     0.285.
 *   - Variable radii: the same condition holds for modes weighted by mass. Small particles in the gaps between large
 *     ones stiffen a packing: discs in the gaps of the densest packing are stable up to 0.340, in those of a square
 *     packing up to 0.344, spheres in the gaps of four and of six in the densest packing up to 0.270. Random packings
 *     with ratios up to 1:64 are stable up to at least 0.35 (2D) and 0.33 (3D) if overlaps are small. Hence the
 *     defaults 0.3 and 0.25.
 *   - Boxes: normals lie along axes, so only contacts across an axis act on a mode along it. With n equal boxes
 *     touching each box on both sides of an axis, λ is at most n · relaxation, stable below 4 / (3 n). Bricks in bond
 *     have n = 4 and are stable up to 0.33. Cubes that each lie on four others have n = 8 and are stable up to 0.166
 *     (measured: they come to rest at 0.15, not at 0.2). Hence the defaults 0.3 and 0.15; many long boxes across each
 *     other need less.
 *   - Obstacles take λ ≤ 1 and σ ≤ ½ (⅛ in 3D) times the relaxation off a particle that touches nothing else: stable at
 *     any relaxation. Among neighbours, an obstacle acts like a neighbour that moves the opposite way, so it should
 *     take no more off a mode than that neighbour. This is measured on piles on obstacles (docs/obstacles.md), not
 *     proven. With twice the deepest overlap as the limit, discs on a dense floor oscillated forever.
 */
import type { Dimensions } from '../world/world';

/**
 * One side's share of the effect on two particles of different sizes: the other's mass / the mass of both.
 * Computed from the ratio of the radii, which neither overflows nor divides by 0, in 32-bit floats like the shaders.
 */
export function massShare(dimensions: Dimensions, own: number, other: number): number {
  const { fround } = Math;
  const isSmaller = own < other;
  const ratio = fround(isSmaller ? fround(own / other) : fround(other / own));
  const area = fround(ratio * ratio);
  const weight = dimensions === 2 ? area : fround(area * ratio);
  return fround((isSmaller ? 1 : weight) / fround(1 + weight));
}

/**
 * Change of one side's normal velocity in a contact that bounces. `approach`: vn, negative while the sides approach.
 */
export function bounceChange(approach: number, share: number, restitution: number): number {
  return -share * (1 + restitution) * approach;
}

/**
 * Change of one side's normal velocity in a contact that does not bounce. `pushVelocity`: push / dt; `pushSpeed`: the
 * most that a push may give to this side.
 */
export function pushChange(
  pushVelocity: number,
  approach: number,
  share: number,
  pushSpeed: number,
  restSpeed: number,
  restitution: number,
): number {
  const limit = approach > 0 ? pushSpeed : Math.max(pushSpeed, -share * approach);
  const kept = Math.abs(approach) > restSpeed ? 1 - restitution : 1;
  return Math.min(pushVelocity, limit) * kept;
}

/** Change of the normal velocity at a wall that the particle does not bounce off. `approach` is below 0. */
export function wallChange(depthVelocity: number, approach: number): number {
  return Math.min(depthVelocity, -approach);
}

/**
 * The fraction of the sliding velocity that friction takes away. `change`: of the normal velocity; `slidingSpeed`: the
 * length of the sliding velocity; `grip`: the largest fraction allowed.
 */
export function frictionShare(change: number, slidingSpeed: number, grip: number, friction: number): number {
  return slidingSpeed > 0 ? Math.min(friction * change, grip * slidingSpeed) / slidingSpeed : 0;
}
