/**
 * The pressure equations, one per fluid cell. Twin of shaders/fluid/pressure/equations.wgsl. The left side adds up
 * coupling · (pressure − neighbour's pressure) over the cell's faces; the right side is the surplus flow into the cell.
 * Pressures are divided by density · cell size / dt, so they have the unit of a velocity.
 *
 * The coupling of a face is 1 between fluid cells, 0 at solids, and 1 / (distance to the surface) towards air. At the
 * surface the pressure is 0 (ghost fluid method). The distance follows from the fullness: the weight of the particles
 * around the cell's centre, relative to that of a full cell.
 *
 * Density correction: cells that are too full swell a little. Deep cells, which have no air neighbour, shrink a little
 * if they are not full.
 */
import { FULLNESS_SLACK, LEAST_SURFACE, MOST_SHRINKING, MOST_SWELLING, SURFACE_FULLNESS } from '../constants';
import { AIR, eachCell, eachFace, FLUID, type Lattice } from '../lattice';
import type { FluidPlan } from '../options';

export interface EquationInput {
  readonly lattice: Lattice;
  readonly kinds: Uint8Array;
  readonly fullness: Float64Array;
  readonly velocity: Float64Array;
  /** See correctionRate. */
  readonly rate: number;
  readonly correction: number;
}

/** Arrays over the finest level of a multigrid, or over all levels, which begin with the finest. */
export interface Equations {
  readonly coupling: Float64Array;
  /** Length of `coupling` per axis. */
  readonly couplingSize: number;
  readonly diagonal: Float64Array;
  readonly right: Float64Array;
}

/**
 * Returns the distance in cells from a fluid cell's centre to the surface, towards an air cell. The weight of a
 * particle falls linearly to 0 at one cell from the centre. If the fluid ends at distance d, the fullness is therefore
 * 1 − (1 − d)² / 2.
 */
export function surfaceDistance(fullness: number): number {
  const distance =
    fullness >= SURFACE_FULLNESS ? 1 - Math.sqrt(2 * Math.max(0, 1 - fullness)) : LEAST_SURFACE;
  return Math.min(1, Math.max(LEAST_SURFACE, distance));
}

/**
 * Shortest times in which a substep corrects density; correctionRate uses the smaller one. SHORTEST_FALL is in units of
 * √(cell size / gravity), SHORTEST_CORRECTION in seconds. Fluid keeps the velocity with which it swelled. Without these
 * limits, shorter substeps would make that velocity, and so the energy, greater.
 */
const SHORTEST_FALL = 0.05;
const SHORTEST_CORRECTION = 1 / 120;

/**
 * Returns the speed at which a flow through one face fills a cell in `dt`, or in the smaller of the two limits if `dt`
 * is shorter.
 */
export function correctionRate(
  { cellSize, gravity }: Pick<FluidPlan, 'cellSize' | 'gravity'>,
  dt: number,
): number {
  const fall = SHORTEST_FALL * Math.sqrt(cellSize / Math.hypot(...gravity));
  return cellSize / Math.max(dt, Math.min(fall, SHORTEST_CORRECTION));
}

/** Returns the outflow that corrects a cell's density, as a sum of velocities over its faces. */
export function swelling(fullness: number, isDeep: boolean, correction: number, rate: number): number {
  const excess =
    fullness > 1 + FULLNESS_SLACK
      ? fullness - 1 - FULLNESS_SLACK
      : isDeep
        ? Math.min(0, fullness - 1 + FULLNESS_SLACK)
        : 0;
  return rate * Math.min(MOST_SWELLING, Math.max(-MOST_SHRINKING, correction * excess));
}

export function assemble(
  { lattice, kinds, fullness, velocity, rate, correction }: EquationInput,
  { coupling, couplingSize, diagonal, right }: Equations,
): void {
  const { dimensions, size, strides } = lattice;
  coupling.fill(0);
  diagonal.fill(0);
  right.fill(0);
  for (let axis = 0; axis < dimensions; axis++) {
    const stride = strides[axis] as number;
    eachFace(lattice, axis, (face, x, y, z) => {
      if ((axis === 0 ? x : axis === 1 ? y : z) === 0) return;
      const lower = kinds[face - stride] as number;
      const upper = kinds[face] as number;
      if (lower > FLUID || upper > FLUID || (lower === AIR && upper === AIR)) return;
      const filled = lower === FLUID ? face - stride : face;
      const value = lower === upper ? 1 : 1 / surfaceDistance(fullness[filled] as number);
      coupling[axis * couplingSize + face] = value;
    });
  }
  let unknowns = 0;
  let sum = 0;
  let hasSurface = false;
  eachCell(lattice, (cell) => {
    if (kinds[cell] !== FLUID) return;
    let total = 0;
    let outflow = 0;
    let isDeep = true;
    for (let axis = 0; axis < dimensions; axis++) {
      const stride = strides[axis] as number;
      const low = axis * size + cell;
      const high = low + stride;
      const face = axis * couplingSize + cell;
      total += (coupling[face] as number) + (coupling[face + stride] as number);
      outflow += (velocity[high] as number) - (velocity[low] as number);
      if (kinds[cell - stride] === AIR || kinds[cell + stride] === AIR) isDeep = false;
    }
    if (!isDeep) hasSurface = true;
    // If all neighbours are solid, no pressure can change the flow into the cell.
    if (total === 0) return;
    diagonal[cell] = total;
    right[cell] = swelling(fullness[cell] as number, isDeep, correction, rate) - outflow;
    unknowns++;
    sum += right[cell] as number;
  });
  // Without a surface the total volume cannot change, so a solution exists only after the mean inflow is subtracted.
  if (hasSurface || unknowns === 0) return;
  eachCell(lattice, (cell) => {
    if ((diagonal[cell] as number) > 0) right[cell] = (right[cell] as number) - sum / unknowns;
  });
}
