import { describe, expect, it } from 'vitest';
import { ArgumentError, CellstormError } from '../../../../src/core/base/errors';
import { createCpuBoxChunks } from '../../../../src/cpu';
import type { ChunkOrder } from '../../../../src/cpu/boxes/chunk-order';
import { CORNERS } from '../../../../src/cpu/boxes/order';
import { bruteForceBoxPairs, isBox } from '../../../../src/reference/query/box-pairs';
import { createNoise } from '../../../../src/testing/noise';
import { arbitraryBoxes, boxScenes, scatterBoxes } from '../../../helpers/inputs/boxes';
import { DIMENSIONS } from '../../../helpers/passes';
import { expectSeen, fc, runs } from '../../../helpers/properties';

describe.each(DIMENSIONS)('overlapping boxes found in chunks, in %dD', (dimensions) => {
  /** Greatest mean number of memberships per box: see src/cpu/boxes/chunk-order.ts. */
  const most = 2.5 ** dimensions;

  it.each(['dyadic', 'any'] as const)('are the same as by brute force, with %s corners', (kind) => {
    const finder = createCpuBoxChunks({ dimensions });
    let chunks = 0;
    fc.assert(
      fc.property(arbitraryBoxes(dimensions, kind, 200), (boxes) => {
        finder.build(boxes);
        const expected = bruteForceBoxPairs(dimensions, boxes);
        const { count, pairs } = finder.findPairs();
        expect([...pairs]).toEqual([...expected]);
        expect(count).toBe(expected.length / 2);
        const total = boxes.length / (2 * dimensions);
        const valid = Array.from({ length: total }, (_, box) => isBox(dimensions, boxes, box));
        expect(finder.invalid).toBe(valid.filter((isValid) => !isValid).length);
        expect(finder.members).toBeLessThanOrEqual(most * total);
        chunks = Math.max(chunks, finder.chunks);
      }),
      runs(300),
    );
    expectSeen(chunks, 4);
  });

  it('are the same as by brute force among 1,500 boxes, which are divided over chunks', () => {
    const finder = createCpuBoxChunks({ dimensions });
    const count = 1500;
    for (const boxes of boxScenes(dimensions, count)) {
      finder.build(boxes);
      const { pairs } = finder.findPairs();
      const expected = bruteForceBoxPairs(dimensions, boxes);
      expect(pairs.length).toBe(expected.length);
      expect(pairs.every((id, index) => id === expected[index])).toBe(true);
      expect(finder.chunks).toBeGreaterThanOrEqual(Math.ceil(count / 48));
      expect(finder.members).toBeGreaterThanOrEqual(count);
      expect(finder.members).toBeLessThanOrEqual(most * count);
    }
    // Box 0 of the last scene surrounds all others, so every chunk that has members has this one.
    const { starts, members } = (finder as unknown as { readonly order: ChunkOrder }).order;
    const inChunk = Array.from({ length: finder.chunks }, (_, chunk) =>
      members.subarray(starts[chunk], starts[chunk + 1]).includes(0),
    );
    const used = inChunk.filter((_, chunk) => starts[chunk] !== starts[chunk + 1]);
    expect(used).not.toContain(false);
    expect(used.length).toBeGreaterThan(20);
  });

  it('fill the fullest chunk hardly more in three distant clusters than in a single cluster', () => {
    const noise = createNoise(2);
    const count = 6000;
    const boxes = scatterBoxes(dimensions, count, noise, dimensions === 2 ? 55 : 13, () => 0.5);
    const apart = boxes.map((value, index) => value + 1e5 * (Math.floor(index / (2 * dimensions)) % 3));
    const fullest = [boxes, apart].map((given) => {
      const finder = createCpuBoxChunks({ dimensions });
      finder.build(given);
      const { starts } = (finder as unknown as { readonly order: ChunkOrder }).order;
      return Math.max(...Array.from(starts.subarray(1), (end, chunk) => end - (starts[chunk] as number)));
    }) as [number, number];
    expect(fullest[0]).toBeLessThan(300);
    expect(fullest[1]).toBeLessThan(1.5 * fullest[0]);
  });

  it('have few memberships, however different their sizes are', () => {
    const noise = createNoise(5);
    const finder = createCpuBoxChunks({ dimensions });
    for (const large of [1, 50, 1000]) {
      const boxes = scatterBoxes(dimensions, 20_000, noise, 100, () => 0.01);
      for (let box = 0; box < large; box++) {
        boxes.fill(0, 2 * dimensions * box, 2 * dimensions * box + dimensions);
        boxes.fill(100, 2 * dimensions * box + dimensions, 2 * dimensions * (box + 1));
      }
      finder.build(boxes);
      expect(finder.members).toBeLessThanOrEqual(most * 20_000);
    }
  });

  it('are the same as by brute force in each build of one finder, and from each of its methods', () => {
    const noise = createNoise(4);
    const finder = createCpuBoxChunks({ dimensions });
    expect([finder.chunks, finder.members, finder.countPairs()]).toEqual([0, 0, 0]);
    for (const count of [0, 1, 500, 2, 900, 0, 48, 49]) {
      const boxes = scatterBoxes(dimensions, count + 3, noise, 12, () => noise());
      finder.build(boxes, count);
      const expected = [...bruteForceBoxPairs(dimensions, boxes.subarray(0, 2 * dimensions * count))];
      expect([...finder.findPairs().pairs]).toEqual(expected);
      expect(finder.count).toBe(count);
      expect(finder.countPairs()).toBe(expected.length / 2);
      const visited: [number, number][] = [];
      finder.forEachPair((first, second) => visited.push([first, second]));
      visited.sort(([a, b], [c, d]) => a - c || b - d);
      expect(visited.flat()).toEqual(expected);
      expect(finder.memoryBytes).toBeGreaterThanOrEqual(4 * CORNERS * finder.members);
    }
  });
});

describe('a finder of boxes in chunks', () => {
  it('rejects bad input, and a build inside a visitor', () => {
    const wrong = (options: unknown) => () => createCpuBoxChunks(options as { dimensions: 2 });
    expect(wrong({ dimensions: 1 })).toThrow(ArgumentError);
    expect(wrong({ dimensions: 2, period: [1, 1] })).toThrow('options.period is');
    const finder = createCpuBoxChunks({ dimensions: 2 });
    expect(() => finder.build([0] as unknown as Float32Array)).toThrow('4 numbers per box');
    expect(() => finder.build(new Float32Array(8), 3)).toThrow('count is 3');
    finder.build(new Float32Array(8));
    const inside = () => finder.forEachPair(() => finder.countPairs());
    expect(inside).toThrow(CellstormError);
    expect(inside).toThrow('This CpuBoxChunks is running forEachPair');
    expect(finder.countPairs()).toBe(1);
  });
});
