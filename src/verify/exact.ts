/**
 * Purpose: what lists and searches of a scene are held against: its pairs and who is near a point, by oracles that know
 * no cells, and the same scene stirred a little. Inputs: a scene. Outputs: pairs in canonical order, ids ascending.
 * Scenes are dyadic and so is how they are stirred: nothing rounds, so there is one answer.
 */
import type { PairList } from '../core/simulation/simulation';
import { defineLevels, type WorldOptions } from '../core/world/world';
import { type CpuIndex, createCpuIndex } from '../cpu/live';
import { bruteForceLevelPairs } from '../reference/grid/levels';
import { bruteForcePairs } from '../reference/query/brute-force';
import type { NearParticle } from '../reference/query/near';
import { sweepPairs } from '../reference/query/sweep';
import { nearestImage } from '../reference/solve/contact';
import { type MixedScene, Random, type Scene, worldOptions } from '../scenes';
import { periodOf } from './grids';

const BRUTE_FORCE_LIMIT = 4096;

/** Of a length, by multiples of which all are stirred: as fine as coordinates of all scenes are exact with. */
const STEPS = 32;
/** Of these, moved at most along an axis: most pairs stay and some do not. */
const MOST_MOVED = 8;

/** What the pairs of particles with radii of their own follow from. */
export type MixedParticles = Pick<
  MixedScene,
  'dimensions' | 'world' | 'range' | 'count' | 'positions' | 'radii'
>;

/** Several checks ask for the same ones. */
const KNOWN = new WeakMap<Float32Array, PairList>();
const STIRRED = new WeakMap<Scene, Scene>();

/** The pairs of a scene that overlap, in canonical order. */
export function exactPairs(scene: Scene): PairList {
  const known = KNOWN.get(scene.positions) ?? findExactPairs(scene);
  KNOWN.set(scene.positions, known);
  return known;
}

function findExactPairs(scene: Scene): PairList {
  const { dimensions, count, positions, radius } = scene;
  const mixed = mixedOf(scene);
  if (mixed) {
    const pairs = exactMixedPairs(mixed);
    return { count: pairs.length / 2, pairs };
  }
  const oracle = count <= BRUTE_FORCE_LIMIT ? bruteForcePairs : sweepPairs;
  return oracle(dimensions, positions, Math.fround(2 * radius), undefined, periodOf(scene)).overlapping;
}

/** What is asked of a scene whose particles have radii of their own. */
export function mixedOf(scene: Scene): MixedParticles | undefined {
  const { dimensions, count, positions, radii, radiusRange, halfExtents } = scene;
  if (!radii || !radiusRange || halfExtents) return undefined;
  return { dimensions, count, positions, radii, world: worldOptions(scene), range: radiusRange };
}

/** By brute force, or where that takes too long, by the CPU's index of single objects, which shares no search. */
export function exactMixedPairs({
  dimensions,
  world,
  range,
  count,
  positions,
  radii,
}: MixedParticles): Uint32Array {
  if (count <= BRUTE_FORCE_LIMIT) {
    return bruteForceLevelPairs(defineLevels(world, range, count), positions, radii);
  }
  const index = createIndex(world, count);
  radii.forEach((radius, particle) => {
    index.add(positions.subarray(dimensions * particle, dimensions * (particle + 1)), radius);
  });
  return index.findPairs().pairs;
}

/** An index of single objects in a scene's world; it knows no crowds. */
export function createIndex(world: WorldOptions, capacity: number): CpuIndex {
  const { dimensions, cellSize, min, max, periodic, unbounded } = world;
  return createCpuIndex({ dimensions, cellSize, min, max, periodic, unbounded, capacity });
}

/** The scene with everybody moved a little. */
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

/** Particles no farther than a radius from a point, ids ascending, in doubles. */
export function findWithin(scene: Scene, point: readonly number[], radius: number): NearParticle[] {
  const { dimensions, positions } = scene;
  const period = periodOf(scene);
  const found: NearParticle[] = [];
  for (let id = 0; id < positions.length / dimensions; id++) {
    let distanceSquared = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const apart = (positions[dimensions * id + axis] as number) - (point[axis] as number);
      distanceSquared += nearestImage(apart, period[axis] as number) ** 2;
    }
    if (distanceSquared <= radius * radius) found.push({ id, distanceSquared });
  }
  return found;
}

/** The pairs of a list that are to be kept. */
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

/** The first of two lists of pairs that differs, in words; undefined where none does. */
export function differenceOfPairs(got: PairList, expected: PairList): string | undefined {
  for (let place = 0; place < Math.max(got.count, expected.count); place++) {
    const isThere = place < got.count && place < expected.count;
    const [first, second] = [2 * place, 2 * place + 1];
    if (
      isThere &&
      got.pairs[first] === expected.pairs[first] &&
      got.pairs[second] === expected.pairs[second]
    ) {
      continue;
    }
    const [one, other] = [got, expected].map(({ count, pairs }) =>
      place < count ? `${pairs[first]} and ${pairs[second]}` : 'none',
    );
    return `pair ${place} is ${one} instead of ${other}`;
  }
  return undefined;
}
