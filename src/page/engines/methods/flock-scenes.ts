/**
 * Purpose: flock scenes as plain data: the sky, where birds and hunters set out, how they fly.
 * Inputs: name, dimensions, how many birds, how many times as wide as usual, a seed. Output: options of a flock.
 */
import { ArgumentError } from '../../../core/base/errors';
import type { Dimensions } from '../../../core/world/world';
import type { FlockOptions } from '../../../methods/flock';
import { Random } from '../../../scenes';

/** Lengths in perceptions: how far a bird sees. */
export interface FlockScene extends FlockOptions {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly hunters: Float32Array;
  /** Of birds and of hunters, as they are drawn. */
  readonly radius: number;
  readonly hunterRadius: number;
}

/** Birds that each one sees at first. */
const IN_SIGHT = 8;
/** Edges of the sky, in radii of the flock at first. */
const SKY = { 2: [6, 4], 3: [5, 3.5, 5] } as const;
/** Perceptions a second: a flock of thousands crosses the sky in some ten seconds. */
const SLOWEST = 5;
const FASTEST = 10;
const SPREAD = 2;

export interface FlockRequest {
  readonly dimensions: Dimensions;
  readonly count: number;
  readonly width: number;
  readonly seed: number;
}

export function flockScene(name: string, { dimensions, count, width, seed }: FlockRequest): FlockScene {
  if (name !== 'murmuration') throw new ArgumentError('scene', name, 'murmuration');
  const random = new Random(seed);
  const chance = () => random.nextBits() / 2 ** 32;
  const reach = Math.max(3, (count / IN_SIGHT) ** (1 / dimensions));
  const max = SKY[dimensions].map((edge, axis) => Math.round(edge * reach * (axis === 0 ? width : 1)));
  const middle = max.map((edge) => edge / 2);
  const positions = new Float32Array(dimensions * count);
  const velocities = new Float32Array(dimensions * count);
  for (let bird = 0; bird < count; bird++) {
    const off = insideBall(dimensions, chance);
    for (let axis = 0; axis < dimensions; axis++) {
      const at = off[axis] ?? 0;
      positions[dimensions * bird + axis] = (middle[axis] ?? 0) + reach * at;
      // Around the middle, so that the flock does not merely fly by.
      const around = axis === 0 ? -(off[1] ?? 0) : axis === 1 ? (off[0] ?? 0) : 0;
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

/** A place in the ball of radius 1, spread evenly. */
function insideBall(dimensions: Dimensions, chance: () => number): number[] {
  for (;;) {
    const place = Array.from({ length: dimensions }, () => 2 * chance() - 1);
    if (Math.hypot(...place) <= 1) return place;
  }
}
