import type { Dimensions } from '../../../src/core/world/world';
import type { ObstacleOptions, PositionFluidOptions } from '../../../src/methods/pbf';
import { repeat } from '../../../src/scenes/scene';
import { createNoise } from '../../../src/testing/noise';
import { cornersIn } from './vectors';

export const FLUID_RADIUS = 0.25;

type BoxedFluid = PositionFluidOptions & { readonly max: readonly number[] };

export interface BlockOptions {
  /** Spacing of the particles as a share of their spacing at rest. */
  readonly squeeze: number;
  readonly iterations: number;
  /** Acceleration along −y. */
  readonly gravity: number;
}

/** A slightly disordered lattice of particles away from all walls. Each particle has its own velocity. */
export function blockOf(
  dimensions: Dimensions,
  { squeeze, iterations, gravity }: BlockOptions,
): BoxedFluid & { readonly velocities: Float32Array } {
  const noise = createNoise(12);
  const spacing = (squeeze * FLUID_RADIUS) / 2;
  const [side, edge] = dimensions === 2 ? [18, 6] : [7, 3];
  const first = (edge - side * spacing) / 2;
  const positions = Float32Array.from({ length: dimensions * side ** dimensions }, (_, index) => {
    const [id, axis] = [Math.floor(index / dimensions), index % dimensions];
    const cell = Math.floor(id / side ** axis) % side;
    return first + (cell + 0.5 + 0.2 * (noise() - 0.5)) * spacing;
  });
  const velocities = Float32Array.from(positions, () => noise() - 0.5);
  const all = cornersIn(dimensions);
  const options = {
    dimensions,
    min: all(0),
    max: all(edge),
    radius: FLUID_RADIUS,
    positions,
    velocities,
    iterations,
    gravity: all(0).map((_, axis) => (axis === 1 ? -gravity : 0)),
  };
  return options;
}

/** A column at rest that fills the floor of its box. */
export function columnOf(dimensions: Dimensions): BoxedFluid {
  const spacing = FLUID_RADIUS / 2;
  const [wide, high] = dimensions === 2 ? [12, 16] : [7, 10];
  const across = (axis: number) => (axis === 1 ? high : wide);
  const count = wide ** (dimensions - 1) * high;
  const positions = Float32Array.from({ length: dimensions * count }, (_, index) => {
    const [id, axis] = [Math.floor(index / dimensions), index % dimensions];
    const before = Array.from({ length: axis }, (_none, other) => across(other)).reduce((a, b) => a * b, 1);
    return ((Math.floor(id / before) % across(axis)) + 0.5) * spacing;
  });
  return {
    dimensions,
    min: repeat(0, dimensions),
    max: Array.from({ length: dimensions }, (_, axis) => spacing * (axis === 1 ? 2 * high : wide)),
    radius: FLUID_RADIUS,
    positions,
  };
}

/** A ball and a box that reach into the block of `blockOf`. */
export function obstaclesIn(dimensions: Dimensions): readonly ObstacleOptions[] {
  const middle = dimensions === 2 ? 3 : 1.5;
  const all = cornersIn(dimensions);
  return [
    { shape: 'ball', position: all(middle).with(0, middle - 0.4), radius: 0.3 },
    { shape: 'box', position: all(middle).with(1, middle + 0.5), halfExtents: all(0.25).with(0, 0.4) },
  ];
}
