/**
 * Oracles that share no search code with grids. They list pairs and neighbours by ascending ids. Scenes are dyadic,
 * also after `stirred`, so distances are exact and there is one right answer.
 */
import type { PairList } from '../core/simulation/simulation';
import { defineLevels } from '../core/world/level-world';
import type { Dimensions, RadiusRange, WorldOptions } from '../core/world/world';
import { type CpuIndex, createCpuIndex } from '../cpu/live';
import { bruteForceLevelPairs } from '../reference/grid/levels';
import { bruteForcePairs } from '../reference/query/brute-force';
import type { NearParticle } from '../reference/query/near';
import { sweepPairs } from '../reference/query/sweep';
import { minimumImageInDoubles } from '../reference/solve/contact';
import { Random, type Scene, worldOptions } from '../scenes';
import { periodOf } from './grids';

const BRUTE_FORCE_LIMIT = 4096;

/** Moves are multiples of 1/STEPS. Very far from the origin, results are rounded to 32-bit floats. */
const STEPS = 32;
/** Greatest move along an axis, in units of 1/STEPS. Most pairs still overlap afterwards, and some do not. */
const MOST_MOVED = 8;

export interface SizedParticles {
  readonly dimensions: Dimensions;
  readonly world: WorldOptions;
  readonly range: RadiusRange;
  readonly count: number;
  readonly positions: Float32Array;
  readonly radii: Float32Array;
}

/** Caches, because several checks need the same results. */
const KNOWN = new WeakMap<Float32Array, PairList>();
const STIRRED = new WeakMap<Scene, Scene>();

export function exactPairs(scene: Scene): PairList {
  const known = KNOWN.get(scene.positions) ?? findExactPairs(scene);
  KNOWN.set(scene.positions, known);
  return known;
}

function findExactPairs(scene: Scene): PairList {
  const { dimensions, count, positions, radius } = scene;
  const sized = sizedParticlesOf(scene);
  if (sized) {
    const pairs = exactSizedPairs(sized);
    return { count: pairs.length / 2, pairs };
  }
  const oracle = count <= BRUTE_FORCE_LIMIT ? bruteForcePairs : sweepPairs;
  return oracle(dimensions, positions, Math.fround(2 * radius), undefined, periodOf(scene)).overlapping;
}

/** Returns undefined unless the scene has balls with variable radii. */
export function sizedParticlesOf(scene: Scene): SizedParticles | undefined {
  const { dimensions, count, positions, radii, radiusRange, halfExtents } = scene;
  if (!radii || !radiusRange || halfExtents) return undefined;
  return { dimensions, count, positions, radii, world: worldOptions(scene), range: radiusRange };
}

/** Uses brute force or, if that takes too long, the live index. */
export function exactSizedPairs({
  dimensions,
  world,
  range,
  count,
  positions,
  radii,
}: SizedParticles): Uint32Array {
  if (count <= BRUTE_FORCE_LIMIT) {
    return bruteForceLevelPairs(defineLevels(world, range, count), positions, radii);
  }
  const index = createIndex(world, count);
  radii.forEach((radius, particle) => {
    index.add(positions.subarray(dimensions * particle, dimensions * (particle + 1)), radius);
  });
  return index.findPairs().pairs;
}

/** Leaves out `crowds`, which a live index does not have. */
export function createIndex(world: WorldOptions, capacity: number): CpuIndex {
  const { dimensions, cellSize, min, max, periodic, unbounded } = world;
  return createCpuIndex({ dimensions, cellSize, min, max, periodic, unbounded, capacity });
}

export function stirred(scene: Scene): Scene {
  const known = STIRRED.get(scene) ?? stir(scene);
  STIRRED.set(scene, known);
  return known;
}

function stir(scene: Scene): Scene {
  const random = new Random(scene.seed + 2);
  const positions = scene.positions.map((value) => value + random.between(-MOST_MOVED, MOST_MOVED) / STEPS);
  return { ...scene, positions };
}

/** Returns the particles within `radius` of a point. */
export function findWithin(scene: Scene, point: readonly number[], radius: number): NearParticle[] {
  const { dimensions, positions } = scene;
  const period = periodOf(scene);
  const found: NearParticle[] = [];
  for (let id = 0; id < positions.length / dimensions; id++) {
    let distanceSquared = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const apart = (positions[dimensions * id + axis] as number) - (point[axis] as number);
      distanceSquared += minimumImageInDoubles(apart, period[axis] as number) ** 2;
    }
    if (distanceSquared <= radius * radius) found.push({ id, distanceSquared });
  }
  return found;
}

export function keepPairs(
  { count, pairs }: PairList,
  isKept: (first: number, second: number) => boolean,
): PairList {
  const kept = new Uint32Array(pairs.length);
  let length = 0;
  for (let word = 0; word < 2 * count; word += 2) {
    const [first, second] = [pairs[word] as number, pairs[word + 1] as number];
    if (!isKept(first, second)) continue;
    kept[length++] = first;
    kept[length++] = second;
  }
  return { count: length / 2, pairs: kept.slice(0, length) };
}

export function differenceOfPairs(got: PairList, expected: PairList): string | undefined {
  for (let index = 0; index < Math.max(got.count, expected.count); index++) {
    const isInBoth = index < got.count && index < expected.count;
    const [first, second] = [2 * index, 2 * index + 1];
    if (
      isInBoth &&
      got.pairs[first] === expected.pairs[first] &&
      got.pairs[second] === expected.pairs[second]
    ) {
      continue;
    }
    const [one, other] = [got, expected].map(({ count, pairs }) =>
      index < count ? `${pairs[first]} and ${pairs[second]}` : 'none',
    );
    return `pair ${index} is ${one} instead of ${other}`;
  }
  return undefined;
}
