import { describe, expect } from 'vitest';
import { ArgumentError, DestroyedError, LimitError } from '../../../src/core/base/errors';
import { snap } from '../../../src/core/world/cells';
import type { Dimensions } from '../../../src/core/world/world';
import { createCpuBoxChunks, findOverlaps, sweptBox } from '../../../src/cpu';
import { BoxChunks, type BoxChunksOptions } from '../../../src/engine/box-chunks';
import { toStored } from '../../../src/gpu/layout';
import { bruteForceBoxPairs } from '../../../src/reference/query/box-pairs';
import { createNoise } from '../../../src/testing/noise';
import { arbitraryBoxes, boxScenes, scatterBoxes } from '../../helpers/inputs/boxes';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS, readWords, SMALL_COUNTS } from '../../helpers/passes';
import { expectSeen, fc, runs } from '../../helpers/properties';

function search(
  device: GPUDevice,
  tools: GpuTools,
  finder: BoxChunks,
  dimensions: Dimensions,
  boxes: Float32Array,
): void {
  const input = tools.upload('boxes', toStored(dimensions, boxes));
  const encoder = device.createCommandEncoder();
  finder.encode(encoder, { boxes: input, count: boxes.length / (2 * dimensions) });
  device.queue.submit([encoder.finish()]);
  input.destroy();
}

