/**
 * Purpose: what the engines agree on about obstacles, the particles of a simulation that never move: how a particle
 * is shared by several of them, and how it names the one it bounces off. The contact law is in core/settings.ts.
 */

/** Set in the slot that a particle names as its partner where that is an obstacle's. NO_PARTNER is nobody's slot. */
export const OBSTACLE_PARTNER = 0x8000_0000;

/** What each overlapped obstacle does of what it would do alone: by the deepest overlap and the sum of all. */
export function obstacleShare(deepest: number, sum: number): number {
  return sum > deepest ? deepest / sum : 1;
}
