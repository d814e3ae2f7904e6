/**
 * Particles among obstacles, with coordinates that are not dyadic. Some obstacles coincide with each other or with
 * particles, lie outside the box or cross its ends.
 */
import { planSimulation } from '../../../src/core/simulation/plan';
import type { SimulationOptions } from '../../../src/core/simulation/simulation';
import { wrapPositions } from '../../../src/core/world/cells';
import type { Dimensions, World, WorldKind } from '../../../src/core/world/world';
import { minimumImageInDoubles } from '../../../src/reference/solve/contact';
import { createNoise, scatterIn } from '../../../src/testing/noise';

export const WORLD_KINDS: readonly WorldKind[] = ['bounded', 'periodic', 'unbounded'];

export interface FieldRequest {
  readonly kind: WorldKind;
  readonly dimensions: Dimensions;
  readonly count: number;
  readonly obstacles: number;
  readonly seed: number;
}

export type Field = SimulationOptions & {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly obstacles: Float32Array;
};

/** If `count` and `obstacles` are equal, a particle overlaps about one other particle and one obstacle. */
export function fieldOf({ kind, dimensions, count, obstacles, seed }: FieldRequest): Field {
  const noise = createNoise(seed);
  const edge = Math.max(
    4.5,
    ((dimensions === 2 ? 3.2 : 4.2) * Math.max(count, obstacles)) ** (1 / dimensions),
  );
  const low = new Array<number>(dimensions).fill(-edge / 3);
  const high = low.map((value) => value + edge);
  const periodic = low.map((_, axis) => axis !== 1);
  const positions = scatterIn(noise, low, high, count, 0.02);
  const fixed = scatterIn(noise, low, high, obstacles, 0.05);
  for (let obstacle = 1; obstacle < obstacles; obstacle++) {
    const first = dimensions * obstacle;
    if (obstacle % 7 === 0) fixed.copyWithin(first, first - dimensions, first);
    else if (obstacle % 11 === 0 && obstacle < count) {
      fixed.set(positions.subarray(first, first + dimensions), first);
    }
  }
  return {
    dimensions,
    radius: 0.5,
    ...(kind === 'unbounded' ? { unbounded: true } : { min: low, max: high }),
    ...(kind === 'periodic' ? { periodic } : {}),
    positions,
    velocities: scatterIn(
      noise,
      low.map(() => -3),
      low.map(() => 3),
      count,
    ),
    obstacles: fixed,
    gravity: new Array<number>(dimensions).fill(0).with(1, -8),
    friction: 0.3,
  };
}

/** Counts overlaps of particles with obstacles by brute force, and `doubtful` pairs, which rounding may decide. */
export function countOverlaps(field: Field): { readonly overlaps: number; readonly doubtful: number } {
  const { world, diameter, dimensions } = planSimulation(field);
  const positions = wrapPositions(world, field.positions);
  const obstacles = wrapPositions(world, field.obstacles);
  let overlaps = 0;
  let doubtful = 0;
  for (let a = 0; a < positions.length; a += dimensions) {
    for (let b = 0; b < obstacles.length; b += dimensions) {
      const squared = distanceSquared(world, positions.subarray(a), obstacles.subarray(b));
      if (squared < diameter * diameter) overlaps++;
      if (Math.abs(squared - diameter * diameter) < 2 ** -16) doubtful++;
    }
  }
  return { overlaps, doubtful };
}

function distanceSquared({ period }: World, a: Float32Array, b: Float32Array): number {
  return period.reduce((sum, length, axis) => {
    return sum + minimumImageInDoubles((a[axis] as number) - (b[axis] as number), length) ** 2;
  }, 0);
}
