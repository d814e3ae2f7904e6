import { OVERLAP_SHARE } from '../../../src/core/ccd/law';
import type { ObstacleBodies } from '../../../src/core/obstacles/obstacles';
import type { SimulationOptions } from '../../../src/core/simulation/simulation';
import type { Dimensions, WorldKind } from '../../../src/core/world/world';
import { repeat } from '../../../src/scenes/scene';
import { cornersIn } from './vectors';

/** Paths bring particles of equal size no nearer than this, in diameters, unless the particles start nearer. */
export const NEAR_SHARE = 1 - OVERLAP_SHARE;

export const DT = 1 / 64;

const RADIUS = 0.5;
const WALL = 45;

/** Returns bullets before a wall of obstacles, one diameter thick. A bullet moves at least 50 diameters in DT. */
export function bulletsBeforeWall(
  dimensions: Dimensions,
  count: number,
): SimulationOptions & { wall: number } {
  const across = dimensions - 1;
  const lanes = dimensions === 2 ? Math.ceil(count / 10) : Math.ceil(Math.sqrt(count / 4));
  const perLayer = lanes ** across;
  const positions = new Float32Array(dimensions * count);
  const velocities = new Float32Array(dimensions * count);
  const laneCentre = (index: number, axis: number) => (Math.floor(index / lanes ** axis) % lanes) + RADIUS;
  for (let bullet = 0; bullet < count; bullet++) {
    const layer = Math.floor(bullet / perLayer);
    const first = dimensions * bullet;
    positions[first] = 2 + 2 * layer;
    velocities[first] = (50 + ((7 * bullet + layer) % 13)) / DT;
    for (let axis = 0; axis < across; axis++) {
      // Avoid exact head-on hits.
      positions[first + 1 + axis] = laneCentre(bullet, axis) + 0.03 * Math.sin(bullet + axis);
      velocities[first + 1 + axis] = Math.cos(3 * bullet + axis) / DT;
    }
  }
  const obstacles = new Float32Array(dimensions * perLayer);
  for (let index = 0; index < perLayer; index++) {
    obstacles[dimensions * index] = WALL;
    for (let axis = 0; axis < across; axis++)
      obstacles[dimensions * index + 1 + axis] = laneCentre(index, axis);
  }
  return {
    dimensions,
    radius: RADIUS,
    min: repeat(0, dimensions),
    max: [2 * WALL, ...new Array<number>(across).fill(lanes)],
    positions,
    velocities,
    obstacles,
    wall: WALL,
  };
}

export const WALLS = ['balls', 'box'] as const;

/**
 * Returns the bullets of `bulletsBeforeWall` with different sizes. With `boxes`, every other bullet is a box. The wall
 * is either a layer of balls without a gap, or a box that is far thinner than a bullet. A huge ball lies behind it.
 */
export function bulletsBeforeSizedWall(
  dimensions: Dimensions,
  count: number,
  wallOf: (typeof WALLS)[number],
  boxes = wallOf === 'box',
): SimulationOptions & { wall: number } {
  const { radius, obstacles, ...bullets } = bulletsBeforeWall(dimensions, count);
  const lanes = bullets.max?.[1] as number;
  const size = (bullet: number) => RADIUS * (1 - (bullet % 6) / 10);
  const isBox = (bullet: number) => boxes && bullet % 2 === 0;
  const sizes = {
    radii: Float32Array.from({ length: count }, (_, bullet) => (isBox(bullet) ? 0 : size(bullet))),
    ...(boxes
      ? {
          halfExtents: Float32Array.from({ length: dimensions * count }, (_, index) => {
            const bullet = Math.floor(index / dimensions);
            return isBox(bullet) ? size(bullet + index) / 2 : 0;
          }),
        }
      : {}),
    // With this range, an unbounded world has enough levels for finer entries.
    radiusRange: { smallest: RADIUS / 4, largest: 4 * RADIUS },
  };
  const middle = repeat(lanes / 2, dimensions);
  const huge = middle.with(0, WALL + 500);
  if (wallOf === 'box') {
    const plate = repeat(lanes, dimensions).with(0, 1 / 64);
    const positions = new Float32Array([...middle.with(0, WALL), ...huge]);
    const halfExtents = new Float32Array([...plate, ...repeat(0, dimensions)]);
    return { ...bullets, ...sizes, obstacles: { positions, halfExtents, radii: new Float32Array([0, 480]) } };
  }
  const fixed = obstacles as Float32Array;
  const radii = Array.from(
    { length: fixed.length / dimensions },
    (_, index) => RADIUS * ([1.2, 1.5, 2, 6][index % 4] as number),
  );
  const positions = new Float32Array([...fixed, ...huge]);
  return { ...bullets, ...sizes, obstacles: { positions, radii: new Float32Array([...radii, 480]) } };
}

