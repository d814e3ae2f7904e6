/**
 * The contact law (core/contact/law.ts) for each particle, once the effects of its contacts are added up: limits the
 * change of its velocity, then applies static friction. For all worlds and sizes, in 2D and 3D.
 */
import { changeLimit, heldShare } from '../../core/contact/pass-law';
import type { Substep } from '../../core/contact/settings';
import type { Dimensions } from '../../core/world/world';
import type { Response } from './contact';

/** Changes `pushes` and `changes`. Sets `supports` and `closings` to zero. */
export function settle(dimensions: Dimensions, live: number, response: Response, substep: Substep): void {
  const is3D = dimensions === 3;
  const { pushes, changes, supports, bearings, closings } = response;
  const { gravity, dt, friction } = substep;
  const gainX = (gravity[0] as number) * dt;
  const gainY = (gravity[1] as number) * dt;
  const gainZ = is3D ? (gravity[2] as number) * dt : 0;
  const gainSquared = gainX * gainX + gainY * gainY + gainZ * gainZ;
  for (let slot = 0; slot < live; slot++) {
    const bearing = bearings[slot] as number;
    if (bearing === 0) continue;
    const first = dimensions * slot;
    let x = changes[first] as number;
    let y = changes[first + 1] as number;
    let z = is3D ? (changes[first + 2] as number) : 0;
    let squared = x * x + y * y + z * z;
    const limit = changeLimit(closings[slot] as number, substep);
    if (squared > limit * limit) {
      const kept = limit / Math.sqrt(squared);
      x *= kept;
      y *= kept;
      z *= kept;
      squared = limit * limit;
      changes[first] = x;
      changes[first + 1] = y;
      if (is3D) changes[first + 2] = z;
    }
    const supportX = supports[first] as number;
    const supportY = supports[first + 1] as number;
    const supportZ = is3D ? (supports[first + 2] as number) : 0;
    const weight = supportX * gainX + supportY * gainY + supportZ * gainZ;
    if (!(weight < 0)) continue;
    const supportSquared = supportX * supportX + supportY * supportY + supportZ * supportZ;
    const fall = weight / supportSquared;
    // Rounding may make these squares slightly negative.
    const slip = Math.sqrt(Math.max(0, gainSquared - fall * weight));
    const along = x * supportX + y * supportY + z * supportZ;
    const used = Math.sqrt(Math.max(0, squared - (along * along) / supportSquared));
    const held = heldShare(Math.sqrt(supportSquared), bearing, used, slip, friction);
    if (held === 0) continue;
    const heldX = held * (gainX - fall * supportX);
    const heldY = held * (gainY - fall * supportY);
    changes[first] = x - heldX;
    changes[first + 1] = y - heldY;
    pushes[first] = (pushes[first] as number) - dt * heldX;
    pushes[first + 1] = (pushes[first + 1] as number) - dt * heldY;
    if (is3D) {
      const heldZ = held * (gainZ - fall * supportZ);
      changes[first + 2] = z - heldZ;
      pushes[first + 2] = (pushes[first + 2] as number) - dt * heldZ;
    }
  }
  supports.fill(0, 0, dimensions * live);
  closings.fill(0, 0, live);
}
