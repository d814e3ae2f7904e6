/**
 * Finds the particles near a point by testing all particles, in 32 bits. Twin of shaders/query/near.wgsl and
 * nearest.wgsl. If coordinates are multiples of a power of two, q, and the radius is at most 4096 q, squared distances
 * below the squared radius are exact, as on the GPU.
 */
import { minimumImage, wrapOnce } from '../../core/world/cells';
import type { World } from '../../core/world/world';
import { dot, loadVector, type Vector } from '../solve/contact';

export interface NearParticle {
  readonly id: number;
  readonly distanceSquared: number;
}

export function findNear(
  world: World,
  positions: Float32Array,
  point: Vector,
  radius: number,
): NearParticle[] {
  if (!point.every(Number.isFinite)) return [];
  const { dimensions } = world;
  const limit = Math.fround(Math.fround(radius) ** 2);
  const inside = wrapPoint(world, point);
  const found: NearParticle[] = [];
  for (let id = 0; id < positions.length / dimensions; id++) {
    const particle = loadVector(dimensions, positions, id);
    if (!particle.every(Number.isFinite)) continue;
    const other = wrapPoint(world, particle);
    const apart = inside.map((value, axis) => minimumImage(world, value, other[axis] as number, axis));
    const distanceSquared = dot(apart, apart);
    if (distanceSquared < limit) found.push({ id, distanceSquared });
  }
  return found;
}

/** Returns the k nearest particles of `findNear`, except the particle `without`. Sorted by distance, then by id. */
export function findNearest(
  world: World,
  positions: Float32Array,
  point: Vector,
  k: number,
  radius: number,
  without?: number,
): NearParticle[] {
  return findNear(world, positions, point, radius)
    .filter(({ id }) => id !== without)
    .sort((a, b) => a.distanceSquared - b.distanceSquared || a.id - b.id)
    .slice(0, k);
}

function wrapPoint(world: World, point: Vector): Vector {
  return point.map((value, axis) => wrapOnce(world, value, axis));
}