/**
 * A bullet flies between two rows of grains, without touching them, and hits one more grain. Its path ends at
 * x = `end`. A ball with a thousand times the bullet's radius lies beyond that point.
 */
export function bulletAmongGrains(
  dimensions: Dimensions,
  grains: number,
  boxes = false,
): SimulationOptions & { readonly end: number } {
  const [begin, end, beside, grain] = [4, 44, RADIUS + 1 / 4, 1 / 64];
  const corner = (first: number, second: number) => [first, second, 0].slice(0, dimensions);
  const positions = Array.from({ length: grains }, (_, index) => {
    const along = begin + ((end - begin) * index) / grains;
    return corner(along, index % 2 === 0 ? beside : -beside).map((value, axis) =>
      axis === 2 ? index % 2 : value,
    );
  });
  const huge = 1000 * RADIUS;
  return {
    dimensions,
    radii: new Float32Array([RADIUS]),
    radiusRange: { smallest: RADIUS, largest: RADIUS },
    boxes,
    unbounded: true,
    positions: new Float32Array(corner(begin - 2, 0)),
    velocities: new Float32Array(corner(60 / DT, 0)),
    obstacles: {
      positions: new Float32Array([
        ...positions.flat(),
        ...corner(end, 0),
        ...corner(end + 30, huge + 1 / 4),
      ]),
      radii: new Float32Array([...positions.map(() => grain), grain, huge]),
    },
    continuous: true,
    substeps: 1,
    end: end - (RADIUS + grain - OVERLAP_SHARE * 2 * grain),
  };
}

/**
 * Grains fly around a periodic world, beside a ball almost as large as the world. With boxes there is also an endless
 * floor; the first grain is deep inside it and flies along it.
 */
export function grainsAroundTheWorld(
  dimensions: Dimensions,
  count: number,
  random: () => number,
  boxes = false,
): SimulationOptions & { readonly positions: Float32Array; readonly velocities: Float32Array } {
  const [edge, largest, grain, floor] = [16, 0.5, 0.125, boxes ? 0.75 : 0];
  const corner = cornersIn(dimensions);
  const ball = edge / 2 - largest - 4 * grain;
  const centre = corner(edge / 2).with(0, 0);
  const isFree = (position: readonly number[]) => {
    const apart = position.map((along, axis) => {
      const direct = Math.abs(along - (centre[axis] as number));
      return Math.min(direct, edge - direct);
    });
    const up = position[1] as number;
    return Math.hypot(...apart) > ball + grain && Math.min(up, edge - up) > floor + grain;
  };
  const positions: number[][] = boxes ? [corner(7).with(1, floor / 2)] : [];
  while (positions.length < count) {
    const position = corner(0).map(() => edge * random());
    if (isFree(position)) positions.push(position);
  }
  const velocities = positions.flatMap((position) => position.map(() => (100 * (random() - 0.5)) / DT));
  if (boxes) velocities.splice(0, dimensions, ...corner(0).with(0, 12 / DT));
  const only = (value: number) =>
    Float32Array.from(positions, (_, body) => (boxes && body === 0 ? 0 : value));
  return {
    dimensions,
    radii: only(grain),
    radiusRange: { smallest: grain, largest },
    ...(boxes ? { halfExtents: new Float32Array(dimensions * count).fill(grain, 0, dimensions) } : {}),
    min: corner(0),
    max: corner(edge),
    periodic: true,
    // The cell size limits the length of the pieces of a path.
    cellSize: 1,
    positions: new Float32Array(positions.flat()),
    velocities: new Float32Array(velocities),
    obstacles: boxes
      ? {
          positions: new Float32Array([...centre, ...corner(2).with(1, 0)]),
          radii: new Float32Array([ball, 0]),
          halfExtents: new Float32Array([...corner(0), ...corner(edge / 2).with(1, floor)]),
        }
      : { positions: new Float32Array(centre), radii: new Float32Array([ball]) },
    continuous: true,
    substeps: 1,
  };
}

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
 * Half of the velocity components are large, so most particles are fast. Unless `sizes` is 'equal', the radii of
 * particles differ by up to 8 times, and those of obstacles by up to 96 times. With 'boxes', every other particle and
 * obstacle is a box, and one obstacle is as long as the world.
 */
