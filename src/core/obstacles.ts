/**
 * Purpose: what the engines agree on about obstacles, the particles of a simulation that never move: how a
 * particle shares itself out among several of them, and how it names the one it bounces off. The contact law is
 * stated in core/settings.ts. These numbers are constants of the kernels that know obstacles, and of no others.
 */

/** Obstacles that a particle meets in full; of more, each does its share, so that together they do as much as these. */
export const FULL_OBSTACLES = 2;

/** Set in the slot that a particle names as its partner where that is an obstacle's. NO_PARTNER is nobody's slot. */
export const OBSTACLE_PARTNER = 0x8000_0000;

/** What each of so many overlapped obstacles does of what it would do alone. */
export function obstacleShare(met: number): number {
  return met <= FULL_OBSTACLES ? 1 : FULL_OBSTACLES / met;
}
