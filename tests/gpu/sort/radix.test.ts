import { describe, expect } from 'vitest';
import { SCAN_BLOCK, WORKGROUP_SIZE } from '../../../src/core/base/constants';
import { ArgumentError, DestroyedError, LimitError } from '../../../src/core/base/errors';
import type { KeyKind } from '../../../src/core/particles/keys';
import { RadixSort, type RadixSortOptions } from '../../../src/engine/radix-sort';
import { type Gpu, wrapDevice } from '../../../src/gpu/device';
import { RADIX_SHAPES, radixShape } from '../../../src/passes/sort/radix';
import { radixSort } from '../../../src/reference/sort/radix';
import { createNoise } from '../../../src/testing/noise';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED } from '../../helpers/node-gpu';
import { FOLD, readWords } from '../../helpers/passes';

const GUARD = 0xdead_beef;
const KINDS: readonly KeyKind[] = ['u32', 'i32', 'f32', 'u64', 'i64', 'f64'];

function wordsPerKey(kind: KeyKind): number {
  return kind.endsWith('64') ? 2 : 1;
}

/** Returns the number of keys whose counters fill one block of the scan. */
function blockOf(gpu: Gpu): number {
  const { bits, run } = radixShape(gpu);
  return (SCAN_BLOCK * run) / 2 ** bits;
}

/**
 * Returns lengths to test: 0 to 2; a run (the keys of one thread), and one less or more; one more than the keys whose
 * counters fill a block of the scan; for u32 also one more than the keys of a workgroup.
 */
function lengthsFor(gpu: Gpu, keys: KeyKind): number[] {
  const { run } = radixShape(gpu);
  const workgroup = WORKGROUP_SIZE * run;
  return [0, 1, 2, run - 1, run, run + 1, blockOf(gpu) + 1, ...(keys === 'u32' ? [workgroup + 1] : [])];
}

function mostFolded(gpu: Gpu): number {
  return FOLD * FOLD * WORKGROUP_SIZE * radixShape(gpu).run;
}

/** Bits of floats that sorts often get wrong. */
const HARD_FLOATS = [
  0x8000_0000, 0, 0x7fc0_0000, 0xffc0_0001, 0x7f80_0000, 0xff80_0000, 1, 0x8000_0001, 0x7f80_0001,
];

/** High words of 64-bit floats that sorts often get wrong. Whether a float is a NaN may depend on its low word. */
const HARD_HIGH_WORDS = [
  0x8000_0000, 0, 0x7ff0_0000, 0xfff0_0000, 0x7ff8_0000, 0xfff8_0000, 0x7fef_ffff, 1, 0x7fff_ffff,
  0xffff_ffff,
];
const HARD_WORDS = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];

/** Returns random keys, many of which are equal or hard. */
function wordsOf(kind: KeyKind, count: number, seed: number): Uint32Array {
  const noise = createNoise(seed);
  return Uint32Array.from({ length: wordsPerKey(kind) * count }, (_, index) => {
    const high = kind === 'f64' && index % 2 === 1;
    const pool = kind === 'f32' ? HARD_FLOATS : high ? HARD_HIGH_WORDS : HARD_WORDS;
    if (noise() < 0.25) return pool[Math.floor(noise() * pool.length)] as number;
    return Math.floor(noise() * 2 ** 32);
  });
}

/** Uploads words, followed by guard words that must not change. */
function guarded(tools: GpuTools, label: string, words: Uint32Array): GPUBuffer {
  const padded = new Uint32Array(words.length + 4).fill(GUARD);
  padded.set(words);
  return tools.upload(label, padded);
}

