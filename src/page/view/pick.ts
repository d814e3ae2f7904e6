/** Finds particles at or near the pointer's ray. In 2D the ray is a point of the world. */
import { radiusAround } from '../../core/particles/shapes';
import type { ParticleArrays, ParticleSimulation } from '../../index';
import type { Ray } from './camera';

export interface Picked {
  readonly id: number;
  readonly index: number;
  /** Distance from the camera along the ray. */
  readonly depth: number;
}

function boundingRadius(
  { dimensions, radius }: Pick<ParticleSimulation, 'dimensions' | 'radius'>,
  { radii, halfExtents }: Pick<ParticleArrays, 'radii' | 'halfExtents'>,
  index: number,
): number {
  const half = halfExtents?.subarray(dimensions * index, dimensions * (index + 1));
  return half && (half[0] as number) > 0 ? radiusAround(Array.from(half)) : (radii?.[index] ?? radius);
}

/** Skips particles with a coordinate that is not finite, and those behind the camera. */
function forEachAlongRay(
  dimensions: number,
  positions: Float32Array,
  { origin, direction }: Pick<Ray, 'origin' | 'direction'>,
  visit: (index: number, distance: number, depth: number) => void,
): void {
  const [fromX = 0, fromY = 0, fromZ = 0] = origin;
  const [alongX = 0, alongY = 0, alongZ = 0] = direction;
  const count = positions.length / dimensions;
  for (let index = 0; index < count; index++) {
    const first = dimensions * index;
    const x = (positions[first] as number) - fromX;
    const y = (positions[first + 1] as number) - fromY;
    const z = dimensions === 3 ? (positions[first + 2] as number) - fromZ : 0;
    const depth = x * alongX + y * alongY + z * alongZ;
    const distance = Math.hypot(x - depth * alongX, y - depth * alongY, z - depth * alongZ);
    if (Number.isFinite(distance) && depth >= 0) visit(index, distance, depth);
  }
}

/** Picks a particle that the ray hits, otherwise the one with the smallest gap, if that is at most `within`. */
export function pick(
  simulation: Pick<ParticleSimulation, 'dimensions' | 'radius'>,
  particles: ParticleArrays,
  ray: Ray,
  within: number,
): Picked | undefined {
  let best: { index: number; depth: number; gap: number; rank: number } | undefined;
  forEachAlongRay(simulation.dimensions, particles.positions, ray, (index, distance, depth) => {
    const gap = Math.max(0, distance - boundingRadius(simulation, particles, index));
    if (gap > within) return;
    // All hits have the gap 0. Among equal gaps, prefer in 3D the particle nearest to the camera, in 2D the nearest
    // middle.
    const rank = simulation.dimensions === 3 ? depth : distance;
    if (best && (gap > best.gap || (gap === best.gap && rank >= best.rank))) return;
    best = { index, depth, gap, rank };
  });
  return best && { id: particles.ids[best.index] as number, index: best.index, depth: best.depth };
}

/** Returns the indices of particles whose middle is less than `reach` from the ray. */
export function near(
  dimensions: number,
  positions: Float32Array,
  ray: Pick<Ray, 'origin' | 'direction'>,
  reach: number,
): number[] {
  const found: number[] = [];
  forEachAlongRay(dimensions, positions, ray, (index, distance) => {
    if (distance < reach) found.push(index);
  });
  return found;
}
