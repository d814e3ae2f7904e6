import type { Dimensions } from '../core/world/world';
import type { FlockScene, MethodRequest } from './definition';
import { Random } from './random';

/** Approximate number of birds that a bird sees at the start, in a large flock. */
const IN_SIGHT = 8;
/** Edges of the sky in radii of the initial flock. */
const SKY = { 2: [6, 4], 3: [5, 3.5, 5] } as const;
/** Range of the speeds of birds, in multiples of `perception` per second. */
const SLOWEST = 5;
const FASTEST = 10;
/** Along each axis, an initial velocity has a random part of at most SPREAD / 2. */
const SPREAD = 2;

export function murmuration({ dimensions, count, width, seed }: MethodRequest): FlockScene {
  const random = new Random(seed);
  const chance = () => random.nextBits() / 2 ** 32;
  const reach = Math.max(3, (count / IN_SIGHT) ** (1 / dimensions));
  const max = SKY[dimensions].map((edge, axis) => Math.round(edge * reach * (axis === 0 ? width : 1)));
  const middle = max.map((edge) => edge / 2);
  const positions = new Float32Array(dimensions * count);
  const velocities = new Float32Array(dimensions * count);
  for (let bird = 0; bird < count; bird++) {
    const offset = insideBall(dimensions, chance);
    for (let axis = 0; axis < dimensions; axis++) {
      const at = offset[axis] ?? 0;
      positions[dimensions * bird + axis] = (middle[axis] ?? 0) + reach * at;
      // The flock circles its middle, so that it does not merely fly by.
      const around = axis === 0 ? -(offset[1] ?? 0) : axis === 1 ? (offset[0] ?? 0) : 0;
      const drift = axis === 0 ? 0.5 * SLOWEST : 0;
      velocities[dimensions * bird + axis] = drift + SLOWEST * around + SPREAD * (chance() - 0.5);
    }
  }
  const hunter = middle.map((at, axis) => at + (axis === 0 ? -1.2 : axis === 1 ? 0.5 : 0) * reach);
  return {
    dimensions,
    min: max.map(() => 0),
    max,
    periodic: true,
    perception: 1,
    positions,
    velocities,
    hunters: Float32Array.from(hunter),
    fear: Math.max(3, 0.5 * reach),
    slowest: SLOWEST,
    fastest: FASTEST,
    greatestAcceleration: 60,
    separation: 80,
    alignment: 5,
    cohesion: 5,
    flight: 120,
    hunting: 10,
    hunterSpeed: 12,
    radius: 0.22,
    hunterRadius: Math.max(0.6, 0.03 * reach),
  };
}

/** Returns a uniformly random point in the unit ball. */
function insideBall(dimensions: Dimensions, chance: () => number): number[] {
  for (;;) {
    const point = Array.from({ length: dimensions }, () => 2 * chance() - 1);
    if (Math.hypot(...point) <= 1) return point;
  }
}