async function expectSorted(
  tools: GpuTools,
  options: Omit<RadixSortOptions, 'capacity'> & { readonly capacity?: number },
  words: Uint32Array,
  gpu: Gpu = tools.wrap(),
): Promise<void> {
  const count = words.length / wordsPerKey(options.keys);
  const sort = await RadixSort.create(gpu, { capacity: count, ...options });
  const order = Uint32Array.from({ length: count }, (_, index) => index ^ 0x55);
  const keys = guarded(tools, 'keys', words);
  const payload = guarded(tools, 'payload', order);
  const encoder = gpu.device.createCommandEncoder();
  sort.encode(encoder, { keys, count, ...(options.payload ? { payload } : {}) });
  gpu.device.queue.submit([encoder.finish()]);
  const expected = radixSort(options.keys, words, order);
  const got = await readWords(tools, keys, words.length + 4);
  const name = `${count} ${options.keys}`;
  // A single key is not sorted, so even a NaN keeps its bits.
  const sorted = count < 2 ? words : expected.words;
  expectArraysEqual(got.subarray(0, words.length), sorted, `keys of ${name}`);
  expect([...got.subarray(-4)], name).toEqual([GUARD, GUARD, GUARD, GUARD]);
  const carried = await readWords(tools, payload, count + 4);
  expectArraysEqual(
    carried.subarray(0, count),
    options.payload ? expected.payload : order,
    `payload of ${name}`,
  );
  expect([...carried.subarray(-4)], name).toEqual([GUARD, GUARD, GUARD, GUARD]);
  sort.destroy();
  keys.destroy();
  payload.destroy();
}

describe.each(KINDS)('the radix sort of %s', (keys) => {
  gpuTest(
    'sorts any length, with and without payload, and writes nothing past the end',
    async (_, tools) => {
      for (const length of lengthsFor(tools.wrap(), keys)) {
        const words = wordsOf(keys, length, length + 1);
        await expectSorted(tools, { keys, payload: true }, words);
        if (length % 2 === 1) await expectSorted(tools, { keys }, words);
      }
    },
    SHARED,
  );

  gpuTest(
    'keeps the order of equal keys, and handles sorted and reversed keys',
    async (_, tools) => {
      const count = 9 * radixShape(tools.wrap()).run + 9;
      const size = wordsPerKey(keys);
      const ascending = Uint32Array.from({ length: size * count }, (_word, index) => index);
      for (const words of [
        ascending.map(() => 7),
        ascending,
        ascending.toReversed(),
        ascending.map((n) => n % 3),
      ]) {
        await expectSorted(tools, { keys, payload: true }, words);
      }
    },
    SHARED,
  );
});

