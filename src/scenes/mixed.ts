/**
 * Purpose: scenes of particles that each have a radius of their own, for grids and simulations made with radii.
 * Guarantee: coordinates and radii are whole numbers of 1/32 that 32-bit floats hold exactly, and the radii are 1 to 64:
 * sums of two are 4,096 of these at most, so that their squares are exact too, and «distance² < sum²» has one answer on
 * every device. The same name, dimensions, count and seed mean the same particles everywhere.
 */
import { checkDimensions, checkInteger, checkKnownKeys } from '../core/base/checks';
import { ArgumentError } from '../core/base/errors';
import type { SettingsOptions } from '../core/contact/settings';
import { MAX_PARTICLES } from '../core/simulation/ids';
import type { Dimensions, RadiusRange, WorldKind, WorldOptions } from '../core/world/world';
import { PILE_GRAVITY } from './ordered';
import { Random } from './random';
import { DEFAULT_SEED, REQUEST_NAMES, type SceneRequest } from './request';
import { ceilRoot, power, repeat, type Scene } from './scene';

/** Coordinates and radii are counted in these: 32 to one unit of length. */
const MIXED_UNITS = 32;

const RADII: RadiusRange = { smallest: 1, largest: 64 };
/** Doublings from the smallest to the largest. */
const OCTAVES = 6;

/**
 * Area (volume) for each particle at which it overlaps one other on average: π (4/3 π) times the mean square (cube) of
 * the sum of two radii, whose logarithms are spread evenly.
 */
const ROOM = { 2: 4533, 3: 363_348 } as const;
/** The same where all are of radius 1. */
const ROOM_OF_SMALL = { 2: 4 * Math.PI, 3: (32 / 3) * Math.PI } as const;

const PILE_RADII: RadiusRange = { smallest: 1, largest: 8 };
const PILE_OCTAVES = 3;

/** Edge of the cubes that `mixed-pile` is laid out in: one of the widest. */
const PILE_CUBE = 2 * PILE_RADII.largest;

/** Three of the widest cells, below which no axis may wrap around. */
const SHORTEST_PERIOD = 3 * 2 * RADII.largest;

export interface MixedScene {
  readonly name: string;
  readonly description: string;
  readonly dimensions: Dimensions;
  readonly count: number;
  readonly seed: number;
  readonly world: WorldOptions;
  readonly range: RadiusRange;
  /** Packed, `dimensions` numbers a particle. */
  readonly positions: Float32Array;
  readonly radii: Float32Array;
  /** Of a simulation of it. */
  readonly settings: SettingsOptions;
}

interface MixedDefinition {
  readonly name: string;
  readonly description: string;
  /** Default: in a box, periodic or not. */
  readonly world?: WorldKind;
  readonly generate: (
    dimensions: Dimensions,
    count: number,
    random: Random,
  ) => Pick<MixedScene, 'world' | 'range' | 'positions' | 'radii' | 'settings'>;
}

/**
 * A radius in an octave whose logarithm is spread evenly, in units: a place, taken as often as is in inverse proportion to
 * the radius. Whole numbers only, which all engines agree on.
 */
function spreadRadius(random: Random, octave: number): number {
  const low = MIXED_UNITS * 2 ** octave;
  for (;;) {
    const radius = low + random.below(low);
    if (random.below(radius) < low) return radius;
  }
}

function fill(dimensions: Dimensions, count: number, random: Random, edge: number): Float32Array {
  // What 32-bit floats hold exactly; no scene of MAX_PARTICLES is as long.
  const units = edge * MIXED_UNITS;
  return Float32Array.from({ length: dimensions * count }, () => random.between(0, units - 1) / MIXED_UNITS);
}

function scatterMixed(periodic: boolean): MixedDefinition['generate'] {
  return (dimensions, count, random) => {
    const edge = Math.max(SHORTEST_PERIOD, ceilRoot(count * ROOM[dimensions], dimensions));
    const radii = Float32Array.from(
      { length: count },
      () => spreadRadius(random, random.below(OCTAVES)) / MIXED_UNITS,
    );
    const positions = fill(dimensions, count, random, edge);
    const box = { dimensions, min: repeat(0, dimensions), max: repeat(edge, dimensions) };
    return { world: periodic ? { ...box, periodic } : box, range: RADII, positions, radii, settings: {} };
  };
}

/** A cube of the pile: of which octave those in it are, and how many. */
interface Cube {
  readonly octave: number;
  readonly count: number;
}

/** Cubes that each hold as many of one octave as fit side by side. */
function dealCubes(dimensions: Dimensions, count: number, random: Random): Cube[] {
  const cubes: Cube[] = [];
  for (let left = count; left > 0; left -= cubes.at(-1)?.count ?? left) {
    const octave = random.below(PILE_OCTAVES);
    cubes.push({ octave, count: Math.min(left, power(2 ** (PILE_OCTAVES - 1 - octave), dimensions)) });
  }
  return cubes;
}

