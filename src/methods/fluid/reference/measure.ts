/**
 * Purpose: figures of a liquid from its particles and its lattice, for both engines: sums in doubles, in the order of ids or
 * of cells. Inputs: particles, kinds and fullness of cells, velocities of faces. Outputs: see FluidMeasures.
 */
import { AIR, eachCell, FLUID, type Lattice } from '../lattice';
import type { FluidPlan } from '../options';
import type { FluidParticles } from '../shape';
import { correctionRate, SURFACE_FULLNESS, swelling } from './equations';
import { MOST_CELLS } from './particles';

/** Of the last substep, as the solver tells it. */
export interface SolverFigures {
  readonly iterations: number;
  /** Greatest residual in shares of the greatest right side. */
  readonly residual: number;
  /** Greatest flow into a cell before, density correction included, over cell size: a second. */
  readonly divergenceBefore: number;
}

export interface FluidMeasures extends SolverFigures {
  readonly count: number;
  /** Simulated seconds, and substeps so far. */
  readonly time: number;
  readonly substeps: number;
  /** Of the last substep: the greatest divergence that is not density correction, from the velocities themselves. */
  readonly divergenceAfter: number;
  /** Substeps that ended with more than `tolerance` left over. */
  readonly unconverged: number;
  /** Particles that emitters did not bring, since there were as many as the liquid holds. */
  readonly missed: number;
  /** Cells within the liquid whose middles are, of others as much as is full; and what the particles would fill. */
  readonly volume: number;
  readonly nominalVolume: number;
  readonly kineticEnergy: number;
  /** Against gravity, from the origin. */
  readonly potentialEnergy: number;
  readonly energy: number;
  readonly momentum: readonly number[];
  /** Around the centre of mass; in the plane around the axis across it. */
  readonly angularMomentum: readonly number[];
  readonly greatestSpeed: number;
  /** Particles too fast for the last substep, whose way was cut: more substeps would let them go. */
  readonly tooFast: number;
  /** Particles in solid cells, outside the tank, and not finite: left alone. */
  readonly inSolid: number;
  readonly outside: number;
  readonly nonFinite: number;
  /** Of all bits of the particles' state. */
  readonly hash: string;
}

type ParticleFigures = Pick<
  FluidMeasures,
  | 'kineticEnergy'
  | 'potentialEnergy'
  | 'energy'
  | 'momentum'
  | 'angularMomentum'
  | 'greatestSpeed'
  | 'tooFast'
  | 'inSolid'
  | 'outside'
  | 'nonFinite'
>;

/** What does not depend on the engine. `dt`: of the last substep; 0 before the first. */
export function measureState(
  plan: FluidPlan,
  { kinds, fullness }: Readonly<Record<'kinds' | 'fullness', ArrayLike<number>>>,
  { ids, positions, velocities }: FluidParticles,
  dt: number,
): ParticleFigures & Pick<FluidMeasures, 'count' | 'volume' | 'nominalVolume'> {
  const { lattice, cellSize, dimensions, particlesPerCell } = plan;
  return {
    count: ids.length,
    volume: measureVolume(lattice, cellSize, kinds, fullness),
    nominalVolume: (ids.length * cellSize ** dimensions) / particlesPerCell,
    ...measureParticles(plan, positions, velocities, dt),
  };
}

/** `dt`: of the last substep; 0 before the first. Two passes over the particles, which may be a million. */
function measureParticles(
  plan: FluidPlan,
  positions: Float32Array,
  velocities: Float32Array,
  dt: number,
): ParticleFigures {
  const { dimensions, cellSize, particlesPerCell, density, gravity } = plan;
  const mass = (density * cellSize ** dimensions) / particlesPerCell;
  const { places, speeds, finite, squared, greatest, ...counts } = sumParticles(
    plan,
    positions,
    velocities,
    dt,
  );
  const centre = places.map((sum) => sum / Math.max(1, finite));
  const spin = spinAround(centre, dimensions, positions, velocities).map((sum) => mass * sum);
  const kinetic = 0.5 * mass * squared;
  const potential = gravity.reduce((sum, pull, axis) => sum - mass * pull * (places[axis] as number), 0);
  return {
    kineticEnergy: kinetic,
    potentialEnergy: potential,
    energy: kinetic + potential,
    momentum: Array.from(speeds.subarray(0, dimensions), (sum) => mass * sum),
    angularMomentum: Array.from(dimensions === 2 ? spin.subarray(2) : spin),
    greatestSpeed: Math.sqrt(greatest),
    ...counts,
    nonFinite: positions.length / dimensions - finite,
  };
}

