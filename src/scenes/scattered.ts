/**
 * Purpose: scenes whose particles lie at random and overlap as chance has it. Nothing is ordered: ids say
 * nothing about places.
 */
import type { Dimensions } from '../core/world/world';
import type { Random } from './random';
import { ceilRoot, repeat, type SceneDefinition, stepFor, toCoordinate, UNITS } from './scene';

/** Area (volume) for each particle at which it overlaps one other on average: all within one diameter, 1. */
export const ROOM_FOR_ONE_OVERLAP = { 2: Math.PI, 3: (4 / 3) * Math.PI } as const;

/** Of every CLUSTER_PERIOD particles one is outside the cluster of `clustered`. */
const CLUSTER_PERIOD = 10;

/** Particles in each cell of the cluster. */
const CLUSTER_DENSITY = 8;

/** Edge of 1% of the world as a share of the world's, rounded down. */
const CLUSTER_EDGE = { 2: 0.1, 3: 0.2154 } as const;

/** Pegs of `obstacles` are so many units apart, so that a grain fits between them, and shaken by so many. */
const PEG_SPACING = 2.5 * UNITS;
const PEG_SHAKE = UNITS / 4;

/** A box of units that a particle's centre may lie in, the same along each axis, ends included. */
interface Span {
  readonly low: number;
  readonly high: number;
}

function scatter(
  dimensions: Dimensions,
  count: number,
  random: Random,
  longest: number,
  spanOf: (particle: number) => Span,
): Float32Array {
  const positions = new Float32Array(count * dimensions);
  const step = stepFor(longest);
  let next = 0;
  for (let particle = 0; particle < count; particle++) {
    const { low, high } = spanOf(particle);
    for (let axis = 0; axis < dimensions; axis++) {
      positions[next++] = toCoordinate(random.between(low, high), step);
    }
  }
  return positions;
}

export const UNIFORM: SceneDefinition = {
  name: 'uniform',
  description: 'Scattered evenly at random, each overlapping one other on average.',
  generate(dimensions, count, random) {
    // One more than the room, since centres keep a radius away from each side.
    const edge = ceilRoot(count * ROOM_FOR_ONE_OVERLAP[dimensions], dimensions) + 1;
    const span = { low: UNITS / 2, high: edge * UNITS - UNITS / 2 };
    return {
      radius: 0.5,
      min: repeat(0, dimensions),
      max: repeat(edge, dimensions),
      positions: scatter(dimensions, count, random, edge, () => span),
      velocities: new Float32Array(count * dimensions),
      settings: {},
    };
  },
};

export const CLUSTERED: SceneDefinition = {
  name: 'clustered',
  description: 'Nine tenths in a hundredth of the world, eight to a cell; the rest spread over all of it.',
  generate(dimensions, count, random) {
    const clustered = count * (1 - 1 / CLUSTER_PERIOD);
    const edge = Math.max(10, ceilRoot((clustered / CLUSTER_DENSITY) * 100, dimensions));
    const everywhere = { low: UNITS / 2, high: edge * UNITS - UNITS / 2 };
    const low = Math.floor(edge * 0.3 * UNITS);
    const cluster = { low, high: low + Math.floor(edge * CLUSTER_EDGE[dimensions] * UNITS) };
    return {
      radius: 0.5,
      min: repeat(0, dimensions),
      max: repeat(edge, dimensions),
      positions: scatter(dimensions, count, random, edge, (particle) =>
        particle % CLUSTER_PERIOD === CLUSTER_PERIOD - 1 ? everywhere : cluster,
      ),
      velocities: new Float32Array(count * dimensions),
      settings: {},
    };
  },
};

export const ONE_CELL: SceneDefinition = {
  name: 'one-cell',
  description: 'All in the middle cell of a world of three cells along each axis.',
  generate(dimensions, count, random) {
    const span = { low: UNITS, high: 2 * UNITS - 1 };
    return {
      radius: 0.5,
      min: repeat(0, dimensions),
      max: repeat(3, dimensions),
      positions: scatter(dimensions, count, random, 3, () => span),
      velocities: new Float32Array(count * dimensions),
      settings: {},
    };
  },
};

