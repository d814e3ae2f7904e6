/**
 * Drains particles. Twin of shaders/fluid/drain.wgsl. Positions of drained particles become NaN, so that stages ignore
 * them, and their ids are marked.
 */
import { type FluidRegion, isInRegion } from '../regions';

export function drainParticles(
  drains: readonly FluidRegion[],
  dimensions: 2 | 3,
  { positions, ids }: { readonly positions: Float32Array; readonly ids: Uint32Array },
  drained: Uint8Array,
): void {
  const point = new Array<number>(dimensions).fill(0);
  const contains = (region: FluidRegion) => isInRegion(region, point);
  for (let slot = 0; slot < ids.length; slot++) {
    for (let axis = 0; axis < dimensions; axis++) point[axis] = positions[dimensions * slot + axis] as number;
    if (!drains.some(contains)) continue;
    positions.fill(Number.NaN, dimensions * slot, dimensions * (slot + 1));
    drained[ids[slot] as number] = 1;
  }
}