describe.each(DIMENSIONS)('chunks of boxes in %dD', (dimensions) => {
  for (const kind of ['dyadic', 'any'] as const) {
    gpuTest(
      `find the pairs of brute force and of the CPU, for ${kind === 'dyadic' ? 'dyadic' : 'arbitrary'} corners`,
      async (device, tools) => {
        const finder = await BoxChunks.create(tools.wrap(), {
          dimensions,
          capacity: 200,
          pairs: 200 * 100,
          members: Math.ceil(200 * 2.5 ** dimensions),
        });
        const onCpu = createCpuBoxChunks({ dimensions });
        let pairs = 0;
        const drawn = arbitraryBoxes(dimensions, kind, 200).filter(({ length }) => length > 0);
        await fc.assert(
          fc.asyncProperty(drawn, async (given) => {
            search(device, tools, finder, dimensions, given);
            const listed = await finder.read();
            // A device may read the smallest numbers as 0.
            const boxes = given.map(snap);
            onCpu.build(boxes);
            expectArraysEqual(listed.pairs, bruteForceBoxPairs(dimensions, boxes), 'pairs');
            expectArraysEqual(listed.pairs, onCpu.findPairs().pairs, 'pairs on the CPU');
            expect(listed.invalid).toBe(onCpu.invalid);
            expect(listed.found).toBe(listed.count);
            pairs += listed.count;
          }),
          runs(60),
        );
        expectSeen(pairs, 1000);
        finder.destroy();
      },
      { ...SHARED, tags: 'case' },
    );
  }

  gpuTest(
    'find the pairs of the CPU for numbers of boxes near the size of a workgroup, and for long, mixed, clustered and covered boxes',
    async (device, tools) => {
      const noise = createNoise(6);
      const count = 1500;
      const few = SMALL_COUNTS.map((boxes) => scatterBoxes(dimensions, boxes, noise, 8, () => noise()));
      const members = Math.ceil(count * 2.5 ** dimensions);
      const gpu = tools.wrap();
      const finder = await BoxChunks.create(gpu, { dimensions, capacity: count, pairs: 80_000, members });
      let most = 0;
      for (const boxes of [...few, ...boxScenes(dimensions, count)]) {
        search(device, tools, finder, dimensions, boxes);
        const listed = await finder.read();
        expectArraysEqual(listed.pairs, findOverlaps(boxes, { dimensions }).pairs, 'pairs');
        const given = boxes.length / (2 * dimensions);
        expect([listed.found, listed.invalid]).toEqual([listed.count, 0]);
        expect(listed.members).toBeGreaterThanOrEqual(given);
        expect(listed.members).toBeLessThanOrEqual(given * 2.5 ** dimensions);
        most = Math.max(most, listed.members / Math.max(1, given));
      }
      // Long boxes are members of several chunks.
      expect(most).toBeGreaterThan(1.3);
      finder.destroy();
    },
    SHARED,
  );

  gpuTest(
    'hold about equally many boxes, even if the boxes form clusters far apart, and give the same bits in every run',
    async (device, tools) => {
      const noise = createNoise(2);
      const count = 20_000;
      const edge = dimensions === 2 ? 150 : 28;
      const boxes = scatterBoxes(dimensions, count, noise, edge, () => 0.5).map(
        (value, index) => value + 1e5 * (Math.floor(index / (2 * dimensions)) % 3),
      );
      const finder = await BoxChunks.create(tools.wrap(), { dimensions, capacity: count, pairs: 60_000 });
      const { memberKeys, memberIds } = (
        finder as unknown as { parts: { owned: { buffers: Record<'memberKeys' | 'memberIds', GPUBuffer> } } }
      ).parts.owned.buffers;
      const runsOf: Uint32Array[][] = [];
      for (let run = 0; run < 2; run++) {
        search(device, tools, finder, dimensions, boxes);
        const { pairs, members } = await finder.read();
        expectArraysEqual(pairs, findOverlaps(boxes, { dimensions }).pairs, 'pairs');
        const keys = (await readWords(tools, memberKeys, finder.members)).slice(finder.members - members);
        const ids = (await readWords(tools, memberIds, finder.members)).slice(finder.members - members);
        runsOf.push([keys, ids]);
        const sizes = new Map<number, number>();
        for (const chunk of keys) sizes.set(chunk, (sizes.get(chunk) ?? 0) + 1);
        expect(Math.max(...sizes.values())).toBeLessThan(48 * 2.5 ** dimensions);
        expect(sizes.size).toBeGreaterThan(count / 48);
      }
      expect(runsOf[1]).toEqual(runsOf[0]);
      finder.destroy();
    },
    SHARED,
  );

  gpuTest(
    'list only the pairs of the first boxes if not all fit, count all pairs, and report events',
    async (device, tools) => {
      const stack = (count: number) =>
        scatterBoxes(
          dimensions,
          count,
          () => 0.5,
          1,
          () => 1,
        );
      const finder = await BoxChunks.create(tools.wrap(), { dimensions, capacity: 30, pairs: 60 });
      search(device, tools, finder, dimensions, stack(30));
      const full = await finder.read();
      // All 29 pairs of box 0 and all 28 of box 1 fit. Not all 27 of box 2 fit, so the list has none of them.
      expect([full.found, full.count]).toEqual([435, 57]);
      const pairsOf = (id: number) =>
        Array.from({ length: 29 - id }, (_, index) => [id, id + 1 + index]).flat();
      expect([...full.pairs]).toEqual([...pairsOf(0), ...pairsOf(1)]);
      expect([...(await readWords(tools, finder.count, 5))]).toEqual([435, 57, 1, 1, 1]);
      expect(finder.dispatchOffset).toBe(8);
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
    'list nothing and say how much room is needed if boxes reach into too many chunks, and then search again',
    async (device, tools) => {
      const noise = createNoise(9);
      const count = 2000;
      const boxes = scatterBoxes(dimensions, count, noise, dimensions === 2 ? 40 : 10, () => 1);
      const gpu = tools.wrap();
      const finder = await BoxChunks.create(gpu, {
        dimensions,
        capacity: count,
        pairs: 30_000,
        members: count,
      });
      const events = await finder.events();
      const input = tools.upload('boxes', toStored(dimensions, boxes));
      const encoder = device.createCommandEncoder();
      finder.encode(encoder, { boxes: input, count });
      events.encode(encoder);
      device.queue.submit([encoder.finish()]);
      const error = await finder.read().catch((caught: unknown) => caught as LimitError);
      expect(error).toBeInstanceOf(LimitError);
      const { message } = error as LimitError;
      expect(message).toMatch(
        /^These boxes reach into \d+ chunks in total, but the option members is 2000, /,
      );
      const needed = Number(/into (\d+) chunks/.exec(message)?.[1]);
      expect(message).toContain(`Create BoxChunks with members of at least ${needed}.`);
      expect([...(await readWords(tools, finder.count, 2))]).toEqual([0xffff_ffff, 0]);
      expect((await events.read()).valid).toBe(false);
      const few = scatterBoxes(dimensions, 40, noise, 4, () => 1);
      search(device, tools, finder, dimensions, few);
      expectArraysEqual((await finder.read()).pairs, bruteForceBoxPairs(dimensions, few), 'few pairs');
      finder.destroy();
      const larger = await BoxChunks.create(gpu, {
        dimensions,
        capacity: count,
        pairs: 30_000,
        members: needed,
      });
      search(device, tools, larger, dimensions, boxes);
      const listed = await larger.read();
      expect(listed.members).toBe(needed);
      expectArraysEqual(listed.pairs, bruteForceBoxPairs(dimensions, boxes), 'pairs');
      larger.destroy();
    },
    SHARED,
  );

  gpuTest(
    'find the pairs of boxes around the paths of bodies in a step',
    async (device, tools) => {
      const noise = createNoise(11);
      const count = 500;
      const from = Float32Array.from({ length: dimensions * count }, () => 20 * noise());
      const to = from.map((value) => value + 4 * noise() - 2);
      const boxes = sweptBox({ dimensions, from, to, radius: 0.25 });
      const finder = await BoxChunks.create(tools.wrap(), { dimensions, capacity: count, pairs: 20_000 });
      search(device, tools, finder, dimensions, boxes);
      const { pairs, count: found } = await finder.read();
      expectArraysEqual(pairs, bruteForceBoxPairs(dimensions, boxes), 'pairs');
      expect(found).toBeGreaterThan(300);
      finder.destroy();
    },
    SHARED,
  );
});

describe('chunks of boxes', () => {
  gpuTest(
    'reject invalid options and arguments, and free their buffers',
    async (device, tools) => {
      const gpu = tools.wrap();
      const live = tools.liveBuffers().length;
      const options = { dimensions: 2, capacity: 100, pairs: 10 } as const;
      const cases: [object, RegExp][] = [
        [{ dimensions: 4 }, /^dimensions is 4/],
        [{ capacity: -1 }, /^capacity is -1/],
        [{ pairs: 0 }, /^pairs is 0/],
        [{ members: 99 }, /^members is 99, but it must be a whole number from 100 to /],
        [{ extents: 1 }, /^options\.extents is 1/],
      ];
      for (const [wrong, message] of cases) {
        const attempt = BoxChunks.create(gpu, { ...options, ...wrong } as BoxChunksOptions);
        await expect(attempt).rejects.toThrow(message);
      }
      await expect(BoxChunks.create(gpu, { ...options, pairs: 2 ** 30 })).rejects.toThrow(LimitError);
      expect(tools.liveBuffers()).toHaveLength(live);
      const finder = await BoxChunks.create(gpu, options);
      expect([finder.boxes, finder.members, finder.capacity]).toEqual([100, 250, 10]);
      const encoder = device.createCommandEncoder();
      const boxes = tools.upload('boxes', new Float32Array(4));
      expect(() => finder.encode(encoder, { boxes, count: 101 })).toThrow('count is 101');
      expect(() => finder.encode(encoder, { boxes, count: 2 })).toThrow('at least 32 bytes for 2 boxes');
      expect(() => finder.encode(encoder, { boxes: finder.pairs, count: 1 })).toThrow(ArgumentError);
      expect(() => finder.encode({} as GPUCommandEncoder, { boxes, count: 1 })).toThrow('encoder is');
      boxes.destroy();
      finder.destroy();
      finder.destroy();
      expect(() => finder.encode(encoder, { boxes, count: 1 })).toThrow(DestroyedError);
      await expect(finder.read()).rejects.toThrow(DestroyedError);
      expect(tools.liveBuffers()).toHaveLength(live);
    },
    SHARED,
  );

  gpuTest(
    'accept no boxes, one box and boxes of any magnitude',
    async (device, tools) => {
      const finder = await BoxChunks.create(tools.wrap(), { dimensions: 2, capacity: 4, pairs: 8 });
      for (const boxes of [[], [0, 0, 1, 1], [-3e38, -3e38, 3e38, 3e38, 1e-45, 0, 2e38, 0, 3, 3, 2, 9]]) {
        search(device, tools, finder, 2, Float32Array.from(boxes));
        const { pairs, invalid } = await finder.read();
        expect([[...pairs], invalid]).toEqual(boxes.length > 4 ? [[0, 1], 1] : [[], 0]);
      }
      finder.destroy();
      const empty = await BoxChunks.create(tools.wrap(), { dimensions: 3, capacity: 0, pairs: 1 });
      search(device, tools, empty, 3, new Float32Array(0));
      expect((await empty.read()).count).toBe(0);
      empty.destroy();
    },
    SHARED,
  );
});
