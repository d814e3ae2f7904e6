/** Purpose: small flocks and lives for tests, with obstacles, hunters and two in the very same place. */
import type { Dimensions } from '../../src/core/world';
import type { FlockOptions, LifeOptions } from '../../src/flock';
import { createNoise, scatterIn } from './passes';

export type Periodic = boolean | readonly boolean[];

const MOST_SPEED = 3;

function box(dimensions: Dimensions, periodic: Periodic) {
  const edge = dimensions === 2 ? 10 : 4;
  return {
    dimensions,
    min: new Array<number>(dimensions).fill(-1.5),
    max: new Array<number>(dimensions).fill(edge - 1.5),
    periodic: typeof periodic === 'boolean' ? periodic : periodic.slice(0, dimensions),
  };
}

function scatter(world: ReturnType<typeof box>, count: number, seed: number) {
  const noise = createNoise(seed);
  const { dimensions, min, max } = world;
  const positions = scatterIn(noise, min, max, count);
  positions.copyWithin(0, dimensions, 2 * dimensions);
  const velocities = Float32Array.from(positions, () => MOST_SPEED * (2 * noise() - 1));
  return { positions, velocities };
}

export function flockOptions(dimensions: Dimensions, periodic: Periodic, count: number): FlockOptions {
  const world = box(dimensions, periodic);
  const { positions, velocities } = scatter(world, count, 5);
  // One that has no heading yet.
  velocities.fill(0, 3 * dimensions, 4 * dimensions);
  const all = (value: number) => new Array<number>(dimensions).fill(value);
  const obstacles = Float32Array.of(...all(-0.4), 0.75, ...all(1), 0.3);
  const hunters = Float32Array.of(...all(-1.25), ...all(2));
  return { ...world, perception: 1, fear: 1.75, positions, velocities, obstacles, hunters };
}

export function lifeOptions(dimensions: Dimensions, periodic: Periodic, count: number): LifeOptions {
  const world = box(dimensions, periodic);
  const state = scatter(world, count, 6);
  const species = Uint32Array.from({ length: count }, (_, id) => (id * 7) % 3);
  const attraction = [
    [0.5, -0.25, 1],
    [1, 0.1, -1],
    [-0.75, 0.3, 0.6],
  ];
  return { ...world, ...state, reach: 1, species, attraction };
}
