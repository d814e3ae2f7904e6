/**
 * Scenes of balls that each have their own radius. Coordinates and radii are multiples of 1/32 that 32-bit floats hold
 * exactly. A sum of two radii is at most 4,096 · 1/32, so its square is exact. The test "distance² < sum²" then has the
 * same answer on every device.
 */
import type { Dimensions, RadiusRange } from '../core/world/world';
import type { CollisionSceneDefinition } from './definition';
import type { Random } from './random';
import { ceilRoot, earthGravity, power, repeat, type SceneContent } from './scene';

const MIXED_UNITS = 32;

const RADII: RadiusRange = { smallest: 1, largest: 64 };
/** Octave n has the radii from 2^n up to, but not including, 2^(n + 1). */
const OCTAVES = 6;

/**
 * Area (volume) per particle at which a particle overlaps one other on average. For radii r and s, it is the mean of
 * π · (r + s)² in 2D and of 4/3 · π · (r + s)³ in 3D. The logarithms of the radii are uniformly distributed.
 */
const ROOM = { 2: 4533, 3: 363_348 } as const;
/** The same area (volume) per particle if all radii are 1. */
const ROOM_OF_SMALL = { 2: 4 * Math.PI, 3: (32 / 3) * Math.PI } as const;

interface Pile {
  readonly range: RadiusRange;
  readonly octaves: number;
  /** Least number of cubes along an edge of the box. */
  readonly columns: number;
}

const PILE: Pile = { range: { smallest: 1, largest: 8 }, octaves: 3, columns: 2 };
/** Four columns make the box large enough for a periodic world. */
const WIDE_PILE: Pile = { range: RADII, octaves: OCTAVES, columns: 4 };

/** The shortest period: at least three of the widest cells. */
const SHORTEST_PERIOD = 3 * 2 * RADII.largest;

/**
 * Returns a radius of an octave, in units. Its logarithm is uniformly distributed, because a uniform radius is accepted
 * with the probability low / radius. With whole numbers, all JavaScript engines agree.
 */
function chooseRadius(random: Random, octave: number): number {
  const low = MIXED_UNITS * 2 ** octave;
  for (;;) {
    const radius = low + random.below(low);
    if (random.below(radius) < low) return radius;
  }
}

function fill(dimensions: Dimensions, count: number, random: Random, edge: number): Float32Array {
  // Coordinates are exact in 32-bit floats for edges up to 524,288: in 2D, `mixed` with 60 million particles.
  const units = edge * MIXED_UNITS;
  return Float32Array.from({ length: dimensions * count }, () => random.between(0, units - 1) / MIXED_UNITS);
}

function scatter(periodic: true | undefined): CollisionSceneDefinition['generate'] {
  return (dimensions, count, random) => {
    const edge = Math.max(SHORTEST_PERIOD, ceilRoot(count * ROOM[dimensions], dimensions));
    const radii = Float32Array.from(
      { length: count },
      () => chooseRadius(random, random.below(OCTAVES)) / MIXED_UNITS,
    );
    return {
      radius: RADII.largest,
      radii,
      radiusRange: RADII,
      min: repeat(0, dimensions),
      max: repeat(edge, dimensions),
      periodic,
      positions: fill(dimensions, count, random, edge),
      velocities: new Float32Array(dimensions * count),
      settings: {},
    };
  };
}

interface Cube {
  readonly octave: number;
  readonly count: number;
}

/** Each cube holds as many particles of one octave as fit side by side; the last may hold fewer. */
function chooseCubes(dimensions: Dimensions, count: number, octaves: number, random: Random): Cube[] {
  const cubes: Cube[] = [];
  for (let left = count; left > 0; left -= cubes.at(-1)?.count ?? left) {
    const octave = random.below(octaves);
    cubes.push({ octave, count: Math.min(left, power(2 ** (octaves - 1 - octave), dimensions)) });
  }
  return cubes;
}

/** Returns `length` digits of a number, the lowest first. The last digit may be as large as the base, or larger. */
function digitsOf(number: number, base: number, length: number): number[] {
  return Array.from({ length }, (_, digit) => {
    const rest = Math.floor(number / power(base, digit));
    return digit === length - 1 ? rest : rest % base;
  });
}

