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
  const place = new Array<number>(dimensions).fill(0);
  const isHere = (region: FluidRegion) => isInRegion(region, place);
  for (let slot = 0; slot < ids.length; slot++) {
    for (let axis = 0; axis < dimensions; axis++) place[axis] = positions[dimensions * slot + axis] as number;
    if (!drains.some(isHere)) continue;
    positions.fill(Number.NaN, dimensions * slot, dimensions * (slot + 1));
    drained[ids[slot] as number] = 1;
  }
}
