/**
 * Purpose: whether a particle is still finite, and which bucket it is counted into. Twin of `is_finite` and
 * `bucket_of` in shaders/shared/world_*.wgsl and levels.wgsl.
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

/** The particle's cell, the quarantine, or (its id marked) the exit. `radii`: where each has its own. */
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
