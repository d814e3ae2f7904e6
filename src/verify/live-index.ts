/**
 * Compares the CPU's live index with brute force after objects are added, moved and removed. Scenes are dyadic, so
 * there is one right answer.
 */
import type { CpuIndex } from '../cpu/live';
import { type Scene, worldOptions } from '../scenes';
import { createIndex, differenceOfPairs, exactPairs, findWithin, keepPairs, stirred } from './exact';
import { farthestSearch } from './grids';

/** The most particles to check: for more, the oracle for variable radii is itself a live index. */
export const MOST_INDEXED = 4096;

/** One object in this many is removed. */
const REMOVED = 3;
const MOST_POINTS = 24;
/** Search radius in diameters of the largest particle; it reaches beyond neighbouring cells. */
const REACH_IN_DIAMETERS = 1.5;

export async function checkIndex(scene: Scene): Promise<{ pass: boolean; detail: string }> {
  const { dimensions, count, radius, radii } = scene;
  const index = createIndex(worldOptions(scene), count);
  const positionOf = ({ positions }: Scene, id: number) =>
    positions.subarray(dimensions * id, dimensions * (id + 1));
  for (let particle = 0; particle < count; particle++) {
    const id = index.add(positionOf(scene, particle), radii?.[particle] ?? radius);
    if (id !== particle) return { pass: false, detail: `object ${particle} got the id ${id}` };
  }
  const after = stirred(scene);
  const isThere = (id: number) => id % REMOVED !== 0;
  const stages: readonly [name: string, now: Scene, change: () => void, isThere: (id: number) => boolean][] =
    [
      ['added', scene, () => undefined, () => true],
      ['moved', after, () => eachOf(count, (id) => index.move(id, positionOf(after, id))), () => true],
      ['removed', after, () => eachOf(count, (id) => isThere(id) || index.remove(id)), isThere],
    ];
  const seen: string[] = [];
  for (const [name, now, change, counts] of stages) {
    change();
    const pairs = keepPairs(exactPairs(now), (first, second) => counts(first) && counts(second));
    const difference = differenceOfPairs(index.findPairs(), pairs) ?? differenceOfNear(index, now, counts);
    if (difference) return { pass: false, detail: `${name}: ${difference}` };
    seen.push(`${name}: ${pairs.count} pairs of ${index.count} objects`);
  }
  return { pass: true, detail: seen.join(', ') };
}

function eachOf(count: number, use: (id: number) => unknown): void {
  for (let id = 0; id < count; id++) use(id);
}

function differenceOfNear(
  index: CpuIndex,
  scene: Scene,
  isThere: (id: number) => boolean,
): string | undefined {
  const { dimensions, count, positions, radius } = scene;
  const reach = Math.min(REACH_IN_DIAMETERS * 2 * radius, farthestSearch(scene));
  const points = Math.min(count, MOST_POINTS);
  for (let point = 0; point < points; point++) {
    const source = Math.floor((point * count) / points);
    const position = Array.from(positions.subarray(dimensions * source, dimensions * (source + 1)));
    const expected = findWithin(scene, position, reach).filter(({ id }) => isThere(id));
    let next = 0;
    let fault: string | undefined;
    index.near(position, reach, (id, distanceSquared) => {
      const wanted = expected[next++];
      if (wanted?.id === id && wanted.distanceSquared === distanceSquared) return;
      fault ??= `neighbour ${next - 1} of particle ${source} is ${id} instead of ${wanted?.id ?? 'none'}`;
    });
    if (fault) return fault;
    if (next < expected.length)
      return `particle ${source} has ${next} neighbours instead of ${expected.length}`;
  }
  return undefined;
}
