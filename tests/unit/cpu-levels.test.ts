/** The CPU grid of particles that each have a radius of their own: pairs and neighbours against exact brute force. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wrapCoordinate } from '../../src/core/cells';
import { bucketAt, latticeAt, levelOf } from '../../src/core/levels';
import { type Dimensions, defineLevels, type World } from '../../src/core/world';
import { createCpuGrid } from '../../src/cpu';
import { LevelCells } from '../../src/cpu/level-cells';
import { nearestImage } from '../../src/reference/contact';
import { exactOverlap, expectPairs, vectorAt } from '../helpers/exact-pairs';
import { MIXED_KINDS, type MixedCrowd, mixedCrowds, mixedWorlds } from '../helpers/mixed-crowds';
import { runs } from '../helpers/worlds';

/** Where a grid stores what it is given. */
function stored({ world, positions }: Pick<MixedCrowd, 'world' | 'positions'>): Float32Array {
  return positions.map((place, index) => wrapCoordinate(world, place, index % world.dimensions));
}

function isThere(
  { world, positions, radiusOf }: Omit<MixedCrowd, 'options' | 'radii'>,
  particle: number,
): boolean {
  const place = vectorAt(positions, world.dimensions, particle);
  return levelOf(world, radiusOf[particle] as number) !== undefined && place.every(Number.isFinite);
}

/** Exact arithmetic takes its time, so it is asked only where doubles could be wrong. */
function overlaps(
  a: readonly number[],
  b: readonly number[],
  radius: number,
  otherRadius: number,
  { period }: World,
): boolean {
  const apart = a.map((place, axis) => nearestImage(place - (b[axis] as number), period[axis] as number));
  const distance = Math.sqrt(apart.reduce((sum, value) => sum + value ** 2, 0));
  const reach = radius + otherRadius;
  const doubt = 1e-9 * (distance + reach + Math.max(...period));
  if (Math.abs(distance - reach) > doubt) return distance < reach;
  return exactOverlap(a, b, radius, period, otherRadius);
}

function exactPairs(crowd: Omit<MixedCrowd, 'options' | 'radii'>): number[] {
  const { world, radiusOf } = crowd;
  const positions = stored(crowd);
  const there = [...radiusOf.keys()].filter((particle) => isThere(crowd, particle));
  const vectors = there.map((particle) => vectorAt(positions, world.dimensions, particle));
  return there.flatMap((a, place) =>
    there.slice(place + 1).flatMap((b, further) => {
      const [here, beside] = [vectors[place] as number[], vectors[place + 1 + further] as number[]];
      return overlaps(here, beside, radiusOf[a] as number, radiusOf[b] as number, world) ? [a, b] : [];
    }),
  );
}

describe.each([2, 3] as const)('CpuLevelGrid in %dD', (dimensions) => {
  it.each(MIXED_KINDS)('finds what exact brute force finds, in a world that is %s', (kind) => {
    let pairs = 0;
    fc.assert(
      fc.property(mixedCrowds(kind, dimensions, 40), (crowd) => {
        const { options, radii, world, positions, radiusOf } = crowd;
        const grid = createCpuGrid({ ...options, radii, capacity: 40 });
        expect(grid.world).toEqual(world);
        grid.build(positions, radiusOf);
        const expected = exactPairs(crowd);
        expectPairs(grid, expected);
        pairs += expected.length / 2;
        const aside = [...radiusOf.keys()].filter((particle) => !isThere(crowd, particle)).length;
        expect(grid.nonFinite).toBe(aside);
        expect(grid.count).toBe(radiusOf.length);
      }),
      runs(300),
    );
    expect(pairs).toBeGreaterThan(2000);
  });
});
