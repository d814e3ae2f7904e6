/** Purpose: the inner loops for the plane or for space: the one place that chooses between them. */
import type { Dimensions } from '../core/world';
import type { Kernels } from './kernels';
import { PLANE } from './plane';
import { SPACE } from './space';

export function kernelsFor(dimensions: Dimensions): Kernels {
  return dimensions === 2 ? PLANE : SPACE;
}
