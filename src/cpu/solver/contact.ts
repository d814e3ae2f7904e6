/** The interface of the contact loops for all kinds of worlds and particles, and the normal of coincident particles. */
import type { Substep } from '../../core/contact/settings';
import type { Dimensions } from '../../core/world/world';
import type { ParticleState, SlotPairs } from '../shared/kernels';

/** The effect of contacts on each particle in one pass, packed by slot. */
export interface Response {
  /**
   * `changes`: how much the velocities change. Positions change by dt · `changes` + `pushes`. With gravity, most
   * contacts have no pushes, so their loops need not touch that array. Both arrays are zero between passes.
   */
  readonly pushes: Float64Array;
  readonly changes: Float64Array;
  /** `supports`: vector sums of the normal changes. `bearings`: sums of their magnitudes. Zero between passes. */
  readonly supports: Float64Array;
  readonly bearings: Float64Array;
  /**
   * The largest velocity change that would end the approach of one contact, if it is above idleClosing (pass-law.ts);
   * zero between passes.
   */
  readonly closings: Float64Array;
  /**
   * The normal velocity between each particle and its partner: negative, because they approach. −restSpeed if there is
   * no partner.
   */
  readonly approaches: Float64Array;
  /** The slot of each particle's partner; −1 if there is none, −2 − slot for an obstacle. */
  readonly partners: Int32Array;
}

/**
 * The loops of the contact law over pairs. One pass calls findPartners (if restitution > 0), respond, then finish
 * (finish.ts).
 */
export interface ContactKernels {
  /** Updates `approaches` and `partners` from each pair. */
  findPartners(pairs: SlotPairs, state: ParticleState, response: Response, substep: Substep): void;
  /** Adds each pair's effect to `pushes`, `changes`, `supports` and `bearings`, and raises `closings`. */
  respond(pairs: SlotPairs, state: ParticleState, response: Response, substep: Substep): void;
}

/** If the magnitudes of several doubles add up to less than this, each is finite as a 32-bit float. */
export const GREATEST_PLAIN = 2 ** 127;

/** Returns a component of the normal from slot `b` to the lower slot `a`, if both particles are at one position. */
export function coincidentNormal(a: number, b: number, axis: number, dimensions: Dimensions): number {
  return (a + b) % dimensions === axis ? -1 : 0;
}
