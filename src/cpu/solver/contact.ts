/** The interface of the contact loops. */
import { ASIDE_FROM } from '../../core/base/constants';
import { sideOf, turned } from '../../core/contact/law';
import type { Substep } from '../../core/contact/settings';
import type { Dimensions } from '../../core/world/world';
import type { ParticleState, SlotPairs } from '../shared/kernels';

/**
 * The effect of contacts on each particle in one pass, packed by slot. All arrays except `approaches` and `partners`
 * are zero between passes.
 */
export interface Response {
  /** Velocities change by `changes`, positions by dt · `changes` + `pushes`. */
  readonly pushes: Float64Array;
  readonly changes: Float64Array;
  /** The sums S (vectors) and, with variable radii, B (numbers) of core/contact/law.ts. */
  readonly supports: Float64Array;
  readonly bearings: Float64Array;
  /** `closing` of law.ts, or 0 if it is at most min(kickSpeed, 2 · calmSpeed). */
  readonly closings: Float64Array;
  /** `depth` and `strain` of law.ts; values of at most 1 may be 0 instead. In exact simulations, in units of 1/ONE. */
  readonly depths: Float64Array;
  readonly strains: Float64Array;
  /**
   * 1 if `respond` has changed a particle's entry of `pushes`, `closings`, `depths` or `strains`. With gravity, few
   * contacts do. So the end of a pass reads and clears these arrays only for marked particles. Exact simulations set no
   * marks.
   */
  readonly marks: Uint8Array;
  /** The normal velocity towards the partner, below 0; −restSpeed if there is no partner. */
  readonly approaches: Float64Array;
  /** The slot of each particle's partner; −1 if there is none. */
  readonly partners: Int32Array;
}

/**
 * The loops of the contact law over pairs. One pass calls findPartners (if restitution > 0), respond, then finish
 * (finish.ts).
 */
export interface ContactKernels {
  findPartners(pairs: SlotPairs, state: ParticleState, response: Response, substep: Substep): void;
  respond(pairs: SlotPairs, state: ParticleState, response: Response, substep: Substep): void;
}

/** The obstacles, as `finish` (finish.ts) needs them. */
export interface ObstacleContacts {
  readonly count: number;
  meet(state: ParticleState, slot: number, restitution: number, substep: Substep): void;
}

/**
 * Adds `aside` of core/contact/law.ts for two particles of one radius. `normal` points from slot `b` to slot `a`, with
 * one component per dimension. `rate` is DEEP / diameter.
 */
export function pushAside(
  { positions }: ParticleState,
  { pushes, marks }: Response,
  normal: readonly number[],
  a: number,
  b: number,
  spring: number,
  depth: number,
  rate: number,
): void {
  const dimensions = normal.length;
  const sum = normal.map((_, axis) =>
    Math.fround((positions[dimensions * a + axis] as number) + (positions[dimensions * b + axis] as number)),
  );
  const aside = (depth - ASIDE_FROM) * sideOf(rate, sum) * spring;
  turned(normal).forEach((across, axis) => {
    const atA = dimensions * a + axis;
    const atB = dimensions * b + axis;
    pushes[atA] = (pushes[atA] as number) + aside * across;
    pushes[atB] = (pushes[atB] as number) - aside * across;
  });
  marks[a] = 1;
  marks[b] = 1;
}

/** Returns a component of the normal from slot `b` to the lower slot `a`, for particles at the same position. */
export function coincidentNormal(a: number, b: number, axis: number, dimensions: Dimensions): number {
  return (a + b) % dimensions === axis ? -1 : 0;
}
