/**
 * Finds the bucket of a particle. Twin of shaders/base/finite.wgsl and of `bucket_of` in shaders/world and
 * shaders/levels.
 */

import { RETIRED_BIT } from '../../core/base/constants';
import { cellOfParticle, quarantineCell, retiredCell } from '../../core/world/cells';
import { bucketAt, latticeAt, levelOf } from '../../core/world/levels';
import type { World } from '../../core/world/world';

export function isFiniteParticle(
  dimensions: number,
  positions: ArrayLike<number>,
  particle: number,
): boolean {
  for (let axis = 0; axis < dimensions; axis++) {
    if (!Number.isFinite(positions[particle * dimensions + axis])) return false;
  }
  return true;
}

export function bucketOfParticle(
  world: World,
  positions: ArrayLike<number>,
  particle: number,
  id: number,
  radii?: ArrayLike<number>,
): number {
  if (isFiniteParticle(world.dimensions, positions, particle)) {
    if (!radii) return cellOfParticle(world, positions, particle);
    const level = levelOf(world, radii[particle] as number);
    if (level !== undefined) return bucketAt(world, latticeAt(world, positions, particle, level), level);
  }
  return id & RETIRED_BIT ? retiredCell(world) : quarantineCell(world);
}
