import { describe, expect, it } from 'vitest';
import { ArgumentError, CellstormError } from '../../../../src/core/base/errors';
import { createCpuBoxPairs, findOverlaps } from '../../../../src/cpu';
import { bruteForceBoxPairs, isBox } from '../../../../src/reference/query/box-pairs';
import { createNoise } from '../../../../src/testing/noise';
import { arbitraryBoxes, boxScenes, scatterBoxes } from '../../../helpers/inputs/boxes';
import { DIMENSIONS } from '../../../helpers/passes';
import { expectSeen, fc, runs } from '../../../helpers/properties';

const PERIOD = 8;

/**
 * Moves each box by whole periods, so that its low corner lies in the periodic world. This is exact if corners are
 * multiples of 1/64 and the period is a power of two.
 */
function wrapCell(dimensions: number, boxes: Float32Array, period: readonly number[]): Float32Array {
  return boxes.map((value, index) => {
    const axis = index % dimensions;
    const length = period[axis] as number;
    const isHigh = index % (2 * dimensions) >= dimensions;
    const low = boxes[isHigh ? index - dimensions : index] as number;
    return length > 0 ? value - length * Math.floor(low / length) : value;
  });
}

describe.each(DIMENSIONS)('boxes that overlap in %dD', (dimensions) => {
  it.each(['dyadic', 'any'] as const)('are the same as by brute force, with %s corners', (kind) => {
    fc.assert(
      fc.property(arbitraryBoxes(dimensions, kind, 80), (boxes) => {
        const { count, pairs, invalid } = findOverlaps(boxes, { dimensions });
        const expected = bruteForceBoxPairs(dimensions, boxes);
        expect([...pairs]).toEqual([...expected]);
        expect(count).toBe(expected.length / 2);
        const total = boxes.length / (2 * dimensions);
        const valid = Array.from({ length: total }, (_, box) => isBox(dimensions, boxes, box));
        expect(invalid).toBe(valid.filter((isValid) => !isValid).length);
      }),
      runs(300),
    );
  });

  it('are the same as by brute force in periodic space', () => {
    const wraps = fc.array(fc.constantFrom(PERIOD, 2 * PERIOD, 0), {
      minLength: dimensions,
      maxLength: dimensions,
    });
    let images = 0;
    fc.assert(
      fc.property(arbitraryBoxes(dimensions, 'dyadic', 50, false), wraps, (dense, period) => {
        // Corners of very thin boxes may be finer than 1/64.
        const boxes = dense.map((value) => Math.round(value * 64) / 64);
        const inside = wrapCell(dimensions, boxes, period);
        const expected = bruteForceBoxPairs(dimensions, inside, period);
        expect([...findOverlaps(boxes, { dimensions, period }).pairs]).toEqual([...expected]);
        images += expected.length - bruteForceBoxPairs(dimensions, inside).length;
      }),
      runs(300),
    );
    expectSeen(images, 100);
  });

  it('are found across the ends of a period, with corners at any 32-bit floats', () => {
    const noise = createNoise(3);
    const boxes = scatterBoxes(dimensions, 300, noise, PERIOD, () => noise() ** 4 * 9);
    const period = new Array<number>(dimensions).fill(PERIOD);
    const expected = bruteForceBoxPairs(dimensions, boxes, period);
    expect([...findOverlaps(boxes, { dimensions, period }).pairs]).toEqual([...expected]);
  });

  it('include boxes that touch at faces, edges or corners, and identical boxes', () => {
    const box = (...lows: number[]) => {
      const corner = lows.slice(0, dimensions);
      return [...corner, ...corner.map((low) => low + 1)];
    };
    const boxes = Float32Array.from(
      [box(0, 0, 0), box(1, 0, 0), box(1, 1, 1), box(-1, -1, -1), box(0, 0, 0)].flat(),
    );
    const all = Array.from({ length: 5 }, (_, a) =>
      Array.from({ length: 4 - a }, (_, b) => [a, a + b + 1]),
    ).flat();
    const apart = all.filter(([a, b]) => !((a === 1 && b === 3) || (a === 2 && b === 3)));
    expect([...findOverlaps(boxes, { dimensions }).pairs]).toEqual(apart.flat());
  });

  it('are found among 1,500 boxes of one size, of many sizes, in lines, in clusters, or inside one box', () => {
    const count = 1500;
    const found = boxScenes(dimensions, count).map((boxes) => {
      const { pairs, count: pairCount } = findOverlaps(boxes, { dimensions });
      const expected = bruteForceBoxPairs(dimensions, boxes);
      expect(pairs.length).toBe(expected.length);
      expect(pairs.every((id, index) => id === expected[index])).toBe(true);
      return pairCount;
    });
    expect(found.at(-1)).toBeGreaterThan(count);
    expect(found.filter((pairs) => pairs > 50).length).toBeGreaterThanOrEqual(5);
  });

  it('are the same as by brute force in each build of one finder, and from each of its methods', () => {
    const noise = createNoise(4);
    const finder = createCpuBoxPairs({ dimensions });
    for (const count of [0, 1, 500, 2, 900, 0, 63, 64, 65]) {
      const boxes = scatterBoxes(dimensions, count + 3, noise, 12, () => noise());
      finder.build(boxes, count);
      const given = boxes.subarray(0, 2 * dimensions * count);
      const expected = [...bruteForceBoxPairs(dimensions, given)];
      expect([...finder.findPairs().pairs]).toEqual(expected);
      expect(finder.count).toBe(count);
      expect(finder.countPairs()).toBe(expected.length / 2);
      const visited: [number, number][] = [];
      finder.forEachPair((first, second) => visited.push([first, second]));
      visited.sort(([a, b], [c, d]) => a - c || b - d);
      expect(visited.flat()).toEqual(expected);
    }
    const before = finder.memoryBytes;
    finder.build(scatterBoxes(dimensions, 800, noise, 12, () => noise()));
    finder.countPairs();
    expect(finder.memoryBytes).toBe(before);
  });
});

describe('a finder of boxes', () => {
  it('rejects bad input, and a build inside a visitor', () => {
    const wrong = (options: unknown) => () => createCpuBoxPairs(options as { dimensions: 2 });
    expect(wrong({ dimensions: 4 })).toThrow(ArgumentError);
    expect(wrong({ dimensions: 2, periods: [1, 1] })).toThrow('options.periods');
    for (const period of [[1], [1, -1], [1, Number.NaN], new Array(2), 3]) {
      expect(wrong({ dimensions: 2, period })).toThrow('period is');
    }
    const finder = createCpuBoxPairs({ dimensions: 2 });
    expect(() => finder.build([0, 0, 1, 1] as unknown as Float32Array)).toThrow('4 numbers per box');
    expect(() => finder.build(new Float32Array(6))).toThrow(ArgumentError);
    expect(() => finder.build(new Float32Array(8), 3)).toThrow('count is 3');
    finder.build(new Float32Array(8));
    expect(() => finder.forEachPair(() => finder.build(new Float32Array(8)))).toThrow(CellstormError);
    expect(finder.countPairs()).toBe(1);
  });
});