/** Digits of a number, the lowest first, the last as large as need be. */
function digitsOf(number: number, base: number, length: number): number[] {
  return Array.from({ length }, (_, place) => {
    const rest = Math.floor(number / power(base, place));
    return place === length - 1 ? rest : rest % base;
  });
}

function pileUp(dimensions: Dimensions, count: number, random: Random) {
  const cubes = dealCubes(dimensions, count, random);
  const columns = Math.max(2, ceilRoot(cubes.length, dimensions));
  const positions: number[] = [];
  const radii: number[] = [];
  cubes.forEach((cube, index) => {
    const places = 2 ** (PILE_OCTAVES - 1 - cube.octave);
    const corner = digitsOf(index, columns, dimensions).map((along) => along * PILE_CUBE * MIXED_UNITS);
    const room = (PILE_CUBE * MIXED_UNITS) / places;
    for (let particle = 0; particle < cube.count; particle++) {
      const radius = spreadRadius(random, cube.octave);
      const away = room / 2 - radius;
      radii.push(radius / MIXED_UNITS);
      for (const [axis, along] of digitsOf(particle, places, dimensions).entries()) {
        const centre = (corner[axis] as number) + along * room + room / 2;
        positions.push((centre + random.between(-away, away)) / MIXED_UNITS);
      }
    }
  });
  return {
    edge: columns * PILE_CUBE,
    positions: Float32Array.from(positions),
    radii: Float32Array.from(radii),
  };
}

export const MIXED_SCENES: readonly MixedDefinition[] = [
  {
    name: 'mixed-pile',
    description: 'Radii from 1 to 8 that fall in a box, as much of each octave, nothing touching at first.',
    generate(dimensions, count, random) {
      const { edge, positions, radii } = pileUp(dimensions, count, random);
      const world = { dimensions, min: repeat(0, dimensions), max: repeat(edge, dimensions) };
      const gravity = repeat(0, dimensions).with(1, PILE_GRAVITY);
      return { world, range: PILE_RADII, positions, radii, settings: { gravity } };
    },
  },
  {
    name: 'mixed',
    description: 'Radii from 1 to 64, as many in each octave, each overlapping one other on average.',
    generate: scatterMixed(false),
  },
  {
    name: 'mixed-periodic',
    description: 'The same in a box that wraps around along every axis.',
    generate: scatterMixed(true),
  },
  {
    name: 'one-large',
    description:
      'One of radius 64 among as many of radius 1 as there are, each overlapping one of these on average.',
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
      const world = { dimensions, unbounded: true };
      return { world, range: RADII, positions, radii, settings: {} };
    },
  },
];

export const MIXED_SCENE_NAMES: readonly string[] = MIXED_SCENES.map(({ name }) => name);

export function createMixedScene(name: string, request: SceneRequest): MixedScene {
  const definition = MIXED_SCENES.find((candidate) => candidate.name === name);
  if (!definition) throw new ArgumentError('scene', name, `one of ${MIXED_SCENE_NAMES.join(', ')}`);
  checkKnownKeys('request', request, REQUEST_NAMES);
  const { dimensions, count, seed = DEFAULT_SEED } = request;
  checkDimensions(dimensions);
  checkInteger('count', count, 0, MAX_PARTICLES);
  checkInteger('seed', seed, 0, 2 ** 32 - 1);
  const { description } = definition;
  const content = definition.generate(dimensions, count, new Random(seed));
  return { name, description, dimensions, count, seed, ...content };
}

/** The same for a simulation. */
export function asScene({ world, range, ...rest }: MixedScene): Scene {
  const { dimensions, count, positions } = rest;
  const edges = world.unbounded ? boundsOf(dimensions, positions) : { min: world.min, max: world.max };
  const { min = repeat(0, dimensions), max = repeat(0, dimensions) } = edges;
  const { periodic } = world;
  return {
    ...rest,
    radius: range.largest,
    radiusRange: range,
    world: world.unbounded ? 'unbounded' : periodic ? 'periodic' : 'bounded',
    min,
    max,
    periodic,
    velocities: new Float32Array(dimensions * count),
  };
}

/** Corners of the box around positions. */
function boundsOf(dimensions: Dimensions, positions: Float32Array): { min: number[]; max: number[] } {
  const min = repeat(0, dimensions);
  const max = repeat(0, dimensions);
  positions.forEach((place, index) => {
    const axis = index % dimensions;
    min[axis] = Math.min(min[axis] as number, place);
    max[axis] = Math.max(max[axis] as number, place);
  });
  return { min, max };
}
