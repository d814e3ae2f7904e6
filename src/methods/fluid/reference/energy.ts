/**
 * Purpose: keeps the energy of the liquid from growing in a substep. Twin of shaders/fluid/energy.wgsl, settlement.wgsl and settle.wgsl.
 * Pressure does no work where it acts on the lattice, whose faces weigh the same each; particles bring faces different weights, so
 * among them it does a little. Keeping particles apart and correcting their density lift some. What all that adds to kinetic and
 * potential energy is taken back at the end of the substep: first from what FLIP carries beside the lattice, which is noise for
 * the most part, then a little from all velocities alike; more would hold up waves too gentle to pay. What is still owed was
 * lifted rather than moved, so the liquid is lowered by it, by a share of each particle's height that is too small to see.
 * Inputs: each particle's account of the substep. Outputs: velocities and positions, in place.
 */
import type { Lattice } from '../lattice';
import type { ParticleSet } from './transfer';

/** Of each particle by id, from its move to the end of the substep. */
export interface Account {
  /** What its kinetic energy grew by in the move, for each unit of mass. */
  readonly growth: Float64Array;
  /** Where the move began, and what of its velocity the lattice does not know: `dimensions` numbers each. */
  readonly start: Float64Array;
  readonly beside: Float64Array;
}

export function createAccount(dimensions: 2 | 3, capacity: number): Account {
  return {
    growth: new Float64Array(capacity),
    start: new Float64Array(dimensions * capacity),
    beside: new Float64Array(dimensions * capacity),
  };
}

export interface EnergyRules {
  readonly dimensions: 2 | 3;
  readonly lattice: Lattice;
  readonly cellSize: number;
  readonly gravity: readonly number[];
  readonly restraint: number;
  /** Of cells that are solid for good, something else than 0. */
  readonly mask: Uint8Array;
}

/** Sums over all particles, for each unit of mass. */
export interface EnergySums {
  /** What energy grew by, and of that kinetic energy. */
  readonly gain: number;
  readonly growth: number;
  readonly kinetic: number;
  /** Velocity · what of it is beside the lattice, and the square of that. */
  readonly along: number;
  readonly squared: number;
  /** Potential energy above that in the tank's lowest corner. */
  readonly potential: number;
}

/** velocity ← scale · (velocity − share · beside); height above the lowest corner ← (1 − lowering) · height. */
export interface Settlement {
  readonly share: number;
  readonly scale: number;
  readonly lowering: number;
}

/**
 * Share of its height that the liquid is lowered by in a substep at most. Steps of a liquid that is as dense as it should be need
 * a hundredth of it; one that was poured where there was no room has to swell.
 */
export const MOST_LOWERING = 0.001;
/**
 * Share of kinetic energy that is taken for what is beyond that, or what it grew by in the substep: that came from nowhere. Splashes of
 * APIC, which has no noise to pay with, ask for 2%; the last bubble of a tank that closes brings in up to half of all motion.
 */
export const MOST_SLOWING = 0.05;

/** `restraint`: the share of kinetic energy that is taken from all alike before the liquid is lowered. */
export function settlement(sums: EnergySums, restraint: number): Settlement {
  const { gain, growth, kinetic, along, squared, potential } = sums;
  if (!(gain > 0)) return { share: 0, scale: 1, lowering: 0 };
  // The least share with along · share − squared · share² / 2 = gain, or what takes most.
  const root = along * along - 2 * squared * gain;
  let share = 0;
  if (along > 0) share = Math.min(1, root >= 0 ? (2 * gain) / (along + Math.sqrt(root)) : along / squared);
  const taken = share * along - (share * share * squared) / 2;
  const rest = Math.max(0, kinetic - taken);
  const owed = Math.max(0, gain - taken);
  // Where nothing falls, there is nothing else to take from.
  const willing = Math.min((potential > 0 ? restraint : 1) * rest, owed);
  const lowering = potential > 0 ? Math.min(MOST_LOWERING, (owed - willing) / potential) : 0;
  const beyond = potential > 0 ? owed - lowering * potential : 0;
  const grown = Math.min(rest, growth - taken);
  const slowed = Math.max(willing, Math.min(Math.max(MOST_SLOWING * rest, grown), beyond));
  return { share, scale: rest > 0 ? Math.sqrt(1 - slowed / rest) : 1, lowering };
}

