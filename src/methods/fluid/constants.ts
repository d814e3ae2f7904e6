/**
 * Numbers that the shaders of the fluid and their CPU twins must agree on. passes/kernel.ts links them into each shader
 * under the same names. Whole numbers get the type u32 in WGSL, others f32. Lengths are in cells; a fullness of 1 is
 * that of fluid at rest.
 */

/** Fullness of a cell whose centre is at the surface. */
export const SURFACE_FULLNESS = 0.5;

/**
 * Least distance from a fluid cell's centre to the surface. With a shorter one, velocities at the surface become
 * unstable.
 */
export const LEAST_SURFACE = 0.25;

/** Greatest relative growth of a cell's volume per substep. A faster growth would throw particles about. */
export const MOST_SWELLING = 0.1;

/**
 * Greatest relative shrinking of a cell's volume per substep. It is large enough for a wave that closes over a hollow
 * to fill that hollow.
 */
export const MOST_SHRINKING = 0.3;

/** A cell counts as full if its fullness differs from 1 by at most this. */
export const FULLNESS_SLACK = 0.02;

/**
 * Longest step of the pressure solver along a search direction, in multiples of that direction. If the equations have a
 * solution, steps are from 0.7 to 1.3. Much longer steps mean that there is no solution: the fluid is enclosed
 * without air, but would have to swell. The solver then stops, because further steps would spoil the pressure found so
 * far.
 */
export const MOST_STEP = 4;

/**
 * Smaller diagonals count as rounding errors and become 0. Couplings of fluid cells are at least 1 on the finest level,
 * and each coarser level at most halves them. So down to the tenth level, real diagonals are larger.
 */
export const LEAST_DIAGONAL = 1e-3;

/**
 * A cell is solid if its centre lies in an obstacle, deeper than this. A centre is often exactly on a surface, where
 * rounding would decide; both engines then leave the cell free.
 */
export const SOLID_DEPTH = 2 ** -10;

/**
 * In a substep, a particle moves at most this many cells along an axis. Extrapolated velocities do not reach much
 * farther.
 */
export const MOST_CELLS = 2;

/** Distance that particles keep from the ends of the tank, and at which cells that are always solid stop a particle. */
export const MARGIN = 1 / 64;

/**
 * Greatest share of a particle's height by which a substep lowers the particle. A fluid of the right density needs a
 * hundredth of this share. A fluid that was poured into too little room has to swell and needs more.
 */
export const MOST_LOWERING = 0.001;

/**
 * Greatest share of the kinetic energy that may be removed if lowering is not enough. Splashes with APIC, which has no
 * noise to remove, need 2%. If the kinetic energy grew by more than this share in the move, up to the whole growth may
 * be removed. That happens when the last bubble in a tank fills up.
 */
export const MOST_SLOWING = 0.05;
