import type { Dimensions } from '../core/world/world';
import type { LifeRequest, LifeScene } from './definition';
import { Random } from './random';
import { ceilRoot, stepFor, toCoordinate, UNITS } from './scene';

/**
 * Most particles per unit of area or volume in a world of the usual width. At this density, a particle has about 31
 * others (3D: 34) within its reach at the start.
 */
const PER_UNIT = { 2: 10, 3: 8 } as const;
/** Edges of the world, as shares of the longest one. */
const SHAPE: Readonly<Record<Dimensions, readonly number[]>> = { 2: [1, 0.625], 3: [1, 0.75, 0.75] };
/** Shortest edge: a periodic axis needs three cells. */
const SHORTEST = 4;

export function particleLife({ dimensions, count, width, seed, kinds }: LifeRequest): LifeScene {
  const random = new Random(seed);
  const max = edgesFor(dimensions, count).map((edge, axis) => (axis === 0 ? Math.ceil(edge * width) : edge));
  const step = stepFor(Math.max(...max));
  const positions = Float32Array.from({ length: dimensions * count }, (_, index) =>
    toCoordinate(random.below((max[index % dimensions] as number) * UNITS), step),
  );
  return {
    dimensions,
    min: max.map(() => 0),
    max,
    periodic: true,
    reach: 1,
    positions,
    species: Uint8Array.from({ length: count }, (_, particle) => particle % kinds),
    radius: 0.09,
  };
}

function edgesFor(dimensions: Dimensions, count: number): number[] {
  const shape = SHAPE[dimensions];
  const share = shape.reduce((product, edge) => product * edge, 1);
  const longest = ceilRoot(Math.ceil(count / (PER_UNIT[dimensions] * share)), dimensions);
  return shape.map((edge) => Math.max(SHORTEST, Math.ceil(edge * longest)));
}

/**
 * How a table is made:
 * - `random`: each entry is random;
 * - `mutual`: random, but any two species attract each other equally;
 * - `chain`: each species is attracted to itself, and a little to the next one;
 * - `chase`: each species follows the next one, which flees.
 */
export type AttractionKind = 'random' | 'mutual' | 'chain' | 'chase';

/** Random entries are multiples of 1 / GRADES. */
const GRADES = 16;
/** Attraction of a species to itself, to the next and to the previous one. */
const CHAIN = [1, 0.25, 0] as const;
const CHASE = [0.5, 0.75, -0.75] as const;

/** A row holds a species' attraction to each species, from −1 to 1. */
export function attractionTable(kind: AttractionKind, kinds: number, seed: number): number[][] {
  const random = new Random(seed);
  const all = Array.from({ length: kinds }, (_, index) => index);
  if (kind === 'chain' || kind === 'chase') {
    const [own, next, previous] = kind === 'chain' ? CHAIN : CHASE;
    return all.map((row) =>
      all.map((column) => {
        if (column === row) return own;
        if (column === (row + 1) % kinds) return next;
        return (column + 1) % kinds === row ? previous : 0;
      }),
    );
  }
  const table = all.map(() => all.map(() => random.between(-GRADES, GRADES) / GRADES));
  if (kind === 'random') return table;
  return all.map((row) =>
    all.map((column) => table[Math.min(row, column)]?.[Math.max(row, column)] as number),
  );
}
