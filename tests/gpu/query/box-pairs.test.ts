import { describe, expect } from 'vitest';
import { ArgumentError, DestroyedError } from '../../../src/core/base/errors';
import { snap } from '../../../src/core/world/cells';
import type { Dimensions } from '../../../src/core/world/world';
import { findOverlaps } from '../../../src/cpu';
import { BoxPairs } from '../../../src/engine/box-pairs';
import { toStored } from '../../../src/gpu/layout';
import { bruteForceBoxPairs } from '../../../src/reference/query/box-pairs';
import { createNoise } from '../../../src/testing/noise';
import { arbitraryBoxes, scatterBoxes } from '../../helpers/inputs/boxes';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS, readWords, SMALL_COUNTS } from '../../helpers/passes';
import { expectSeen, fc, runs } from '../../helpers/properties';

/** Returns the corners as a device reads them. */
const seen = (boxes: Float32Array) => boxes.map(snap);

async function find(
  device: GPUDevice,
  tools: GpuTools,
  finder: BoxPairs,
  dimensions: Dimensions,
  boxes: Float32Array,
) {
  const input = tools.upload('boxes', toStored(dimensions, boxes));
  const encoder = device.createCommandEncoder();
  finder.encode(encoder, { boxes: input, count: boxes.length / (2 * dimensions) });
  device.queue.submit([encoder.finish()]);
  const listed = await finder.read();
  input.destroy();
  return listed;
}

describe.each(DIMENSIONS)('pairs of boxes in %dD', (dimensions) => {
  for (const kind of ['dyadic', 'any'] as const) {
    gpuTest(
      `equal those of the CPU engine for ${kind === 'dyadic' ? 'dyadic' : 'arbitrary'} corners`,
      async (device, tools) => {
        const extents = { smallest: 0.25, largest: 2048 };
        const finder = await BoxPairs.create(tools.wrap(), {
          dimensions,
          capacity: 80,
          pairs: 80 * 40,
          extents,
        });
        expect(finder.largest).toBe(2048);
        let pairs = 0;
        const drawn = arbitraryBoxes(dimensions, kind, 80).filter(({ length }) => length > 0);
        await fc.assert(
          fc.asyncProperty(drawn, async (boxes) => {
            const isTooLarge = (box: number) =>
              seen(boxes)
                .subarray(2 * dimensions * box, 2 * dimensions * (box + 1))
                .some(
                  (low, axis, corners) =>
                    axis < dimensions && (corners[axis + dimensions] as number) - low > 2048,
                );
            const listed = await find(device, tools, finder, dimensions, boxes);
            const { pairs: all, invalid } = findOverlaps(seen(boxes), { dimensions });
            const expected: number[] = [];
            for (let word = 0; word < all.length; word += 2) {
              const [first, second] = [all[word] as number, all[word + 1] as number];
              if (!isTooLarge(first) && !isTooLarge(second)) expected.push(first, second);
            }
            expectArraysEqual(listed.pairs, Uint32Array.from(expected), 'pairs');
            expect(listed.invalid).toBe(invalid);
            const total = boxes.length / (2 * dimensions);
            const isSet = Array.from({ length: total }, (_, box) => isTooLarge(box)).filter((is) => is);
            expect(listed.tooLarge + listed.invalid).toBeGreaterThanOrEqual(isSet.length);
            pairs += listed.count;
          }),
          runs(60),
        );
        expectSeen(pairs, 1000);
        finder.destroy();
      },
      SHARED,
    );
  }

  gpuTest(
    'equal those of brute force for numbers of boxes near the size of a workgroup, and for many equal, mixed, thin and covered boxes',
    async (device, tools) => {
      const noise = createNoise(6);
      const edge = dimensions === 2 ? 40 : 11;
      const count = 1500;
      const one = scatterBoxes(dimensions, count, noise, edge, () => 0.3);
      one.fill(-1, 2 * dimensions * 7, 2 * dimensions * 7 + dimensions);
      one.fill(edge + 1, 2 * dimensions * 7 + dimensions, 2 * dimensions * 8);
      const sliver = (axis: number) => (axis === 1 ? 10 : 0.001);
      const scenes = [
        ...SMALL_COUNTS.map((few) => scatterBoxes(dimensions, few, noise, 8, () => noise())),
        scatterBoxes(dimensions, count, noise, edge, () => 1),
        scatterBoxes(dimensions, count, noise, 4 * edge, () => 512 ** noise() / 64),
        scatterBoxes(dimensions, count, noise, edge, sliver),
        scatterBoxes(dimensions, count, noise, edge, () => 0.5).map((value) => value - 70_000),
        one,
      ];
      const extents = { smallest: 0.5, largest: 50 };
      const finder = await BoxPairs.create(tools.wrap(), {
        dimensions,
        capacity: count,
        pairs: 60_000,
        extents,
      });
      let most = 0;
      for (const boxes of scenes) {
        const listed = await find(device, tools, finder, dimensions, boxes);
        expectArraysEqual(listed.pairs, bruteForceBoxPairs(dimensions, boxes), 'pairs');
        expect([listed.found, listed.invalid, listed.tooLarge]).toEqual([listed.count, 0, 0]);
        most = Math.max(most, listed.count);
      }
      expect(most).toBeGreaterThan(1499);
      finder.destroy();
    },
    SHARED,
  );

  gpuTest(
    'are listed only for the first boxes if not all fit, are counted in full, and have events',
    async (device, tools) => {
      const stack = (count: number) =>
        scatterBoxes(
          dimensions,
          count,
          () => 0.5,
          1,
          () => 1,
        );
      const extents = { smallest: 1, largest: 1 };
      const finder = await BoxPairs.create(tools.wrap(), { dimensions, capacity: 30, pairs: 60, extents });
      const full = await find(device, tools, finder, dimensions, stack(30));
      // Only the 29 pairs of box 0 and the 28 of box 1 fit.
      expect([full.found, full.count]).toEqual([435, 57]);
      const pairsOf = (id: number) =>
        Array.from({ length: 29 - id }, (_, index) => [id, id + 1 + index]).flat();
      expect([...full.pairs]).toEqual([...pairsOf(0), ...pairsOf(1)]);
      const header = await readWords(tools, finder.count, 5);
      expect([...header]).toEqual([435, 57, 1, 1, 1]);
      const events = await finder.events();
      for (const count of [4, 3]) {
        const input = tools.upload('boxes', toStored(dimensions, stack(count)));
        const encoder = device.createCommandEncoder();
        finder.encode(encoder, { boxes: input, count });
        events.encode(encoder);
        device.queue.submit([encoder.finish()]);
      }
      expect([...(await events.read()).ended.pairs]).toEqual([0, 3, 1, 3, 2, 3]);
      finder.destroy();
    },
    SHARED,
  );

  gpuTest(
    'leave out invalid and too large boxes, which are counted',
    async (device, tools) => {
      const box = (low: number, high: number) => [
        ...Array(dimensions).fill(low),
        ...Array(dimensions).fill(high),
      ];
      const boxes = Float32Array.from(
        [
          box(0, 1),
          box(1, 0),
          box(Number.NaN, 1),
          box(0, Number.POSITIVE_INFINITY),
          box(-10, 10),
          box(-3e38, 3e38),
          box(1, 1),
          box(-7, 9),
        ].flat(),
      );
      const extents = { smallest: 1, largest: 16 };
      const finder = await BoxPairs.create(tools.wrap(), { dimensions, capacity: 8, pairs: 30, extents });
      const listed = await find(device, tools, finder, dimensions, boxes);
      expect([...listed.pairs]).toEqual([0, 6, 0, 7, 6, 7]);
      expect([listed.invalid, listed.tooLarge]).toEqual([3, 2]);
      finder.destroy();
    },
    SHARED,
  );
});

