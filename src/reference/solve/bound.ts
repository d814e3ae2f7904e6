/**
 * Bounds how much the results of the GPU and the reference differ after one resolve (or push-apart) pass from the same
 * bits. The bounds are derived from the accuracies that WGSL guarantees, not tuned.
 *
 * GPU and reference are both compared with exact arithmetic. Each is off by at most E, so they differ by at most 2 E.
 * The terms are:
 *   - u = 2⁻²⁴ (half an ulp, relative)
 *   - k: the number of dimensions
 *   - D: the diameter
 *   - w = relaxation / 2
 *   - "Off by u" is a relative error, "± u" an absolute error.
 *   - The error of a vector is a length, which also bounds the error of each coordinate.
 * Accuracies in WGSL:
 *   - + − × are rounded correctly (u each). WGSL may fuse or reorder them; the bounds allow for this.
 *   - inverseSqrt is accurate to 2 ulp (4 u), a quotient to 2.5 ulp (5 u).
 *   - sqrt is as accurate as 1 / inverseSqrt: 4 u + 5 u = 9 u.
 * A factor of 1 + 2⁻¹⁰ at the end covers products of errors (u²) and the roundings of the doubles used here.
 * bound-contact.ts derives the errors of one contact, bound-law.ts those of the contact law, bound-obstacles.ts those
 * of obstacles, and bound-settle.ts those of the limited change, static friction, the moving share and the load.
 *
 * A sum over m contacts adds at most γ = m u / (1 − m u) times the sum of magnitudes, in any order. Adding the sum to
 * the coordinate x rounds once more: u (|x| + length of the sum). If a particle wraps across an end of a periodic
 * world, adding or subtracting the period P rounds again: u (|x| + P).
 */
import { NO_PARTNER } from '../../core/base/constants';
import type { Substep } from '../../core/contact/settings';
import { wrapAxis } from '../../core/world/cells';
import type { World } from '../../core/world/world';
import { UNIT_ROUNDOFF as U } from '../query/brute-force';
import { type GridState, probeCells } from '../query/probe';
import { contactOf, type ExactContact, restitutionBound } from './bound-contact';
import { addContact, meetWalls, noPressing, pushTerm, rub, SETTLED_NO, type Verdict } from './bound-law';
import { meetObstacles, pushByObstacles } from './bound-obstacles';
import { boundLoad, settleSums, slowDown } from './bound-settle';
import {
  type Accuracy,
  type Approximate,
  accuracyOf,
  EffectSums,
  length,
  SLACK,
  sumOf,
  vectorOf,
} from './bound-sums';
import type { Box } from './contact-law';
import { type Obstacles, probeObstacles } from './obstacles';
import { boxOf } from './resolve';

export interface ResolveBound {
  /** The largest difference of a coordinate between GPU and reference, per slot. */
  readonly positions: Float64Array;
  readonly velocities: Float64Array;
  /** One number per slot; empty without variable radii. */
  readonly loads: Float64Array;
  /**
   * Results of exact arithmetic, in doubles, perhaps outside a periodic world. GPU and reference differ from them by at
   * most half the bound.
   */
  readonly exactPositions: Float64Array;
  readonly exactVelocities: Float64Array;
  readonly exactLoads: Float64Array;
}

type Verdicts = (slot: number, other: number, contact: ExactContact) => Verdict;

export function resolveBound(
  world: World,
  substep: Substep,
  grid: GridState,
  mode: 'resolve' | 'pushApart' = 'resolve',
  obstacles?: Obstacles,
): ResolveBound {
  const { dimensions } = world;
  const count = grid.cells.length;
  const accuracy = accuracyOf(dimensions);
  const verdicts =
    mode === 'resolve' && substep.restitution > 0
      ? findBounces(world, substep, grid, accuracy)
      : () => SETTLED_NO;
  const loadCount = grid.radii ? count : 0;
  const bound = {
    positions: new Float64Array(count),
    velocities: new Float64Array(count),
    loads: new Float64Array(loadCount),
    exactPositions: Float64Array.from(grid.positions),
    exactVelocities: Float64Array.from(grid.velocities),
    exactLoads: grid.radii && grid.loads ? Float64Array.from(grid.loads) : new Float64Array(loadCount),
  };
  // Positions after the contacts with particles, rounded to 32 bits by this array.
  const moved = { ...grid, positions: obstacles ? grid.positions.slice() : grid.positions };
  for (let slot = 0; slot < count; slot++) {
    const cell = grid.cells[slot] as number;
    if (cell >= world.cellCount) continue;
    const position = vectorOf(dimensions, grid.positions, slot);
    const velocity = vectorOf(dimensions, grid.velocities, slot);
    const sums = sumContacts(world, substep, grid, slot, accuracy, mode, verdicts);
    const box = boxOf(substep, grid, slot);
    if (mode === 'pushApart') {
      if (obstacles) {
        const contacts = contactsWithObstacles(world, substep, grid, slot, accuracy, obstacles);
        sums.push.add(pushByObstacles(substep, dimensions, contacts));
      }
      const pushed = sumOf(position, sums.push.total());
      if (substep.walls) clampInto(box, pushed);
      store(world, bound, slot, pushed);
      continue;
    }
    const settled = settleSums(substep, accuracy, sums);
    const { push, change, bearing } = settled;
    const body = { position: sumOf(position, push), velocity: sumOf(velocity, change) };
    const pressing = noPressing(body);
    const restitution = restitutionBound(substep, grid, slot);
    if (obstacles) {
      const { value, error } = body.position;
      moved.positions.set(value, slot * dimensions);
      const isRounded = value.some((along) => Math.fround(along) !== along);
      const off = error + wrappingError(world, body.position) + (isRounded ? U * length(value) : 0);
      const contacts = contactsWithObstacles(world, substep, moved, slot, accuracy, obstacles, off);
      meetObstacles(substep, restitution, contacts, accuracy, body, pressing);
    }
    if (substep.walls) meetWalls(substep, restitution, box, body, pressing);
    rub(substep, accuracy, body, pressing);
    if (substep.walls) clampInto(box, body.position);
    slowDown(substep, accuracy, settled, sums.strain, body.velocity);
    store(world, bound, slot, body.position);
    bound.velocities[slot] = 2 * SLACK * body.velocity.error;
    bound.exactVelocities.set(body.velocity.value, slot * dimensions);
    if (!grid.radii) continue;
    const added = { value: bearing.value + pressing.sum.value, error: bearing.error + pressing.sum.error };
    added.error += U * added.value;
    const load = boundLoad(substep, accuracy, { velocity: body.velocity, bearing: added }, velocity);
    bound.loads[slot] = 2 * SLACK * load.error;
    bound.exactLoads[slot] = load.value;
  }
  return bound;
}

