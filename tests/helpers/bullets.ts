/**
 * Purpose: fields for tests of fast particles: bullets in lanes before a wall of obstacles one diameter thick, and crowds
 * of which half are fast.
 */
import { OVERLAP_SHARE } from '../../src/core/flight';
import type { SimulationOptions } from '../../src/core/simulation';
import type { Dimensions, WorldKind } from '../../src/core/world';

/** Of a diameter: how near two equal ones come on a path. */
export const NEAR_SHARE = 1 - OVERLAP_SHARE;

/** Seconds of a step. */
export const DT = 1 / 64;

const RADIUS = 0.5;
const WALL = 45;

/** So many bullets, of which the slowest flies 50 diameters a step, before a wall that is one diameter thick. */
export function bulletsBeforeWall(
  dimensions: Dimensions,
  count: number,
): SimulationOptions & { wall: number } {
  const across = dimensions - 1;
  // Ten in a lane, in space four.
  const lanes = dimensions === 2 ? Math.ceil(count / 10) : Math.ceil(Math.sqrt(count / 4));
  const perLayer = lanes ** across;
  const positions = new Float32Array(dimensions * count);
  const velocities = new Float32Array(dimensions * count);
  const place = (index: number, axis: number) => (Math.floor(index / lanes ** axis) % lanes) + RADIUS;
  for (let bullet = 0; bullet < count; bullet++) {
    const layer = Math.floor(bullet / perLayer);
    const first = dimensions * bullet;
    positions[first] = 2 + 2 * layer;
    velocities[first] = (50 + ((7 * bullet + layer) % 13)) / DT;
    for (let axis = 0; axis < across; axis++) {
      // Not straight at the obstacles, and not at each other.
      positions[first + 1 + axis] = place(bullet, axis) + 0.03 * Math.sin(bullet + axis);
      velocities[first + 1 + axis] = Math.cos(3 * bullet + axis) / DT;
    }
  }
  const obstacles = new Float32Array(dimensions * perLayer);
  for (let index = 0; index < perLayer; index++) {
    obstacles[dimensions * index] = WALL;
    for (let axis = 0; axis < across; axis++) obstacles[dimensions * index + 1 + axis] = place(index, axis);
  }
  return {
    dimensions,
    radius: RADIUS,
    min: new Array<number>(dimensions).fill(0),
    max: [2 * WALL, ...new Array<number>(across).fill(lanes)],
    positions,
    velocities,
    obstacles,
    wall: WALL,
  };
}

/** How many are on the far side. */
export function countPassed(
  { dimensions }: SimulationOptions,
  positions: Float32Array,
  wall: number,
): number {
  let passed = 0;
  for (let first = 0; first < positions.length; first += dimensions) {
    if (!((positions[first] as number) < wall)) passed++;
  }
  return passed;
}

export const SIZES = ['equal', 'radii', 'boxes'] as const;

/**
 * Particles at random, some upon each other, half of them fast: of one size with obstacles among them, or with radii over
 * 1:8, or half of them boxes as well.
 */
export function fastCrowd(
  dimensions: Dimensions,
  kind: WorldKind,
  count: number,
  random: () => number,
  sizes: (typeof SIZES)[number] = 'equal',
): SimulationOptions & { readonly positions: Float32Array; readonly velocities: Float32Array } {
  const roomy = dimensions === 2 ? Math.ceil(2.5 * Math.sqrt(count)) : Math.ceil(2.6 * Math.cbrt(count));
  // Three cells of the largest.
  const edge = sizes === 'equal' ? roomy : Math.max(12, roomy);
  const place = () => edge * random();
  const speed = () => (random() < 0.5 ? 800 : 5) * (2 * random() - 1);
  const corner = (at: number) => new Array<number>(dimensions).fill(at);
  const box = { min: corner(0), max: corner(edge), periodic: kind === 'periodic' };
  const size = () => 2 ** (3 * random() - 2);
  const isBox = (body: number) => sizes === 'boxes' && body % 2 === 0;
  const obstacles = Float32Array.from({ length: dimensions * Math.ceil(count / 8) }, place);
  const radii = () => Float32Array.from({ length: count }, (_, body) => (isBox(body) ? 0 : size()));
  const halfExtents = () =>
    Float32Array.from({ length: dimensions * count }, (_, index) =>
      isBox(Math.floor(index / dimensions)) ? size() / 2 : 0,
    );
  return {
    dimensions,
    ...(sizes === 'equal' ? { radius: RADIUS, obstacles } : { radii: radii() }),
    ...(sizes === 'boxes' ? { halfExtents: halfExtents() } : {}),
    positions: Float32Array.from({ length: dimensions * count }, place),
    velocities: Float32Array.from({ length: dimensions * count }, speed),
    continuous: true,
    substeps: 1,
    ...(kind === 'unbounded' ? { unbounded: true } : box),
  };
}

/** The least distance of every two of them, in a world that does not wrap around. */
export function nearestPair(dimensions: Dimensions, positions: Float32Array): number {
  let least = Number.POSITIVE_INFINITY;
  for (let one = 0; one < positions.length; one += dimensions) {
    for (let two = 0; two < one; two += dimensions) {
      let squared = 0;
      for (let axis = 0; axis < dimensions; axis++) {
        squared += ((positions[one + axis] as number) - (positions[two + axis] as number)) ** 2;
      }
      if (squared < least) least = squared;
    }
  }
  return Math.sqrt(least);
}