/** Sums over those that are finite. */
function sumParticles(
  { dimensions, lattice, cellSize, mask, max }: FluidPlan,
  positions: Float32Array,
  velocities: Float32Array,
  dt: number,
) {
  const places = new Float64Array(3);
  const speeds = new Float64Array(3);
  let [finite, squared, greatest] = [0, 0, 0];
  let [tooFast, inSolid, outside] = [0, 0, 0];
  for (let first = 0; first < positions.length; first += dimensions) {
    if (!isWhole(dimensions, first, positions, velocities)) continue;
    finite++;
    let own = 0;
    let isOutside = false;
    let entry = lattice.first;
    for (let axis = 0; axis < dimensions; axis++) {
      const at = positions[first + axis] as number;
      const speed = velocities[first + axis] as number;
      places[axis] = (places[axis] as number) + at;
      speeds[axis] = (speeds[axis] as number) + speed;
      own += speed * speed;
      if (at < 0 || at > (max[axis] as number)) isOutside = true;
      entry += Math.floor(at / cellSize) * (lattice.strides[axis] as number);
    }
    squared += own;
    greatest = Math.max(greatest, own);
    if (Math.sqrt(own) * dt > MOST_CELLS * cellSize) tooFast++;
    if (isOutside) outside++;
    else if (mask[entry]) inSolid++;
  }
  return { places, speeds, finite, squared, greatest, tooFast, inSolid, outside };
}

/** Sums of (place − centre) × velocity. */
function spinAround(
  centre: Float64Array,
  dimensions: 2 | 3,
  positions: Float32Array,
  velocities: Float32Array,
): Float64Array {
  const inSpace = dimensions === 3;
  let [spinX, spinY, spinZ] = [0, 0, 0];
  for (let first = 0; first < positions.length; first += dimensions) {
    if (!isWhole(dimensions, first, positions, velocities)) continue;
    const x = (positions[first] as number) - (centre[0] as number);
    const y = (positions[first + 1] as number) - (centre[1] as number);
    const u = velocities[first] as number;
    const v = velocities[first + 1] as number;
    spinZ += x * v - y * u;
    if (!inSpace) continue;
    const z = (positions[first + 2] as number) - (centre[2] as number);
    const w = velocities[first + 2] as number;
    spinX += y * w - z * v;
    spinY += z * u - x * w;
  }
  return Float64Array.of(spinX, spinY, spinZ);
}

function isWhole(
  dimensions: 2 | 3,
  first: number,
  positions: Float32Array,
  velocities: Float32Array,
): boolean {
  let sum = 0;
  for (let entry = first; entry < first + dimensions; entry++)
    sum += (positions[entry] as number) + (velocities[entry] as number);
  return Number.isFinite(sum);
}

/**
 * Volume, in the caller's unit. Cells within the liquid count whole, those at a surface and beyond by their fullness, and so do
 * those less than half full, whose middles are in a hollow: a few particles of spray in each do not make it liquid.
 */
export function measureVolume(
  lattice: Lattice,
  cellSize: number,
  kinds: ArrayLike<number>,
  fullness: ArrayLike<number>,
): number {
  let volume = 0;
  eachCell(lattice, (cell) => {
    const full = fullness[cell] as number;
    const isWhole = kinds[cell] === FLUID && full >= SURFACE_FULLNESS && isDeep(lattice, kinds, cell);
    volume += isWhole ? 1 : Math.min(1, full);
  });
  return volume * cellSize ** lattice.dimensions;
}

/** Greatest divergence of the faces' velocities but for density correction, a second. `plan`: as it was in that substep. */
export function measureDivergence(
  plan: Pick<FluidPlan, 'lattice' | 'cellSize' | 'correction' | 'gravity'>,
  kinds: ArrayLike<number>,
  fullness: ArrayLike<number>,
  velocity: ArrayLike<number>,
  /** Of cells without equations 0. */
  diagonal: ArrayLike<number>,
  dt: number,
): number {
  const { lattice, cellSize, correction } = plan;
  const { dimensions, size, strides } = lattice;
  const rate = correctionRate(plan, dt);
  let greatest = 0;
  let hasSurface = false;
  const left: number[] = [];
  eachCell(lattice, (cell) => {
    if (kinds[cell] !== FLUID) return;
    const deep = isDeep(lattice, kinds, cell);
    hasSurface ||= !deep;
    if (diagonal[cell] === 0) return;
    let outflow = -swelling(fullness[cell] as number, deep, correction, rate);
    for (let axis = 0; axis < dimensions; axis++) {
      const low = axis * size + cell;
      outflow += (velocity[low + (strides[axis] as number)] as number) - (velocity[low] as number);
    }
    left.push(outflow);
  });
  // What a liquid without a surface takes in on the whole nothing can undo.
  const whole = hasSurface ? 0 : left.reduce((sum, one) => sum + one, 0) / left.length;
  for (const one of left) greatest = Math.max(greatest, Math.abs(one - whole));
  return greatest / cellSize;
}

function isDeep({ dimensions, strides }: Lattice, kinds: ArrayLike<number>, cell: number): boolean {
  for (let axis = 0; axis < dimensions; axis++) {
    const stride = strides[axis] as number;
    if (kinds[cell - stride] === AIR || kinds[cell + stride] === AIR) return false;
  }
  return true;
}
