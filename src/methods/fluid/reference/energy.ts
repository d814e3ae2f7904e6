/**
 * Keeps the fluid's energy from growing in a substep. Twin of shaders/fluid/energy.wgsl, settlement.wgsl and
 * settle.wgsl. On the lattice, whose faces all have the same weight, pressure does no work. Particles give faces
 * different weights, so for particles pressure does a little work. Also, keeping particles apart and correcting their
 * density lifts some of them. The energy gained this way is removed at the end of the substep, in this order:
 * 1. from the part of the velocities that FLIP keeps beside the lattice, which is mostly noise;
 * 2. from all velocities alike, but only a small share, because a larger one would stop gentle waves;
 * 3. from heights, because the rest came from lifting: each particle sinks by a share of its height too small to see.
 * Inputs: each particle's account of the substep. Outputs: velocities and positions, in place.
 */
import type { Lattice } from '../lattice';
import type { ParticleSet } from './transfer';

/** Each particle's account of a substep, indexed by id; valid from its move to the end of the substep. */
export interface Account {
  /** Growth of its kinetic energy in the move, per mass. */
  readonly growth: Float64Array;
  /**
   * The position before the move, and the part of the velocity that is not on the lattice; `dimensions` numbers each.
   */
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
  /** Not 0 for cells that are always solid. */
  readonly mask: Uint8Array;
}

/** Sums over all particles, per mass. */
export interface EnergySums {
  /** Growth of the energy, and the kinetic part of it. */
  readonly gain: number;
  readonly growth: number;
  readonly kinetic: number;
  /** Velocity · (its part beside the lattice), and the square of that part. */
  readonly along: number;
  readonly squared: number;
  /** Potential energy relative to the tank's lowest corner. */
  readonly potential: number;
}

/** velocity ← scale · (velocity − share · beside); height above the lowest corner ← (1 − lowering) · height. */
export interface Settlement {
  readonly share: number;
  readonly scale: number;
  readonly lowering: number;
}

/**
 * Greatest share of its height by which the fluid is lowered in a substep. A fluid of the right density needs a
 * hundredth of that. A fluid that was poured into too little room has to swell and needs more.
 */
export const MOST_LOWERING = 0.001;
/**
 * Share of the kinetic energy that may be removed to cover what lowering does not. If the kinetic energy grew by more
 * in the substep, that much may be removed, because the growth has no physical cause. Splashes with APIC, which has no
 * noise to remove, need 2%. The last bubble of a closing tank causes up to half of all motion.
 */
export const MOST_SLOWING = 0.05;

/**
 * `restraint` is the share of kinetic energy that may be removed from all particles alike before the fluid is lowered.
 */
export function settlement(sums: EnergySums, restraint: number): Settlement {
  const { gain, growth, kinetic, along, squared, potential } = sums;
  if (!(gain > 0)) return { share: 0, scale: 1, lowering: 0 };
  // The least share with along · share − squared · share² / 2 = gain, or the share that removes the most.
  const root = along * along - 2 * squared * gain;
  let share = 0;
  if (along > 0) share = Math.min(1, root >= 0 ? (2 * gain) / (along + Math.sqrt(root)) : along / squared);
  const taken = share * along - (share * share * squared) / 2;
  const rest = Math.max(0, kinetic - taken);
  const owed = Math.max(0, gain - taken);
  // Without gravity, nothing can be lowered, so all of it must come from the velocities.
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
      const beside = account.beside[dimensions * id + axis] as number;
      velocities[entry] = scale * ((velocities[entry] as number) - share * beside);
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
      const entry = dimensions * id + axis;
      const pull = gravity[axis] as number;
      const coordinate = positions[dimensions * particle + axis] as number;
      const speed = velocities[dimensions * particle + axis] as number;
      sums.gain -= pull * (coordinate - (start[entry] as number));
      if (mayBeLowered) sums.potential -= pull * (coordinate - lowest(lattice, cellSize, pull, axis));
      sums.kinetic += 0.5 * speed ** 2;
      sums.along += speed * (beside[entry] as number);
      sums.squared += (beside[entry] as number) ** 2;
    }
  }
  return sums;
}

/** Returns the coordinate of the tank's end that gravity points to along an axis. */
function lowest({ cells }: Lattice, cellSize: number, pull: number, axis: number): number {
  return pull > 0 ? cellSize * (cells[axis] as number) : 0;
}

/** Returns whether a particle, lowered as far as allowed, would still be in the tank and in no solid cell. */
function isFreeBelow(
  { dimensions, lattice, cellSize, gravity, mask }: EnergyRules,
  positions: Float32Array,
  particle: number,
): boolean {
  let entry = lattice.first;
  for (let axis = 0; axis < dimensions; axis++) {
    const pull = gravity[axis] as number;
    const coordinate = positions[dimensions * particle + axis] as number;
    const height = coordinate - lowest(lattice, cellSize, pull, axis);
    const cell = Math.floor((pull === 0 ? coordinate : coordinate - MOST_LOWERING * height) / cellSize);
    if (!(cell >= 0 && cell < (lattice.cells[axis] as number))) return false;
    entry += cell * (lattice.strides[axis] as number);
  }
  return mask[entry] === 0;
}

/**
 * Lowers a particle. Most particles are lowered by less than the last bit of their position, so a hash of position and
 * id decides whether each is rounded down. Together they are lowered by the right amount. A particle that lies on a
 * solid stays, and sumEnergy does not count its height.
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
    const coordinate = positions[entry] as number;
    const height = coordinate - lowest(lattice, cellSize, pull, axis);
    positions[entry] =
      coordinate - (lowering * height + (hashOf(coordinate, id) - 0.5) * lastBit(coordinate));
  }
}

const NUMBER = new Float32Array(1);
const BITS = new Uint32Array(NUMBER.buffer);

/** Returns a number from 0 to 1: a hash of a number's bits and an id. */
function hashOf(value: number, id: number): number {
  NUMBER[0] = value;
  let bits = (BITS[0] as number) ^ Math.imul(id, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 8) * 2 ** -24;
}

/** Returns the value of the last bit of a 32-bit float. */
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