describe('the radix sort', () => {
  gpuTest(
    'ignores the counters of an earlier, longer sort',
    async (_, tools) => {
      const gpu = tools.wrap();
      const block = blockOf(gpu);
      const [capacity, few] = [3 * block + 5, radixShape(gpu).run + 3];
      const sort = await RadixSort.create(gpu, { capacity, keys: 'u32' });
      for (const count of [capacity, few, block + 7, 2, capacity]) {
        const words = wordsOf('u32', count, count);
        const keys = guarded(tools, 'keys', words);
        const encoder = gpu.device.createCommandEncoder();
        sort.encode(encoder, { keys, count });
        gpu.device.queue.submit([encoder.finish()]);
        const got = await readWords(tools, keys, count);
        expectArraysEqual(got, words.slice().sort(), `${count} of ${capacity} keys`);
        keys.destroy();
      }
      const dispatches: number[] = [];
      const encoder = gpu.device.createCommandEncoder();
      const begin = encoder.beginComputePass.bind(encoder);
      encoder.beginComputePass = (descriptor) => {
        const pass = begin(descriptor);
        const dispatch = pass.dispatchWorkgroups.bind(pass);
        pass.dispatchWorkgroups = (x, y, z) => {
          dispatches.push(x);
          dispatch(x, y, z);
        };
        return pass;
      };
      const keys = guarded(tools, 'keys', new Uint32Array(capacity));
      sort.encode(encoder, { keys, count: few });
      expect(Math.max(...dispatches)).toBe(1);
      keys.destroy();
      sort.destroy();
    },
    SHARED,
  );

  gpuTest(
    'orders keys as `sort()` of the matching typed array does, and stores them as the same bytes as that array',
    async (_, tools) => {
      const gpu = tools.wrap();
      const views = {
        u32: Uint32Array,
        i32: Int32Array,
        f32: Float32Array,
        u64: BigUint64Array,
        i64: BigInt64Array,
        f64: Float64Array,
      } as const;
      for (const keys of KINDS) {
        const count = 5000;
        const given = new views[keys](wordsOf(keys, count, 3).buffer as ArrayBuffer);
        const order = Uint32Array.from({ length: count }, (_key, index) => index);
        const sort = await RadixSort.create(gpu, { capacity: count, keys, payload: true });
        const [buffer, payload] = [tools.upload('keys', given), tools.upload('payload', order)];
        const encoder = gpu.device.createCommandEncoder();
        sort.encode(encoder, { keys: buffer, payload, count });
        gpu.device.queue.submit([encoder.finish()]);
        const words = await readWords(tools, buffer, wordsPerKey(keys) * count);
        const got = Array.from<number | bigint>(new views[keys](words.buffer as ArrayBuffer));
        const sorted = Array.from<number | bigint>(given.slice().sort());
        expect(got, keys).toEqual(sorted);
        const compare = (a: number | bigint, b: number | bigint) =>
          Object.is(a, b) ? 0 : a < b || Object.is(b, Number.NaN) || (a === b && Object.is(a, -0)) ? -1 : 1;
        const expected = order.slice().sort((a, b) => compare(given[a] as number, given[b] as number));
        expectArraysEqual(await readWords(tools, payload, count), expected, `payload of ${keys}`);
        for (const used of [sort, buffer, payload]) used.destroy();
      }
    },
    SHARED,
  );

  gpuTest(
    'puts −∞ first, −0 before 0, ∞ after the numbers, and NaNs last, and gives all NaNs the same bits',
    async (_, tools) => {
      const gpu = tools.wrap();
      const least = Number.MIN_VALUE;
      const given = Float64Array.of(Number.NaN, 1, 0, Infinity, -0, least, -least, -Infinity, -1, Number.NaN);
      new Uint32Array(given.buffer).set([1, 0xfff0_0000], 0);
      const keys = tools.upload('keys', given);
      const sort = await RadixSort.create(gpu, { capacity: given.length, keys: 'f64' });
      const encoder = gpu.device.createCommandEncoder();
      sort.encode(encoder, { keys, count: given.length });
      gpu.device.queue.submit([encoder.finish()]);
      const words = await readWords(tools, keys, 2 * given.length);
      const got = Array.from(new Float64Array(words.buffer as ArrayBuffer));
      const numbers = [-Infinity, -1, -least, -0, 0, least, 1, Infinity];
      expect(
        got.map((key, index) => Object.is(key, [...numbers, Number.NaN, Number.NaN][index])),
      ).not.toContain(false);
      expect([...words.subarray(-4)]).toEqual([0xffff_ffff, 0x7fff_ffff, 0xffff_ffff, 0x7fff_ffff]);
      sort.destroy();
      keys.destroy();
    },
    SHARED,
  );

  gpuTest(
    'sorts by fewer bits if asked to, also with an odd number of digits',
    async (_, tools) => {
      for (const bits of [1, 4, 5, 12, 31]) {
        const words = wordsOf('u32', 5000, bits).map((word) => word >>> (32 - bits));
        await expectSorted(tools, { keys: 'u32', payload: true, bits }, words);
      }
      const words = wordsOf('u64', 5000, 9).map((word, index) => (index % 2 === 1 ? word & 0xff : word));
      await expectSorted(tools, { keys: 'u64', payload: true, bits: 40 }, words);
    },
    SHARED,
  );

  gpuTest(
    'uses one shape on hardware GPUs and another on software GPUs, with the same result',
    async (device, tools) => {
      const names = { vendor: 'swiftshader', architecture: '', device: '', description: '' };
      const kinds = { software: names, gpu: { ...names, vendor: 'nvidia' } };
      for (const [kind, shape] of Object.entries(RADIX_SHAPES)) {
        const info = kinds[kind as keyof typeof kinds] as GPUAdapterInfo;
        const gpu = wrapDevice(device, info);
        expect(radixShape(gpu)).toEqual(shape);
        for (const keys of KINDS) {
          const count = blockOf(gpu) + 1;
          await expectSorted(tools, { keys, payload: true }, wordsOf(keys, count, 7), gpu);
        }
      }
    },
    { ...SHARED, tags: 'full' },
  );

  gpuTest(
    'sorts in dispatches that are folded into two dimensions, several times with different numbers of keys',
    async (_, tools) => {
      const folded = tools.wrap(FOLD);
      await expectSorted(
        tools,
        { keys: 'u32', payload: true },
        wordsOf('u32', mostFolded(folded), 5),
        folded,
      );
      const gpu = tools.wrap();
      const { run } = radixShape(gpu);
      const sort = await RadixSort.create(gpu, { capacity: 30 * run, keys: 'u32' });
      for (const [count, seed] of [
        [30 * run, 1],
        [10 * run + 9, 2],
        [5, 3],
        [20 * run, 4],
      ] as const) {
        const words = wordsOf('u32', count, seed);
        const keys = tools.upload('keys', words);
        const encoder = gpu.device.createCommandEncoder();
        sort.encode(encoder, { keys, count });
        gpu.device.queue.submit([encoder.finish()]);
        expectArraysEqual(await readWords(tools, keys, count), words.slice().sort(), `${count} keys`);
      }
      const keys = tools.upload('keys', Uint32Array.of(3, 1, 2));
      const { stages, total } = await sort.profile({ keys, count: 3 });
      expect(Object.keys(stages)).toEqual(['count', 'scan', 'scatter']);
      expect(total).toBeGreaterThan(0);
      expectArraysEqual(await readWords(tools, keys, 3), Uint32Array.of(1, 2, 3), 'profiled');
      sort.destroy();
    },
    SHARED,
  );

  gpuTest(
    'rejects invalid options and arguments, and frees its buffers',
    async (_, tools) => {
      const gpu = tools.wrap();
      const live = tools.liveBuffers().length;
      const cases: [unknown, RegExp][] = [
        [{ capacity: -1, keys: 'u32' }, /^capacity is -1/],
        [
          { capacity: 8, keys: 'u16' },
          /^keys is "u16", but it must be one of u32, i32, f32, u64, i64, f64\.$/,
        ],
        [{ capacity: 8, keys: Object.create(null) }, /^keys is an object, but it must be one of /],
        [{ capacity: 8, keys: 'u32', payload: 1 }, /^payload is 1, but it must be true or false\.$/],
        [{ capacity: 8, keys: 'f32', bits: 8 }, /^bits is 8, but it must be left out/],
        [{ capacity: 8, keys: 'i64', bits: 8 }, /^bits is 8, .*, because the highest bit of i64 is its sign/],
        [{ capacity: 8, keys: 'f64', bits: 8 }, /^bits is 8, but it must be left out/],
        [{ capacity: 8, keys: 'u32', bits: 33 }, /^bits is 33/],
        [{ capacity: 8, keys: 'u64', bits: 65 }, /^bits is 65/],
        [{ capacity: 8, keys: 'u32', key: 1 }, /^options\.key is/],
      ];
      for (const [options, message] of cases) {
        await expect(RadixSort.create(gpu, options as RadixSortOptions)).rejects.toThrow(message);
      }
      const folded = tools.wrap(FOLD);
      const large = gpu.device.limits.maxStorageBufferBindingSize / 4 + 1;
      await expect(RadixSort.create(gpu, { capacity: large, keys: 'u32' })).rejects.toThrow(LimitError);
      await expect(
        RadixSort.create(folded, { capacity: mostFolded(folded) + 1, keys: 'u32' }),
      ).rejects.toThrow(`at most ${mostFolded(folded)} keys fit`);
      expect(tools.liveBuffers()).toHaveLength(live);

      const sort = await RadixSort.create(gpu, { capacity: 8, keys: 'u32', payload: true });
      const plain = await RadixSort.create(gpu, { capacity: 8, keys: 'u32' });
      const keys = tools.upload('keys', new Uint32Array(8));
      const payload = tools.upload('payload', new Uint32Array(8));
      const short = tools.upload('short', new Uint32Array(4));
      const encoder = gpu.device.createCommandEncoder();
      const wrong: [() => void, RegExp][] = [
        [() => sort.encode(encoder, { keys, payload, count: 9 }), /^count is 9/],
        [() => sort.encode(encoder, { keys, count: 8 }), /^payload is undefined/],
        [
          () => sort.encode(encoder, { keys, payload: keys, count: 8 }),
          /^payload is .* a different buffer from keys/,
        ],
        [() => sort.encode(encoder, { keys: short, payload, count: 8 }), /^keys is .* at least 32 bytes/],
        [() => plain.encode(encoder, { keys, payload, count: 8 }), /^payload is .* without payload/],
        [() => sort.encode({} as GPUCommandEncoder, { keys, payload, count: 8 }), /^encoder is/],
      ];
      for (const [attempt, message] of wrong) {
        expect(attempt).toThrow(ArgumentError);
        expect(attempt).toThrow(message);
      }
      expect(sort.memoryBytes).toBeGreaterThan(plain.memoryBytes);
      sort.destroy();
      plain.destroy();
      expect(() => sort.encode(encoder, { keys, payload, count: 8 })).toThrow(DestroyedError);
      expect(tools.liveBuffers()).toHaveLength(live + 3);
    },
    SHARED,
  );
});
