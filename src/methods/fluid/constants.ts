/**
 * Numbers that the fluid's shaders and their CPU twins share; passes/kernel.ts links them into each shader. Lengths are
 * in cells; a fullness of 1 is that of fluid at rest.
 */

/** Fullness of a cell whose centre is at the surface. */
export const SURFACE_FULLNESS = 0.5;

/**
 * Least distance from a fluid cell's centre to the surface. With smaller distances, velocities at the surface become
 * unstable.
 */
export const LEAST_SURFACE = 0.25;

/** Greatest relative growth of a cell's volume per substep. More would throw particles about. */
export const MOST_SWELLING = 0.1;

/**
 * Greatest relative shrinking of a cell's volume per substep: enough for a wave to fill the hollow that it closes over.
 */
export const MOST_SHRINKING = 0.3;

/** A cell is full if its fullness differs from 1 by at most this. */
export const FULLNESS_SLACK = 0.02;

/**
 * Longest step of the pressure solver, as a multiple of its search direction. If there is a solution, steps are from
 * 0.7 to 1.3. If fluid has to swell but is enclosed without air, there is no solution, and steps are much longer. The
 * solver then stops, because further steps would spoil the pressure.
 */
export const MOST_STEP = 4;

/**
 * A smaller diagonal coefficient of the pressure equations is a rounding error, and becomes 0. Couplings of fluid cells
 * are at least 1 on the finest level, and each coarser level at most halves them. So on the first ten levels, all other
 * diagonal coefficients are at least 2⁻⁹.
 */
export const LEAST_DIAGONAL = 1e-3;

/**
 * A cell is solid if its centre is deeper than this in an obstacle. If the limit were 0, rounding would decide about
 * centres on a surface.
 */
export const SOLID_DEPTH = 2 ** -10;

/**
 * Greatest number of cells by which the flow moves a particle along an axis in a substep. A longer move could end where
 * velocities are unknown: beyond the layers of faces with extrapolated velocities (LAYERS in reference/project.ts).
 */
export const MOST_CELLS = 2;

/** A particle stops at this distance from the ends of the tank and from cells that are always solid. */
export const MARGIN = 1 / 64;

/**
 * To remove energy that it added, a substep lowers a particle by at most this share of the particle's height (see
 * reference/energy.ts). Fluid of the right density needs a hundredth of this share, fluid in too little room more
 * than that.
 */
export const MOST_LOWERING = 0.001;

/**
 * If lowering is not enough, a substep removes at most this share of the kinetic energy. Splashes with APIC need 2%. If
 * moving the particles added more energy than that, for example because the last bubble in a tank filled up, the added
 * energy is the limit.
 */
export const MOST_SLOWING = 0.05;