gpuTest(
  'BoxPairs rejects invalid options and arguments',
  async (device, tools) => {
    const gpu = tools.wrap();
    const usual = { dimensions: 2, capacity: 8, pairs: 8, extents: { smallest: 1, largest: 4 } } as const;
    const wrong = (options: object) => BoxPairs.create(gpu, { ...usual, ...options });
    await expect(wrong({ dimensions: 1 })).rejects.toThrow(ArgumentError);
    await expect(wrong({ diameter: 1 })).rejects.toThrow('options.diameter');
    await expect(wrong({ pairs: 0 })).rejects.toThrow('pairs is 0');
    await expect(wrong({ extents: undefined })).rejects.toThrow('extents is undefined');
    await expect(wrong({ extents: { smallest: 0, largest: 1 } })).rejects.toThrow('extents.smallest is 0');
    await expect(wrong({ extents: { smallest: 3, largest: 2 } })).rejects.toThrow(
      'at most extents.largest, 2',
    );
    await expect(wrong({ extents: { smallest: 1, largest: 2 ** 24 } })).rejects.toThrow('at most 2^23 times');
    (await wrong({ extents: { smallest: 1, largest: 2 ** 23 } })).destroy();
    const finder = await wrong({});
    const boxes = tools.upload('boxes', new Float32Array(32));
    const encoder = device.createCommandEncoder();
    const encode = (input: object) => () => finder.encode(encoder, { boxes, count: 8, ...input });
    expect(encode({ count: 9 })).toThrow('count is 9');
    expect(encode({ boxes: undefined })).toThrow('at least 128 bytes for 8 boxes');
    expect(encode({ boxes: tools.upload('few', new Float32Array(16)) })).toThrow(ArgumentError);
    expect(encode({ boxes: finder.pairs, count: 1 })).toThrow('a buffer that the search does not write');
    expect(encode({ points: boxes })).toThrow('input.points');
    finder.encode(encoder, { boxes, count: 8 });
    device.queue.submit([encoder.finish()]);
    expect((await finder.read()).found).toBe(28);
    finder.destroy();
    expect(encode({})).toThrow(DestroyedError);
    await expect(finder.read()).rejects.toThrow(DestroyedError);
  },
  SHARED,
);
