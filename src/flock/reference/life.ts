/**
 * Purpose: one step of particle life in doubles, plain and slow: the twin of shaders/flock/life.wgsl. Inputs: what
 * createLife takes, and a state of 32-bit floats. Output: the next state, in doubles.
 */
import { keptShare, type LifeOptions, lifeNumbers } from '../life';
import { Space } from './space';
import { heading, plus, times, type Vector, vectorAt } from './vectors';

export interface LifeState {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
}

export function stepLife(
  options: LifeOptions,
  { positions, velocities }: LifeState,
  dt: number,
): { readonly positions: Float64Array; readonly velocities: Float64Array } {
  const { dimensions, min, max, periodic = false, reach, species, attraction } = options;
  const { strength, halfLife, core } = { ...lifeNumbers(reach), ...options };
  const space = new Space({ dimensions, min, max, periodic }, positions, reach);
  const next = Array.from(species, (kind, id) => {
    const place = vectorAt(dimensions, positions, id);
    let pull: Vector = times(place, 0);
    space.visitNear(place, reach, id, (other, apart, distance) => {
      const wish = attraction[kind]?.[species[other] as number] as number;
      pull = plus(pull, heading(apart, id, other), -pullAt(distance / reach, wish, core));
    });
    const kept = times(vectorAt(dimensions, velocities, id), keptShare(halfLife, dt));
    return space.moved(place, plus(kept, pull, dt * strength), dt);
  });
  return {
    positions: Float64Array.from(next.flatMap(({ place }) => place)),
    velocities: Float64Array.from(next.flatMap(({ velocity }) => velocity)),
  };
}

/** How hard one is drawn to another that is this share of the reach away. */
export function pullAt(share: number, wish: number, core: number): number {
  if (share < core) return share / core - 1;
  return wish * (1 - Math.abs(2 * share - 1 - core) / (1 - core));
}
