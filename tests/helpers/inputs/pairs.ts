/**
 * Puts particles in pairs: only the two particles of a pair overlap. Without gravity, contacts keep momentum. With
 * gravity, `limit` and `hold` of the contact law (src/core/contact/law.ts) may change it.
 */
import type { Dimensions } from '../../../src/core/world/world';
import { createNoise } from '../../../src/testing/noise';

/** The distance between pairs. For at least 0.1 s, even the largest pairs do not touch each other. */
const SPACING = 7;
/** Distance of the particles of a pair, divided by the sum of the radii of the largest balls inside them. */
const NEARNESS = 0.75;

interface Particles {
  readonly dimensions: Dimensions;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly radii: Float32Array;
  readonly halfExtents?: Float32Array | undefined;
}

/** Needs an even number of particles. With `approach`, pairs that would move apart swap their velocities. */
export function inPairs<Options extends Particles>(options: Options, approach = true, seed = 1): Options {
  const { dimensions, radii, halfExtents } = options;
  const noise = createNoise(seed);
  const side = Math.ceil((radii.length / 2) ** (1 / dimensions));
  const inner = (particle: number) => {
    const halves = halfExtents?.subarray(dimensions * particle, dimensions * (particle + 1)) ?? [];
    return radii[particle] || Math.min(...halves);
  };
  const positions = new Float32Array(dimensions * radii.length);
  const velocities = options.velocities.slice();
  for (let first = 0; first < radii.length; first += 2) {
    const direction = Array.from({ length: dimensions }, () => 2 * noise() - 1);
    const apart = (NEARNESS * (inner(first) + inner(first + 1))) / Math.hypot(...direction);
    direction.forEach((along, axis) => {
      const centre = SPACING * ((Math.floor(first / 2 / side ** axis) % side) + 0.5);
      positions[dimensions * first + axis] = centre - (along * apart) / 2;
      positions[dimensions * (first + 1) + axis] = centre + (along * apart) / 2;
    });
    const begin = dimensions * first;
    const own = velocities.slice(begin, begin + dimensions);
    const others = velocities.slice(begin + dimensions, begin + 2 * dimensions);
    const closing = own.reduce(
      (sum, along, axis) => sum + (along - (others[axis] as number)) * (direction[axis] as number),
      0,
    );
    if (approach && closing < 0) {
      velocities.set(others, begin);
      velocities.set(own, begin + dimensions);
    }
  }
  const corner = (coordinate: number) => new Array<number>(dimensions).fill(coordinate);
  const edge = SPACING * Math.max(side, 3);
  return {
    ...options,
    unbounded: undefined,
    min: corner(0),
    max: corner(edge),
    periodic: true,
    positions,
    velocities,
  };
}
