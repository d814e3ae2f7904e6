/**
 * Moves particles by one substep, velocity first (symplectic Euler). Twin of shaders/solve/integrate.wgsl without its
 * counting. A particle that becomes too fast gets the position NaN, so the next sort quarantines it.
 */

import type { Substep } from '../../core/contact/settings';
import { wrapAxis } from '../../core/world/cells';
import { GREATEST_SPEED, type World } from '../../core/world/world';
import { isFiniteParticle } from '../measure/finite';
import { addScaled, loadVector, scale, storeVector } from './contact';

export interface MovedState {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  /** Set only by a resolve pass with variable radii. */
  readonly loads?: Float32Array | undefined;
}

export function integrate(
  world: World,
  substep: Pick<Substep, 'dt' | 'gravity'>,
  state: MovedState,
): MovedState {
  const { dimensions } = world;
  const positions = state.positions.slice();
  const velocities = state.velocities.slice();
  const fall = scale(substep.dt, [...substep.gravity]);
  for (let particle = 0; particle < positions.length / dimensions; particle++) {
    if (!isFiniteParticle(dimensions, positions, particle)) continue;
    const velocity = addScaled(loadVector(dimensions, velocities, particle), 1, fall);
    const moved = addScaled(loadVector(dimensions, positions, particle), substep.dt, velocity);
    const position = moved.map((coordinate, axis) => wrapAxis(world, coordinate, axis));
    storeVector(velocities, particle, velocity);
    const isTooFast = velocity.some((component) => !(Math.abs(Math.fround(component)) < GREATEST_SPEED));
    storeVector(positions, particle, isTooFast ? position.map(() => Number.NaN) : position);
  }
  return { positions, velocities };
}
