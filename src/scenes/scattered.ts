/** Scenes with random positions. Particles may overlap; ids are not sorted by position. */
import type { Dimensions } from '../core/world/world';
import type { CollisionSceneDefinition } from './definition';
import type { Random } from './random';
import { ceilRoot, earthGravity, repeat, stepFor, toCoordinate, UNITS } from './scene';

/**
 * Area (volume) of a ball with radius 1, the diameter of a particle. With this room per particle, each overlaps one
 * other on average.
 */
export const ROOM_FOR_ONE_OVERLAP = { 2: Math.PI, 3: (4 / 3) * Math.PI } as const;

/** In `clustered`, one particle in this many lies anywhere; the others lie in the cluster. */
const CLUSTER_PERIOD = 10;

const CLUSTER_DENSITY = 8;

/** The cluster's edge as a share of the world's edge. The cluster takes 1% of the world. */
const CLUSTER_EDGE = { 2: 0.1, 3: 0.2154 } as const;

/** Distance between pegs, in units. A grain fits between two pegs. */
const PEG_SPACING = 2.5 * UNITS;
/** Greatest random offset of a peg along an axis, in units. */
const PEG_SHAKE = UNITS / 4;

/** The range of coordinates along each axis, in units, ends included. */
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

export const UNIFORM: CollisionSceneDefinition = {
  method: 'collisions',
  name: 'uniform',
  description: 'Random positions; each particle overlaps about one other.',
  generate(dimensions, count, random) {
    // Centres are at least one radius away from each wall.
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

export const CLUSTERED: CollisionSceneDefinition = {
  method: 'collisions',
  name: 'clustered',
  description: 'Nine tenths of the particles lie in a hundredth of the world.',
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

export const ONE_CELL: CollisionSceneDefinition = {
  method: 'collisions',
  name: 'one-cell',
  description: 'All particles lie in one cell.',
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

export const NEGATIVE: CollisionSceneDefinition = {
  method: 'collisions',
  name: 'negative',
  description: 'Uniformly random positions, mostly with negative coordinates.',
  generate(dimensions, count, random) {
    const half = Math.ceil((ceilRoot(count * ROOM_FOR_ONE_OVERLAP[dimensions], dimensions) + 1) / 2);
    const reach = half * UNITS - UNITS / 2;
    return {
      // The radius is less than half a cell, because a world that does not begin at the origin needs a margin for
      // rounding.
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

/** A crowd has `share` of all particles, at most `most`, in the cell with the coordinate `cell` along each axis. */
const CROWD_CELLS = [
  { share: 1 / 16, most: 140, cell: 1 },
  { share: 1 / 8, most: 420, cell: 3 },
  { share: 3 / 16, most: 1200, cell: 5 },
] as const;

const ROOM_FOR_CROWDS = 8;

export const CROWDS: CollisionSceneDefinition = {
  method: 'collisions',
  name: 'crowds',
  description: 'Crowds of up to 1,200 in three cells.',
  generate(dimensions, count, random) {
    const edge = Math.max(
      ROOM_FOR_CROWDS,
      ceilRoot(count * ROOM_FOR_ONE_OVERLAP[dimensions], dimensions) + 1,
    );
    const everywhere = { low: UNITS / 2, high: edge * UNITS - UNITS / 2 };
    const ends = CROWD_CELLS.map(({ share, most }) => Math.min(most, Math.floor(share * count)));
    ends.forEach((length, crowd) => {
      ends[crowd] = length + (ends[crowd - 1] ?? 0);
    });
    // Spread a crowd's ids over all ids.
    const order = Array.from({ length: count }, (_, index) => index);
    for (let last = count - 1; last > 0; last--) {
      const other = random.between(0, last);
      [order[last], order[other]] = [order[other] as number, order[last] as number];
    }
    return {
      radius: 0.5,
      min: repeat(0, dimensions),
      max: repeat(edge, dimensions),
      crowds: true,
      positions: scatter(dimensions, count, random, edge, (particle) => {
        const crowd = ends.findIndex((end) => (order[particle] as number) < end);
        if (crowd < 0) return everywhere;
        const low = (CROWD_CELLS[crowd] as (typeof CROWD_CELLS)[number]).cell * UNITS;
        return { low, high: low + UNITS - 1 };
      }),
      velocities: new Float32Array(count * dimensions),
      settings: {},
    };
  },
};

export const OBSTACLES: CollisionSceneDefinition = {
  method: 'collisions',
  name: 'obstacles',
  description: 'Grains fall through a field of pegs.',
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
      settings: { gravity: earthGravity(dimensions), restitution: 0.5, friction: 0.25 },
    };
  },
};

/** Returns staggered rows of pegs. Every eighth peg has a twin at the same position. */
function pegs(dimensions: Dimensions, edge: number, random: Random): Float32Array {
  const columns = Math.floor((edge * UNITS) / PEG_SPACING);
  const count = columns ** dimensions;
  const step = stepFor(edge);
  const positions: number[] = [];
  for (let peg = 0; peg < count; peg++) {
    const [x = 0, y = 0, z = 0] = [
      peg % columns,
      Math.floor(peg / columns) % columns,
      Math.floor(peg / columns ** 2),
    ];
    const stagger = ((y + z) % 2) * (PEG_SPACING / 2);
    for (const [axis, index] of [x, y, z].slice(0, dimensions).entries()) {
      const centre = UNITS / 2 + index * PEG_SPACING + (axis === 0 ? stagger : 0);
      positions.push(toCoordinate(centre + random.between(0, PEG_SHAKE), step));
    }
    if (peg % 8 === 7) positions.push(...positions.slice(-dimensions));
  }
  return Float32Array.from(positions);
}
