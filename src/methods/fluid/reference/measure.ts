/** Measures a fluid, for both engines. Sums are in doubles, in the order of ids or of cells. */
import { MOST_CELLS, SURFACE_FULLNESS } from '../constants';
import { AIR, eachCell, FLUID, type Lattice } from '../lattice';
import type { Obstacle } from '../obstacles';
import type { FluidPlan } from '../options';
import type { FluidParticles } from '../shape';
import { markFluid, markSolids } from './cells';
import { correctionRate, swelling } from './equations';
import { fillCells } from './transfer';

/** Figures of the pressure solver in the last substep. */
export interface SolverFigures {
  /** Iterations of the pressure solver. */
  readonly iterations: number;
  /** Greatest residual divided by the greatest right-hand side. */
  readonly residual: number;
  /** Greatest flow into a cell before the solver, with density correction, divided by the cell size; 1 / s. */
  readonly divergenceBefore: number;
}

/** Figures of a fluid. */
export interface FluidMeasures extends SolverFigures {
  /** Number of particles, without drained ones. */
  readonly count: number;
  /** Simulated seconds. */
  readonly time: number;
  /** Number of substeps so far. */
  readonly substeps: number;
  /** Greatest divergence of the velocities after the last substep, minus the density correction; 1 / s. */
  readonly divergenceAfter: number;
  /** Number of substeps that ended with a residual above `tolerance`. */
  readonly unconverged: number;
  /** Number of particles that emitters could not add because the capacity was reached. */
  readonly missed: number;
  /** Volume (2D: area) that the particles fill where they are now. */
  readonly volume: number;
  /** Volume (2D: area) that the particles should fill. */
  readonly nominalVolume: number;
  /** Kinetic energy, mass · length² / s². */
  readonly kineticEnergy: number;
  /** Potential energy relative to the origin, mass · length² / s². */
  readonly potentialEnergy: number;
  /** Sum of kinetic and potential energy. */
  readonly energy: number;
  /** Momentum along each axis, mass · length / s. */
  readonly momentum: readonly number[];
  /** Angular momentum around the centre of mass, mass · length² / s; one number in 2D. */
  readonly angularMomentum: readonly number[];
  /** Greatest speed of a particle, length / s. */
  readonly greatestSpeed: number;
  /** Number of particles faster than two cells per substep. A substep may shorten their moves; use more substeps. */
  readonly tooFast: number;
  /** Number of particles in cells that are always solid; cells of obstacles do not count. */
  readonly inSolid: number;
  /** Number of particles outside the tank. */
  readonly outside: number;
  /** Number of particles whose position or velocity is not finite. All stages ignore them. */
  readonly nonFinite: number;
  /** Hash of all bits of the particles' state. */
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

/** Returns the measures that do not depend on the engine. `dt`: seconds of the last substep; 0 before the first. */
export function measureState(
  plan: FluidPlan,
  obstacles: readonly Obstacle[],
  { ids, positions, velocities }: FluidParticles,
  dt: number,
): ParticleFigures & Pick<FluidMeasures, 'count' | 'volume' | 'nominalVolume'> {
  const { lattice, cellSize, dimensions, particlesPerCell } = plan;
  // Find the kinds again, because the engine's lattice is that of the last substep, or empty before the first.
  const kinds = new Uint8Array(lattice.size);
  markSolids({ ...plan, obstacles }, kinds);
  const { fullness, inside } = fillCells({ ...plan, kinds }, { positions, velocities });
  markFluid(lattice, inside, kinds);
  return {
    count: ids.length,
    volume: measureVolume(lattice, cellSize, kinds, fullness),
    nominalVolume: (ids.length * cellSize ** dimensions) / particlesPerCell,
    ...measureParticles(plan, positions, velocities, dt),
  };
}

function measureParticles(
  plan: FluidPlan,
  positions: Float32Array,
  velocities: Float32Array,
  dt: number,
): ParticleFigures {
  const { dimensions, cellSize, particlesPerCell, density, gravity } = plan;
  const mass = (density * cellSize ** dimensions) / particlesPerCell;
  const { positionSums, velocitySums, finite, squared, greatest, ...counts } = sumParticles(
    plan,
    positions,
    velocities,
    dt,
  );
  const centre = positionSums.map((sum) => sum / Math.max(1, finite));
  const spin = spinAround(centre, dimensions, positions, velocities).map((sum) => mass * sum);
  const kinetic = 0.5 * mass * squared;
  const potential = gravity.reduce(
    (sum, pull, axis) => sum - mass * pull * (positionSums[axis] as number),
    0,
  );
  return {
    kineticEnergy: kinetic,
    potentialEnergy: potential,
    energy: kinetic + potential,
    momentum: Array.from(velocitySums.subarray(0, dimensions), (sum) => mass * sum),
    angularMomentum: Array.from(dimensions === 2 ? spin.subarray(2) : spin),
    greatestSpeed: Math.sqrt(greatest),
    ...counts,
    nonFinite: positions.length / dimensions - finite,
  };
}

function sumParticles(
  { dimensions, lattice, cellSize, mask, max }: FluidPlan,
  positions: Float32Array,
  velocities: Float32Array,
  dt: number,
) {
  const positionSums = new Float64Array(3);
  const velocitySums = new Float64Array(3);
  let [finite, squared, greatest] = [0, 0, 0];
  let [tooFast, inSolid, outside] = [0, 0, 0];
  for (let first = 0; first < positions.length; first += dimensions) {
    if (!isWhole(dimensions, first, positions, velocities)) continue;
    finite++;
    let speedSquared = 0;
    let isOutside = false;
    let entry = lattice.first;
    for (let axis = 0; axis < dimensions; axis++) {
      const coordinate = positions[first + axis] as number;
      const speed = velocities[first + axis] as number;
      positionSums[axis] = (positionSums[axis] as number) + coordinate;
      velocitySums[axis] = (velocitySums[axis] as number) + speed;
      speedSquared += speed * speed;
      if (coordinate < 0 || coordinate > (max[axis] as number)) isOutside = true;
      entry += Math.floor(coordinate / cellSize) * (lattice.strides[axis] as number);
    }
    squared += speedSquared;
    greatest = Math.max(greatest, speedSquared);
    if (Math.sqrt(speedSquared) * dt > MOST_CELLS * cellSize) tooFast++;
    if (isOutside) outside++;
    else if (mask[entry]) inSolid++;
  }
  return { positionSums, velocitySums, finite, squared, greatest, tooFast, inSolid, outside };
}

/** Sums (position − centre) × velocity over all finite particles. */
function spinAround(
  centre: Float64Array,
  dimensions: 2 | 3,
  positions: Float32Array,
  velocities: Float32Array,
): Float64Array {
  const is3D = dimensions === 3;
  let [spinX, spinY, spinZ] = [0, 0, 0];
  for (let first = 0; first < positions.length; first += dimensions) {
    if (!isWhole(dimensions, first, positions, velocities)) continue;
    const x = (positions[first] as number) - (centre[0] as number);
    const y = (positions[first + 1] as number) - (centre[1] as number);
    const u = velocities[first] as number;
    const v = velocities[first + 1] as number;
    spinZ += x * v - y * u;
    if (!is3D) continue;
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
 * Returns the volume of the fluid. A fluid cell without air neighbours that is at least half full counts as full. Any
 * other cell counts by its fullness, because a few particles of spray do not fill a cell.
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

/**
 * Returns the greatest divergence minus the density correction, 1 / s. `plan` needs the settings of the substep that
 * produced `velocity`.
 */
export function measureDivergence(
  plan: Pick<FluidPlan, 'lattice' | 'cellSize' | 'correction' | 'gravity'>,
  kinds: ArrayLike<number>,
  fullness: ArrayLike<number>,
  velocity: ArrayLike<number>,
  /** Diagonal of the pressure equations; 0 for cells without an equation. */
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
  // Without a surface, the equations leave out the mean, so this measure does too.
  const mean = hasSurface ? 0 : left.reduce((sum, one) => sum + one, 0) / left.length;
  for (const one of left) greatest = Math.max(greatest, Math.abs(one - mean));
  return greatest / cellSize;
}

function isDeep({ dimensions, strides }: Lattice, kinds: ArrayLike<number>, cell: number): boolean {
  for (let axis = 0; axis < dimensions; axis++) {
    const stride = strides[axis] as number;
    if (kinds[cell - stride] === AIR || kinds[cell + stride] === AIR) return false;
  }
  return true;
}
