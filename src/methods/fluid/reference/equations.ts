/**
 * Purpose: the equations of pressure. Twin of shaders/fluid/pressure/equations.wgsl. For each fluid cell the sum over its faces of
 * coupling · (own pressure − the other's) is what flows in too much; in air the pressure is 0, at the surface, which lies as far
 * from the cell's middle as its fullness says (ghost fluid). Pressures are in units of velocity: density · cell size / dt.
 * Density correction: cells that are too full may swell, and cells within the liquid that are not full shrink, a little a step.
 */
import { AIR, eachCell, eachFace, FLUID, type Lattice } from '../lattice';
import type { FluidPlan } from '../options';

/** How full a cell is whose middle is at the surface. */
export const SURFACE_FULLNESS = 0.5;
/** Of the distance to the next middle, how far at least the surface is: less makes surface faces react wildly. */
const LEAST_SURFACE = 0.25;
/** What one cell's volume may grow by in a step at most: more throws particles about. */
const MOST_SWELLING = 0.1;
/** What it may shrink by: a wave that closes over a hollow fills it before anybody takes the hollow for liquid. */
const MOST_SHRINKING = 0.3;
/** Fullness that is still taken for full. */
const FULLNESS_SLACK = 0.02;

export interface EquationInput {
  readonly lattice: Lattice;
  readonly kinds: Uint8Array;
  readonly fullness: Float64Array;
  readonly velocity: Float64Array;
  /** Velocity that a change of a cell's volume by all of it in one step means: see correctionRate. */
  readonly rate: number;
  /** Share of the excess that is corrected in a step, 0 to 1. */
  readonly correction: number;
}

/** Arrays of the finest level of a multigrid, or longer ones that begin with it. */
export interface Equations {
  readonly coupling: Float64Array;
  /** Entries of `coupling` from one axis to the next. */
  readonly couplingSize: number;
  readonly diagonal: Float64Array;
  readonly right: Float64Array;
}

/** How far from a cell's middle the surface is towards an air cell, in cells. */
export function surfaceDistance(fullness: number): number {
  const distance =
    fullness >= SURFACE_FULLNESS ? 1 - Math.sqrt(2 * Math.max(0, 1 - fullness)) : LEAST_SURFACE;
  return Math.min(1, Math.max(LEAST_SURFACE, distance));
}

/**
 * In shares of the time in which a cell's height is fallen through, about, and in seconds: shorter substeps than both correct
 * density no faster. What swells goes on with the velocity that it swelled by, which grows as substeps shrink: in those of 0.1 ms a
 * dam break gained a quarter of its energy by that, and in shorter ones it blew up. With a share of 0.02 it would gain 0.2%.
 */
const SHORTEST_FALL = 0.05;
const SHORTEST_CORRECTION = 1 / 120;

/** Velocity by which a cell's volume changes by all of it in a substep of `dt`, or in the shortest that density is corrected by. */
export function correctionRate(
  { cellSize, gravity }: Pick<FluidPlan, 'cellSize' | 'gravity'>,
  dt: number,
): number {
  const fall = SHORTEST_FALL * Math.sqrt(cellSize / Math.hypot(...gravity));
  return cellSize / Math.max(dt, Math.min(fall, SHORTEST_CORRECTION));
}

/** What a cell is to swell by in a step, as a sum of velocities over its faces. */
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
    // All around is solid: nothing can be done about what flows in.
    if (total === 0) return;
    diagonal[cell] = total;
    right[cell] = swelling(fullness[cell] as number, isDeep, correction, rate) - outflow;
    unknowns++;
    sum += right[cell] as number;
  });
  // Without a surface only what flows in everywhere can be undone, not what flows in on the whole.
  if (hasSurface || unknowns === 0) return;
  eachCell(lattice, (cell) => {
    if ((diagonal[cell] as number) > 0) right[cell] = (right[cell] as number) - sum / unknowns;
  });
}
