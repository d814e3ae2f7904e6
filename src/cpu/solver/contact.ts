/** The interface of the contact loops for all kinds of worlds and particles, and the law for coincident particles. */
import type { Substep } from '../../core/contact/settings';
import type { Dimensions } from '../../core/world/world';
import type { ParticleState, SlotPairs } from '../shared/kernels';

/** The effect of contacts on each particle in one pass, packed by slot. */
export interface Response {
  /** Changes of positions and of velocities; zero between passes. */
  readonly pushes: Float64Array;
  readonly changes: Float64Array;
  /** The normal velocity of each particle's partner; negative. */
  readonly approaches: Float64Array;
  /** The slot of the partner; −1 without one, −2 − slot for an obstacle. */
  readonly partners: Int32Array;
}

/** One pass of the contact law: findPartners if restitution > 0, respond, finish; or pushApart and finishPushApart. */
export interface ContactKernels {
  /** Updates `approaches` and `partners` by each pair. */
  findPartners(pairs: SlotPairs, state: ParticleState, response: Response, substep: Substep): void;
  /** Adds each pair's effect to `pushes` and `changes`. */
  respond(pairs: SlotPairs, state: ParticleState, response: Response, substep: Substep): void;
  /** Adds each pair's effect to `pushes`. Velocities neither matter nor change. */
  pushApart(pairs: SlotPairs, state: ParticleState, response: Response, substep: Substep): void;
  /** Applies pushes and changes, then walls, and zeroes both. */
  finish(state: ParticleState, live: number, response: Response, substep: Substep): void;
  /** Applies pushes, then walls to positions, and zeroes pushes. */
  finishPushApart(state: ParticleState, live: number, response: Response, substep: Substep): void;
}

/** Below this distance² the direction is rounding noise: coincidentNormal derives one from the canonical slots. */
export const COINCIDENT_SQUARED = 2 ** -100;

/** If the magnitudes of some doubles add up to less than this, each of them is finite as a 32-bit float. */
export const GREATEST_PLAIN = 2 ** 127;

/** Component of the unit axis from slot `b` to the lower slot `a`, if both are at one position. */
export function coincidentNormal(a: number, b: number, axis: number, dimensions: Dimensions): number {
  return (a + b) % dimensions === axis ? -1 : 0;
}
