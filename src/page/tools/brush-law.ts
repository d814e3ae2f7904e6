/** Changes velocities near the pointer on the CPU, by the formulas of shaders/page/brush.wgsl. */
import type { Dimensions, ParticleArrays } from '../../index';
import type { Grip, Stroke } from '../view/engine';

/**
 * A dragged particle moves at most this share of its way to the pointer per step. Moving the whole way at once would
 * throw other particles aside.
 */
export const HELD_SHARE = 0.25;

export function pushed(
  dimensions: Dimensions,
  { positions, velocities, ids }: ParticleArrays,
  { origin, direction, reach, force }: Stroke,
  seconds: number,
): Float32Array {
  const after = velocities.slice();
  const [fromX = 0, fromY = 0, fromZ = 0] = origin;
  const [alongX = 0, alongY = 0, alongZ = 0] = direction;
  for (let particle = 0; particle < ids.length; particle++) {
    const first = dimensions * particle;
    let x = (positions[first] as number) - fromX;
    let y = (positions[first + 1] as number) - fromY;
    let z = dimensions === 3 ? (positions[first + 2] as number) - fromZ : 0;
    const along = x * alongX + y * alongY + z * alongZ;
    x -= along * alongX;
    y -= along * alongY;
    z -= along * alongZ;
    const distance = Math.hypot(x, y, z);
    if (!(distance > 0 && distance < reach)) continue;
    const push = (force * seconds * (1 - distance / reach)) / distance;
    after[first] = (velocities[first] as number) + push * x;
    after[first + 1] = (velocities[first + 1] as number) + push * y;
    if (dimensions === 3) after[first + 2] = (velocities[first + 2] as number) + push * z;
  }
  return after;
}

export function held(
  dimensions: Dimensions,
  { positions, velocities, ids }: ParticleArrays,
  { id, position, speed }: Grip,
  seconds: number,
): Float32Array {
  const after = velocities.slice();
  const particle = ids.indexOf(id);
  if (particle < 0) return after;
  const first = dimensions * particle;
  const way = Array.from(
    { length: dimensions },
    (_, axis) => (position[axis] ?? 0) - (positions[first + axis] ?? 0),
  );
  const share = Math.min(HELD_SHARE / seconds, speed / Math.max(Math.hypot(...way), Number.MIN_VALUE));
  way.forEach((component, axis) => {
    after[first + axis] = component * share;
  });
  return after;
}
