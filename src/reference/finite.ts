/**
 * Purpose: whether a particle is still finite, and which bucket it is counted into. Twin of `is_finite` and
 * `bucket_of` in shaders/shared/cells.wgsl.
 */
import { cellOfParticle, quarantineCell, retiredCell } from '../core/cells';
import { RETIRED_BIT } from '../core/constants';
import type { World } from '../core/world';

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

/** The particle's cell, the quarantine, or (its id marked) the exit. */
export function bucketOfParticle(
  world: World,
  positions: ArrayLike<number>,
  particle: number,
  id: number,
): number {
  if (isFiniteParticle(world.dimensions, positions, particle))
    return cellOfParticle(world, positions, particle);
  return id & RETIRED_BIT ? retiredCell(world) : quarantineCell(world);
}