export function settleEnergy(rules: EnergyRules, particles: ParticleSet, account: Account): void {
  const { share, scale, lowering } = settlement(sumEnergy(rules, particles, account), rules.restraint);
  if (share === 0 && scale === 1 && lowering === 0) return;
  const { dimensions } = rules;
  const { count, positions, velocities, ids } = particles;
  for (let particle = 0; particle < count; particle++) {
    if (!isWhole(dimensions, particle, positions, velocities)) continue;
    const id = ids[particle] as number;
    for (let axis = 0; axis < dimensions; axis++) {
      const entry = dimensions * particle + axis;
      const own = account.beside[dimensions * id + axis] as number;
      velocities[entry] = scale * ((velocities[entry] as number) - share * own);
    }
    if (lowering > 0) lower(rules, positions, particle, id, lowering);
  }
}

function sumEnergy(
  rules: EnergyRules,
  { count, positions, velocities, ids, order }: ParticleSet,
  { growth, start, beside }: Account,
): EnergySums {
  const { dimensions, lattice, cellSize, gravity } = rules;
  const sums = { gain: 0, growth: 0, kinetic: 0, along: 0, squared: 0, potential: 0 };
  for (let index = 0; index < count; index++) {
    const particle = order ? (order[index] as number) : index;
    if (!isWhole(dimensions, particle, positions, velocities)) continue;
    const id = ids[particle] as number;
    sums.gain += growth[id] as number;
    sums.growth += growth[id] as number;
    const mayBeLowered = isFreeBelow(rules, positions, particle);
    for (let axis = 0; axis < dimensions; axis++) {
      const own = dimensions * id + axis;
      const pull = gravity[axis] as number;
      const at = positions[dimensions * particle + axis] as number;
      const speed = velocities[dimensions * particle + axis] as number;
      sums.gain -= pull * (at - (start[own] as number));
      if (mayBeLowered) sums.potential -= pull * (at - lowest(lattice, cellSize, pull, axis));
      sums.kinetic += 0.5 * speed ** 2;
      sums.along += speed * (beside[own] as number);
      sums.squared += (beside[own] as number) ** 2;
    }
  }
  return sums;
}

/** Where things fall to along an axis. */
function lowest({ cells }: Lattice, cellSize: number, pull: number, axis: number): number {
  return pull > 0 ? cellSize * (cells[axis] as number) : 0;
}

/** Whether a particle would still be in the tank and in no solid cell, lowered as far as is allowed. */
function isFreeBelow(
  { dimensions, lattice, cellSize, gravity, mask }: EnergyRules,
  positions: Float32Array,
  particle: number,
): boolean {
  let entry = lattice.first;
  for (let axis = 0; axis < dimensions; axis++) {
    const pull = gravity[axis] as number;
    const at = positions[dimensions * particle + axis] as number;
    const height = at - lowest(lattice, cellSize, pull, axis);
    const cell = Math.floor((pull === 0 ? at : at - MOST_LOWERING * height) / cellSize);
    if (!(cell >= 0 && cell < (lattice.cells[axis] as number))) return false;
    entry += cell * (lattice.strides[axis] as number);
  }
  return mask[entry] === 0;
}

/**
 * Most are lowered by less than a bit of their position is worth: each draws whether it is rounded down, so that all together
 * are lowered by what is owed. Who lies on what is solid stays, and is none of those who were to pay.
 */
function lower(
  rules: EnergyRules,
  positions: Float32Array,
  particle: number,
  id: number,
  lowering: number,
): void {
  if (!isFreeBelow(rules, positions, particle)) return;
  const { dimensions, lattice, cellSize, gravity } = rules;
  for (let axis = 0; axis < dimensions; axis++) {
    const pull = gravity[axis] as number;
    if (pull === 0) continue;
    const entry = dimensions * particle + axis;
    const at = positions[entry] as number;
    const height = at - lowest(lattice, cellSize, pull, axis);
    positions[entry] = at - (lowering * height + (drawOf(at, id) - 0.5) * lastBit(at));
  }
}

const NUMBER = new Float32Array(1);
const BITS = new Uint32Array(NUMBER.buffer);

/** A number from 0 to 1 that follows from another's bits and an id alone. */
function drawOf(value: number, id: number): number {
  NUMBER[0] = value;
  let bits = (BITS[0] as number) ^ Math.imul(id, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 8) * 2 ** -24;
}

/** What the last bit of a 32-bit number is worth. */
function lastBit(value: number): number {
  NUMBER[0] = value;
  BITS[0] = (BITS[0] as number) & 0x7f800000;
  return (NUMBER[0] as number) * 2 ** -23;
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