function pileUp(pile: Pile, dimensions: Dimensions, count: number, random: Random): SceneContent {
  const { range, octaves } = pile;
  const cubes = chooseCubes(dimensions, count, octaves, random);
  const cubeEdge = 2 * range.largest;
  const columns = Math.max(pile.columns, ceilRoot(cubes.length, dimensions));
  const positions: number[] = [];
  const radii: number[] = [];
  cubes.forEach((cube, index) => {
    const across = 2 ** (octaves - 1 - cube.octave);
    const corner = digitsOf(index, columns, dimensions).map((along) => along * cubeEdge * MIXED_UNITS);
    const room = (cubeEdge * MIXED_UNITS) / across;
    for (let particle = 0; particle < cube.count; particle++) {
      const radius = chooseRadius(random, cube.octave);
      const away = room / 2 - radius;
      radii.push(radius / MIXED_UNITS);
      for (const [axis, along] of digitsOf(particle, across, dimensions).entries()) {
        const centre = (corner[axis] as number) + along * room + room / 2;
        positions.push((centre + random.between(-away, away)) / MIXED_UNITS);
      }
    }
  });
  return {
    radius: range.largest,
    radii: Float32Array.from(radii),
    radiusRange: range,
    min: repeat(0, dimensions),
    max: repeat(columns * cubeEdge, dimensions),
    positions: Float32Array.from(positions),
    velocities: new Float32Array(dimensions * count),
    settings: { gravity: earthGravity(dimensions) },
  };
}

export const MIXED_PILE: CollisionSceneDefinition = {
  method: 'collisions',
  variableRadii: true,
  name: 'mixed-pile',
  description: 'Balls of radius 1 to 8 fall in a box. Each octave takes equal room.',
  generate: (dimensions, count, random) => pileUp(PILE, dimensions, count, random),
};

export const MIXED_WIDE: CollisionSceneDefinition = {
  method: 'collisions',
  variableRadii: true,
  name: 'mixed-wide',
  description: 'Balls of radius 1 to 64 fall in a box. Each octave takes equal room.',
  generate: (dimensions, count, random) => pileUp(WIDE_PILE, dimensions, count, random),
};

export const MIXED: CollisionSceneDefinition = {
  method: 'collisions',
  variableRadii: true,
  name: 'mixed',
  description: 'Radii from 1 to 64, equally many in each octave.',
  generate: scatter(undefined),
};

export const MIXED_PERIODIC: CollisionSceneDefinition = {
  method: 'collisions',
  variableRadii: true,
  name: 'mixed-periodic',
  description: 'Radii from 1 to 64, equally many in each octave, in a box that wraps around.',
  world: 'periodic',
  generate: scatter(true),
};

export const ONE_LARGE: CollisionSceneDefinition = {
  method: 'collisions',
  variableRadii: true,
  name: 'one-large',
  description: 'One particle of radius 64 among many of radius 1.',
  world: 'unbounded',
  generate(dimensions, count, random) {
    const edge = ceilRoot(count * ROOM_OF_SMALL[dimensions], dimensions) + 1;
    const radii = new Float32Array(count).fill(RADII.smallest);
    const positions = fill(dimensions, count, random, edge);
    const large = random.below(Math.max(1, count));
    if (count > 0) {
      radii[large] = RADII.largest;
      positions.fill(Math.floor(edge / 2), dimensions * large, dimensions * (large + 1));
    }
    return {
      radius: RADII.largest,
      radii,
      radiusRange: RADII,
      ...boundsOf(dimensions, positions),
      positions,
      velocities: new Float32Array(dimensions * count),
      settings: {},
    };
  },
};

/** Returns the corners of a box around the origin and all positions. */
function boundsOf(dimensions: Dimensions, positions: Float32Array): { min: number[]; max: number[] } {
  const min = repeat(0, dimensions);
  const max = repeat(0, dimensions);
  positions.forEach((position, index) => {
    const axis = index % dimensions;
    min[axis] = Math.min(min[axis] as number, position);
    max[axis] = Math.max(max[axis] as number, position);
  });
  return { min, max };
}
