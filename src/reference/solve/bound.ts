/**
 * Bounds the difference between the GPU's and the reference's positions and velocities after one resolve (or
 * push-apart) pass, if both start from the same bits. The bounds are derived from the accuracies that WGSL guarantees,
 * not tuned.
 * Inputs: the sorted state before the pass. Outputs for each slot: the bound on the difference of each coordinate, and
 * the state that exact arithmetic would give (in doubles).
 *
 * GPU and reference are both compared with exact arithmetic. Each is off by at most E, so they differ by at most 2 E.
 * Let u = 2⁻²⁴ (half an ulp, relative), k the number of dimensions, D the diameter, w = relaxation / 2. WGSL rounds + −
 * × correctly (u each), and may fuse or reorder them; the bounds allow for this. inverseSqrt is accurate to 2 ulp (4
 * u), a quotient to 2.5 ulp (5 u). sqrt is as accurate as 1 / inverseSqrt: 4 u + 5 u = 9 u.
 * "Off by u" is a relative error, "± u" an absolute error. A factor of 1 + 2⁻¹⁰ at the end covers products of errors
 * (u²) and the roundings of the doubles used here. The errors of vectors are bounds on length, and so bound each
 * coordinate too.
 * bound-contact.ts derives the errors of one contact, bound-law.ts those of the contact law.
 *
 * A sum over m contacts adds at most γ = m u / (1 − m u) times the sum of magnitudes, in any order. Adding it to the
 * coordinate x rounds once more: u (|x| + sum of magnitudes). If a particle wraps across an end of a periodic world,
 * the period P is added or subtracted: u (|x| + P) once more.
 */
import { NO_PARTNER } from '../../core/base/constants';
import type { Substep } from '../../core/contact/settings';
import { OBSTACLE_PARTNER } from '../../core/obstacles/obstacles';
import type { World } from '../../core/world/world';
import { UNIT_ROUNDOFF as U } from '../query/brute-force';
import { type GridState, probeCells } from '../query/probe';
import { contactOf, type ExactContact } from './bound-contact';
import { addContact, meetWalls, ObstacleSums, pushError, SETTLED_NO, type Verdict } from './bound-law';
import { type Accuracy, type Approximate, accuracyOf, SLACK, Sum, scaled, vectorOf } from './bound-sums';
import { type Obstacles, probeObstacles } from './obstacles';
import { boxOf } from './resolve';

export interface ResolveBound {
  /** The largest difference of a coordinate between GPU and reference, per slot. */
  readonly positions: Float64Array;
  readonly velocities: Float64Array;
  /**
   * Packed results of exact arithmetic. In a periodic world they may lie a little outside the box. GPU and reference
   * are both within half the bound of them.
   */
  readonly exactPositions: Float64Array;
  readonly exactVelocities: Float64Array;
}

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
    const position = vectorOf(dimensions, grid.positions, slot);
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
      const obstacleSums = new ObstacleSums(dimensions);
      probeObstacles(world, grid, slot, obstacles, (other) => {
        const contact = contactOf(world, substep, grid, slot, other, accuracy, obstacles);
        if (!contact) return;
        obstacleSums.count(contact);
        if (mode === 'separate') {
          obstacleSums.push.add(scaled(contact.push, contact.normal), pushError(contact), contact.push);
          return;
        }
        const verdict = bounces?.(slot, (OBSTACLE_PARTNER | other) >>> 0, contact) ?? SETTLED_NO;
        // If it is not settled whether a contact bounces, it is not settled either whether its change is multiplied by
        // obstacleShare. Add the change as decided, then the error of the other decision.
        addContact(
          substep,
          contact,
          verdict,
          obstacleSums.push,
          verdict.isBounce ? obstacleSums.bounce : obstacleSums.change,
        );
        if (!verdict.isSettled)
          obstacleSums.bounce.add(
            scaled(0, contact.normal),
            obstacleSums.undecidedError(substep, contact),
            0,
          );
      });
      obstacleSums.addTo(push, change);
    }
    const body = { position: push.addTo(position), velocity: change.addTo(velocity) };
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

/**
 * Returns the rounding error of wrapping. If a coordinate may be beyond an end of an axis, the period may be added or
 * subtracted.
 */
function wrappingError(world: World, { value, error }: Approximate): number {
  let sum = 0;
  for (let axis = 0; axis < value.length; axis++) {
    const period = world.period[axis] as number;
    const low = world.min[axis] as number;
    const at = value[axis] as number;
    if (period === 0 || (at - error >= low && at + error < low + period)) continue;
    const isBeyond = at - error < low - period || at + error >= low + 2 * period;
    // Wrapping by several periods takes a product and a difference, and may be off by one period, which is then
    // corrected.
    sum += U * (Math.abs(at) + period) * (isBeyond ? 4 : 1);
  }
  return sum;
}

/** Finds partners in exact arithmetic, and the particles for which errors could change the choice. */
function findBounces(
  world: World,
  substep: Substep,
  grid: GridState,
  accuracy: Accuracy,
  obstacles?: Obstacles,
): (slot: number, other: number, contact: ExactContact) => Verdict {
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
    if (isClose || best.isBorderline || reach >= threshold) isUnsettled[slot] = 1;
  }
  return (slot, other, contact) => ({
    isBounce: partners[slot] === other && (other >= OBSTACLE_PARTNER || partners[other] === slot),
    isSettled:
      (isUnsettled[slot] === 0 && (other >= OBSTACLE_PARTNER || isUnsettled[other] === 0)) ||
      contact.approach - contact.approachError >= threshold,
  });
}
