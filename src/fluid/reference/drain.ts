/**
 * Purpose: sets aside the particles in drains. Twin of shaders/fluid/drain.wgsl. Inputs: drains and particles. Outputs: their
 * positions are no longer finite, so that nothing counts them in, and each is marked by its id.
 */
import { type FluidRegion, isInRegion } from '../regions';

export function setAside(
  drains: readonly FluidRegion[],
  dimensions: 2 | 3,
  { positions, ids }: { readonly positions: Float32Array; readonly ids: Uint32Array },
  drained: Uint8Array,
): void {
  for (let slot = 0; slot < ids.length; slot++) {
    const own = positions.subarray(dimensions * slot, dimensions * (slot + 1));
    const place = Array.from(own);
    if (!drains.some((region) => isInRegion(region, place))) continue;
    own.fill(Number.NaN);
    drained[ids[slot] as number] = 1;
  }
}
