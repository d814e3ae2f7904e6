/**
 * Purpose: scenes of particles that each have a radius of their own, for grids made with `radii`.
 * Guarantee: coordinates and radii are whole numbers of 1/32 that 32-bit floats hold exactly, and the radii are 1 to 64:
 * sums of two are 4,096 of these at most, so that their squares are exact too, and «distance² < sum²» has one answer on
 * every device. The same name, dimensions, count and seed mean the same particles everywhere.
 */
import { checkDimensions, checkInteger, checkKnownKeys } from '../core/checks';
import { ArgumentError } from '../core/errors';
import { MAX_PARTICLES } from '../core/simulation';
import type { Dimensions, RadiusRange, WorldOptions } from '../core/world';
import { Random } from './random';
import { DEFAULT_SEED, REQUEST_NAMES, type SceneRequest } from './request';
import { ceilRoot, repeat } from './scene';

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
}

interface MixedDefinition {
  readonly name: string;
  readonly description: string;
  readonly generate: (
    dimensions: Dimensions,
    count: number,
    random: Random,
  ) => Pick<MixedScene, 'world' | 'positions' | 'radii'>;
}

/**
 * A radius whose logarithm is spread evenly: first the octave, then a place in it, taken as often as is in inverse
 * proportion to the radius. Whole numbers only, which all engines agree on.
 */
function spreadRadius(random: Random): number {
  const low = MIXED_UNITS * 2 ** random.below(OCTAVES);
  for (;;) {
    const radius = low + random.below(low);
    if (random.below(radius) < low) return radius / MIXED_UNITS;
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
    const radii = Float32Array.from({ length: count }, () => spreadRadius(random));
    const positions = fill(dimensions, count, random, edge);
    const box = { dimensions, min: repeat(0, dimensions), max: repeat(edge, dimensions) };
    return { world: periodic ? { ...box, periodic } : box, positions, radii };
  };
}

const MIXED_SCENES: readonly MixedDefinition[] = [
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
    generate(dimensions, count, random) {
      const edge = ceilRoot(count * ROOM_OF_SMALL[dimensions], dimensions) + 1;
      const radii = new Float32Array(count).fill(RADII.smallest);
      const positions = fill(dimensions, count, random, edge);
      const large = random.below(Math.max(1, count));
      if (count > 0) {
        radii[large] = RADII.largest;
        positions.fill(Math.floor(edge / 2), dimensions * large, dimensions * (large + 1));
      }
      return { world: { dimensions, unbounded: true }, positions, radii };
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
  return { name, description, dimensions, count, seed, range: RADII, ...content };
}