export const NEGATIVE: SceneDefinition = {
  name: 'negative',
  description: 'Scattered evenly around the origin of a world that begins at negative coordinates.',
  generate(dimensions, count, random) {
    const half = Math.ceil((ceilRoot(count * ROOM_FOR_ONE_OVERLAP[dimensions], dimensions) + 1) / 2);
    const reach = half * UNITS - UNITS / 2;
    return {
      // Less than half a cell: the room that lets the inverse cell size stay 1 off the origin.
      radius: 0.4375,
      cellSize: 1,
      min: repeat(-half, dimensions),
      max: repeat(half, dimensions),
      positions: scatter(dimensions, count, random, half, () => ({ low: -reach, high: reach })),
      velocities: new Float32Array(count * dimensions),
      settings: {},
    };
  },
};

/** Each crowd fills its own cell: as a share of all particles, and how many it takes at most. */
const CROWDS = [
  { share: 1 / 16, most: 140, cell: 1 },
  { share: 1 / 8, most: 420, cell: 3 },
  { share: 3 / 16, most: 1200, cell: 5 },
] as const;

/** Cells along an axis that hold the crowds, with room between them. */
const ROOM_FOR_CROWDS = 8;

export const CROWDS_SCENE: SceneDefinition = {
  name: 'crowds',
  description:
    'Up to 140, 420 and 1,200 particles in a cell each, the rest scattered evenly; made for crowds.',
  generate(dimensions, count, random) {
    const edge = Math.max(
      ROOM_FOR_CROWDS,
      ceilRoot(count * ROOM_FOR_ONE_OVERLAP[dimensions], dimensions) + 1,
    );
    const everywhere = { low: UNITS / 2, high: edge * UNITS - UNITS / 2 };
    const ends = CROWDS.map(({ share, most }) => Math.min(most, Math.floor(share * count)));
    ends.forEach((length, crowd) => {
      ends[crowd] = length + (ends[crowd - 1] ?? 0);
    });
    // Ids of a crowd are spread over all.
    const order = Array.from({ length: count }, (_, index) => index);
    for (let last = count - 1; last > 0; last--) {
      const place = random.between(0, last);
      [order[last], order[place]] = [order[place] as number, order[last] as number];
    }
    return {
      radius: 0.5,
      min: repeat(0, dimensions),
      max: repeat(edge, dimensions),
      crowds: true,
      positions: scatter(dimensions, count, random, edge, (particle) => {
        const crowd = ends.findIndex((end) => (order[particle] as number) < end);
        if (crowd < 0) return everywhere;
        const low = (CROWDS[crowd] as (typeof CROWDS)[number]).cell * UNITS;
        return { low, high: low + UNITS - 1 };
      }),
      velocities: new Float32Array(count * dimensions),
      settings: {},
    };
  },
};

export const OBSTACLES: SceneDefinition = {
  name: 'obstacles',
  description:
    'Grains that fall through a field of pegs, some of them upon each other and upon pegs at the start.',
  generate(dimensions, count, random) {
    const edge = ceilRoot(count * ROOM_FOR_ONE_OVERLAP[dimensions], dimensions) + 1;
    const span = { low: UNITS / 2, high: edge * UNITS - UNITS / 2 };
    const obstacles = pegs(dimensions, count === 0 ? 0 : edge, random);
    return {
      radius: 0.5,
      min: repeat(0, dimensions),
      max: repeat(edge, dimensions),
      positions: scatter(dimensions, count, random, edge, () => span),
      velocities: new Float32Array(count * dimensions),
      obstacles,
      settings: { gravity: repeat(0, dimensions).with(1, -9.8125), restitution: 0.5, friction: 0.25 },
    };
  },
};

/** Staggered rows of pegs in a box of this edge, and a peg for each eight of them in the very place of another. */
function pegs(dimensions: Dimensions, edge: number, random: Random): Float32Array {
  const columns = Math.floor((edge * UNITS) / PEG_SPACING);
  const count = columns ** dimensions;
  const step = stepFor(edge);
  const places: number[] = [];
  for (let peg = 0; peg < count; peg++) {
    const [x = 0, y = 0, z = 0] = [
      peg % columns,
      Math.floor(peg / columns) % columns,
      Math.floor(peg / columns ** 2),
    ];
    const stagger = ((y + z) % 2) * (PEG_SPACING / 2);
    for (const [axis, place] of [x, y, z].slice(0, dimensions).entries()) {
      const centre = UNITS / 2 + place * PEG_SPACING + (axis === 0 ? stagger : 0);
      places.push(toCoordinate(centre + random.between(0, PEG_SHAKE), step));
    }
    if (peg % 8 === 7) places.push(...places.slice(-dimensions));
  }
  return Float32Array.from(places);
}
