/**
 * Purpose: keeps the energy of the liquid from growing in a substep. Twin of shaders/fluid/energy.wgsl, settlement.wgsl and settle.wgsl.
 * Pressure does no work where it acts on the lattice, whose faces weigh the same each; particles bring faces different weights, so
 * among them it does a little. Keeping particles apart and correcting their density lift some. What all that adds to kinetic and
 * potential energy is taken from the velocities at the end of the substep: first from what FLIP carries beside the lattice, which
 * is noise for the most part, then a little from all alike; more would hold up waves too gentle to pay, so that what is left is
 * left.
 * Inputs: each particle's account of the substep. Output: velocities, in place.
 */
import type { ParticleSet } from './transfer';

/** Of each particle by id, from its move to the end of the substep. */
export interface Account {
  /** What its kinetic and potential energy grew by in the move, for each unit of mass. */
  readonly gain: Float64Array;
  /** Where the move ended, and what of its velocity the lattice does not know: `dimensions` numbers each. */
  readonly place: Float64Array;
  readonly beside: Float64Array;
}

export function createAccount(dimensions: 2 | 3, capacity: number): Account {
  return {
    gain: new Float64Array(capacity),
    place: new Float64Array(dimensions * capacity),
    beside: new Float64Array(dimensions * capacity),
  };
}

export interface EnergyRules {
  readonly dimensions: 2 | 3;
  readonly gravity: readonly number[];
  readonly restraint: number;
}

/** Sums over all particles, for each unit of mass. */
export interface EnergySums {
  /** What energy grew by. */
  readonly gain: number;
  readonly kinetic: number;
  /** Velocity · what of it is beside the lattice, and the square of that. */
  readonly along: number;
  readonly squared: number;
}

/** What velocities keep: velocity ← scale · (velocity − share · beside). */
export interface Settlement {
  readonly share: number;
  readonly scale: number;
}

/** `restraint`: the share of kinetic energy that may be taken from all alike. */
export function settlement({ gain, kinetic, along, squared }: EnergySums, restraint: number): Settlement {
  if (!(gain > 0)) return { share: 0, scale: 1 };
  // The least share with along · share − squared · share² / 2 = gain, or what takes most.
  const root = along * along - 2 * squared * gain;
  let share = 0;
  if (along > 0) share = Math.min(1, root >= 0 ? (2 * gain) / (along + Math.sqrt(root)) : along / squared);
  const taken = share * along - (share * share * squared) / 2;
  const rest = kinetic - taken;
  const left = rest > 0 ? Math.min(restraint, Math.max(0, gain - taken) / rest) : 0;
  return { share, scale: Math.sqrt(1 - left) };
}

export function settleEnergy(
  { dimensions, gravity, restraint }: EnergyRules,
  { count, positions, velocities, ids, order }: ParticleSet,
  { gain, place, beside }: Account,
): void {
  const sums = { gain: 0, kinetic: 0, along: 0, squared: 0 };
  for (let index = 0; index < count; index++) {
    const particle = order ? (order[index] as number) : index;
    if (!isWhole(dimensions, particle, positions, velocities)) continue;
    const id = ids[particle] as number;
    sums.gain += gain[id] as number;
    for (let axis = 0; axis < dimensions; axis++) {
      const own = dimensions * id + axis;
      const speed = velocities[dimensions * particle + axis] as number;
      const apart = (positions[dimensions * particle + axis] as number) - (place[own] as number);
      sums.gain -= (gravity[axis] as number) * apart;
      sums.kinetic += 0.5 * speed ** 2;
      sums.along += speed * (beside[own] as number);
      sums.squared += (beside[own] as number) ** 2;
    }
  }
  const { share, scale } = settlement(sums, restraint);
  if (share === 0 && scale === 1) return;
  for (let particle = 0; particle < count; particle++) {
    if (!isWhole(dimensions, particle, positions, velocities)) continue;
    for (let axis = 0; axis < dimensions; axis++) {
      const entry = dimensions * particle + axis;
      const own = beside[dimensions * (ids[particle] as number) + axis] as number;
      velocities[entry] = scale * ((velocities[entry] as number) - share * own);
    }
  }
}

function isWhole(
  dimensions: 2 | 3,
  particle: number,
  positions: Float32Array,
  velocities: Float32Array,
): boolean {
  for (let entry = dimensions * particle; entry < dimensions * (particle + 1); entry++) {
    if (!Number.isFinite(positions[entry]) || !Number.isFinite(velocities[entry])) return false;
  }
  return true;
}