function sumContacts(
  world: World,
  substep: Substep,
  grid: GridState,
  slot: number,
  accuracy: Accuracy,
  mode: 'resolve' | 'pushApart',
  verdicts: Verdicts,
): EffectSums {
  const sums = new EffectSums(world.dimensions);
  probeCells(world, grid, slot, (other) => {
    const contact = contactOf(world, substep, grid, slot, other, accuracy);
    if (!contact) return;
    if (mode === 'pushApart') sums.push.add(pushTerm(substep, contact));
    else addContact(substep, contact, verdicts(slot, other, contact), sums);
  });
  return sums;
}

/** Returns the contacts of a particle with obstacles. `error` is the error of the particle's position. */
function contactsWithObstacles(
  world: World,
  substep: Substep,
  grid: GridState,
  slot: number,
  accuracy: Accuracy,
  obstacles: Obstacles,
  error = 0,
): ExactContact[] {
  const position = vectorOf(world.dimensions, grid.positions, slot);
  const found = new Set<number>();
  // Errors may decide in which cell the particle is.
  for (const off of error > 0 ? [0, -error, error] : [0]) {
    const there = Float32Array.from(position, (along, axis) =>
      wrapAxis(world, Math.fround(along + off), axis),
    );
    probeObstacles(world, there, 0, obstacles, (obstacle) => found.add(obstacle));
  }
  const contacts: ExactContact[] = [];
  for (const obstacle of found) {
    const contact = contactOf(world, substep, grid, slot, obstacle, accuracy, obstacles, error);
    if (contact) contacts.push(contact);
  }
  return contacts;
}

function clampInto({ lower, upper }: Box, { value }: Approximate): void {
  for (let axis = 0; axis < value.length; axis++) {
    const low = Math.max(value[axis] as number, lower[axis] as number);
    value[axis] = Math.min(low, upper[axis] as number);
  }
}

function store(world: World, bound: ResolveBound, slot: number, position: Approximate): void {
  bound.positions[slot] = 2 * SLACK * (position.error + wrappingError(world, position));
  bound.exactPositions.set(position.value, slot * world.dimensions);
}

function wrappingError(world: World, { value, error }: Approximate): number {
  let sum = 0;
  for (let axis = 0; axis < value.length; axis++) {
    const period = world.period[axis] as number;
    const low = world.min[axis] as number;
    const at = value[axis] as number;
    if (period === 0 || (at - error >= low && at + error < low + period)) continue;
    const isBeyond = at - error < low - period || at + error >= low + 2 * period;
    // Wrapping by several periods takes a product and a difference. The result may be off by one period, and is then
    // corrected.
    sum += U * (Math.abs(at) + period) * (isBeyond ? 4 : 1);
  }
  return sum;
}

/** Finds out which contacts bounce. A particle is unsettled if errors could change its partner. */
function findBounces(world: World, substep: Substep, grid: GridState, accuracy: Accuracy): Verdicts {
  const count = grid.cells.length;
  const partners = new Uint32Array(count).fill(NO_PARTNER);
  const isUnsettled = new Uint8Array(count);
  const threshold = -substep.restSpeed;
  for (let slot = 0; slot < count; slot++) {
    const rivals: (ExactContact & { readonly other: number })[] = [];
    probeCells(world, grid, slot, (other) => {
      const contact = contactOf(world, substep, grid, slot, other, accuracy);
      if (contact && contact.approach - contact.approachError < threshold) rivals.push({ ...contact, other });
    });
    let best = rivals[0];
    if (!best) continue;
    for (const rival of rivals) if (rival.approach < best.approach) best = rival;
    if (best.approach < threshold) partners[slot] = best.other;
    const reach = best.approach + best.approachError;
    const isClose = rivals.some((rival) => rival !== best && rival.approach - rival.approachError <= reach);
    if (isClose || best.isBorderline || reach >= threshold) isUnsettled[slot] = 1;
  }
  return (slot, other, contact) => ({
    isBounce: contact.restitution.value > 0 && partners[slot] === other && partners[other] === slot,
    isSettled:
      contact.restitution.value + contact.restitution.error <= 0 ||
      (contact.restitution.value > contact.restitution.error &&
        isUnsettled[slot] === 0 &&
        isUnsettled[other] === 0) ||
      contact.approach - contact.approachError >= threshold,
  });
}