export function fastCrowd(
  dimensions: Dimensions,
  kind: WorldKind,
  count: number,
  random: () => number,
  sizes: (typeof SIZES)[number] = 'equal',
): SimulationOptions & { readonly positions: Float32Array; readonly velocities: Float32Array } {
  const roomy = dimensions === 2 ? Math.ceil(2.5 * Math.sqrt(count)) : Math.ceil(2.6 * Math.cbrt(count));
  // A periodic axis needs room for three cells as wide as the largest particle.
  const edge = sizes === 'equal' ? roomy : Math.max(12, roomy);
  const coordinate = () => edge * random();
  const speed = () => (random() < 0.5 ? 800 : 5) * (2 * random() - 1);
  const corner = cornersIn(dimensions);
  const box = { min: corner(0), max: corner(edge), periodic: kind === 'periodic' };
  const size = () => 2 ** (3 * random() - 2);
  const isBox = (body: number) => sizes === 'boxes' && body % 2 === 0;
  const obstacles = Float32Array.from({ length: dimensions * Math.ceil(count / 8) }, coordinate);
  const radii = () => Float32Array.from({ length: count }, (_, body) => (isBox(body) ? 0 : size()));
  const halfExtents = () =>
    Float32Array.from({ length: dimensions * count }, (_, index) =>
      isBox(Math.floor(index / dimensions)) ? size() / 2 : 0,
    );
  const crowd = {
    dimensions,
    ...(sizes === 'equal' ? { radius: RADIUS } : { radii: radii() }),
    ...(sizes === 'boxes' ? { halfExtents: halfExtents() } : {}),
    positions: Float32Array.from({ length: dimensions * count }, coordinate),
    velocities: Float32Array.from({ length: dimensions * count }, speed),
    continuous: true,
    substeps: 1,
    ...(kind === 'unbounded' ? { unbounded: true } : box),
  };
  if (sizes === 'equal') return { ...crowd, obstacles };
  return { ...crowd, obstacles: sizedObstacles(dimensions, obstacles, edge, random, sizes === 'boxes') };
}

function sizedObstacles(
  dimensions: Dimensions,
  positions: Float32Array,
  edge: number,
  random: () => number,
  boxes: boolean,
): ObstacleBodies {
  const count = positions.length / dimensions;
  const size = () => 2 ** (5 * random() - 5);
  const isBox = (body: number) => boxes && body % 2 === 1;
  const radii = Float32Array.from({ length: count }, (_, body) =>
    isBox(body) ? 0 : body === 0 ? 3 : size(),
  );
  if (!boxes) return { positions, radii };
  const halfExtents = Float32Array.from({ length: positions.length }, (_, index) => {
    const [body, axis] = [Math.floor(index / dimensions), index % dimensions];
    if (!isBox(body)) return 0;
    return body === 1 && axis !== 1 ? edge / 2 : size();
  });
  return { positions, radii, halfExtents };
}

/** Returns the least distance between two particles, in a world that is not periodic. */
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
