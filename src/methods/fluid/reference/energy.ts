/**
 * Keeps the fluid's energy from growing in a substep, as far as MOST_LOWERING and MOST_SLOWING allow. Twin of
 * shaders/fluid/energy.wgsl, settlement.wgsl and settle.wgsl.
 *
 * Energy grows for two reasons. Pressure does a little work on particles, because a particle takes more of its velocity
 * from some faces than from others. Keeping particles apart and correcting density lift some particles. The end of
 * the substep removes the added energy:
 * 1. from the part of the velocities that the lattice does not hold. FLIP keeps this part, which is mostly noise;
 * 2. from all velocities alike, but usually only a small share, because a larger share would stop gentle waves;
 * 3. from heights: particles sink by a tiny share of their height;
 * 4. if that is not enough, from all velocities again; see MOST_SLOWING.
 */
import { MOST_LOWERING, MOST_SLOWING } from '../constants';
import type { Lattice } from '../lattice';
import type { ParticleSet } from './transfer';

/** Values of each particle, indexed by id. Valid from the particle's move to the end of the substep. */
export interface Account {
  /** Growth of the kinetic energy in the move, per mass. */
  readonly growth: Float64Array;
  /** Position before the move. */
  readonly start: Float64Array;
  /** The part of the velocity that the lattice does not hold, `dimensions` numbers each. */
  readonly offLattice: Float64Array;
}

export function createAccount(dimensions: 2 | 3, capacity: number): Account {
  return {
    growth: new Float64Array(capacity),
    start: new Float64Array(dimensions * capacity),
    offLattice: new Float64Array(dimensions * capacity),
  };
}

export interface EnergyRules {
  readonly dimensions: 2 | 3;
  readonly lattice: Lattice;
  readonly cellSize: number;
  readonly gravity: readonly number[];
  readonly restraint: number;
  /** Array over the lattice: not 0 for cells that are always solid. */
  readonly mask: Uint8Array;
}

/** Sums over all finite particles, per mass of a particle. */
export interface EnergySums {
  /** Growth of the total energy in the substep. */
  readonly gain: number;
  readonly growth: number;
  /** Kinetic energy after the move. */
  readonly kinetic: number;
  /** Scalar product of the velocity and offLattice. */
  readonly along: number;
  readonly squared: number;
  /** Potential energy, relative to the tank's lowest corner, of the particles that may be lowered. */
  readonly potential: number;
}

/**
 * Each velocity becomes `scale · (velocity − share · offLattice)`. If a particle may be lowered, its height above the
 * tank's lowest corner becomes `(1 − lowering) · height`.
 */
export interface Settlement {
  readonly share: number;
  readonly scale: number;
  readonly lowering: number;
}

export function settlement(sums: EnergySums, restraint: number): Settlement {
  const { gain, growth, kinetic, along, squared, potential } = sums;
  if (!(gain > 0)) return { share: 0, scale: 1, lowering: 0 };
  // Subtracting share · offLattice from each velocity removes the energy along · share − squared · share² / 2. Find the
  // least share from 0 to 1 that removes the whole gain or, if there is none, the share that removes the most.
  const root = along * along - 2 * squared * gain;
  let share = 0;
  if (along > 0) share = Math.min(1, root >= 0 ? (2 * gain) / (along + Math.sqrt(root)) : along / squared);
  const taken = share * along - (share * share * squared) / 2;
  const rest = Math.max(0, kinetic - taken);
  const unpaid = Math.max(0, gain - taken);
  // If lowering removes no energy, for instance without gravity, the velocities must lose all of `unpaid`.
  const restrained = Math.min((potential > 0 ? restraint : 1) * rest, unpaid);
  const lowering = potential > 0 ? Math.min(MOST_LOWERING, (unpaid - restrained) / potential) : 0;
  const uncovered = potential > 0 ? unpaid - lowering * potential : 0;
  const grown = Math.min(rest, growth - taken);
  const slowed = Math.max(restrained, Math.min(Math.max(MOST_SLOWING * rest, grown), uncovered));
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
      const offLattice = account.offLattice[dimensions * id + axis] as number;
      velocities[entry] = scale * ((velocities[entry] as number) - share * offLattice);
    }
    if (lowering > 0) lower(rules, positions, particle, id, lowering);
  }
}

function sumEnergy(
  rules: EnergyRules,
  { count, positions, velocities, ids, order }: ParticleSet,
  { growth, start, offLattice }: Account,
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
      sums.along += speed * (offLattice[entry] as number);
      sums.squared += (offLattice[entry] as number) ** 2;
    }
  }
  return sums;
}

/** Returns the coordinate of the end of the tank to which gravity points. */
function lowest({ cells }: Lattice, cellSize: number, pull: number, axis: number): number {
  return pull > 0 ? cellSize * (cells[axis] as number) : 0;
}

/** Returns whether a particle, lowered by MOST_LOWERING, is still in the tank and in no cell that is always solid. */
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
 * Lowers a particle if isFreeBelow() allows it. The lowering is usually less than a coordinate's last bit. So a hash
 * decides whether to round down, which keeps the mean over many particles close to the exact lowering.
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

function hashOf(value: number, id: number): number {
  NUMBER[0] = value;
  let bits = (BITS[0] as number) ^ Math.imul(id, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 8) * 2 ** -24;
}

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
