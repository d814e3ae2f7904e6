import { describe, expect } from 'vitest';
import { SCAN_BLOCK } from '../../../src/core/base/constants';
import { defineWorld } from '../../../src/core/world/world';
import { type Gpu, wrapDevice } from '../../../src/gpu/device';
import { SCAN_SHAPES, Scan, scanBytes, scanShape } from '../../../src/passes/grid/scan';
import { exclusiveScan } from '../../../src/reference/grid/scan';
import { createNoise } from '../../../src/testing/noise';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED } from '../../helpers/node-gpu';
import { FOLD, readWords, runPass, share } from '../../helpers/passes';

const WORLD = defineWorld({ dimensions: 2, min: [0, 0], max: [1, 1] }, 1);
const GUARD = 0xdead_beef;

/** Returns counts like those of a sparse world: mostly zero or small, with a few large ones. Sums wrap past 2³². */
function countsOf(length: number, seed = length): Uint32Array {
  const noise = createNoise(seed);
  return Uint32Array.from({ length }, () => {
    const chance = noise();
    return chance < 0.5 ? 0 : chance < 0.99 ? Math.floor(noise() * 9) : Math.floor(noise() * 2 ** 32);
  });
}

/** Uploads values, then zeros up to the end of what the scan may touch, then guards. */
function padded(tools: GpuTools, label: string, values: Uint32Array): GPUBuffer {
  const words = new Uint32Array(scanBytes(values.length) / 4 + 4).fill(GUARD);
  words.fill(0, 0, -4);
  words.set(values);
  return tools.upload(label, words);
}

interface Scanned {
  readonly run: () => void;
  readonly counts: GPUBuffer;
  readonly starts: GPUBuffer;
}

async function prepare(tools: GpuTools, values: Uint32Array, gpu: Gpu): Promise<Scanned> {
  const scan = await Scan.create(gpu, 2);
  const counts = padded(tools, 'counts', values);
  const starts = padded(tools, 'starts', new Uint32Array(values.length).fill(GUARD));
  const binding = await scan.bind(counts, starts, values.length);
  const shared = await share(gpu, WORLD, 0);
  return { counts, starts, run: () => runPass(gpu, (pass) => scan.encode(pass, shared, binding)) };
}

async function expectScanned(tools: GpuTools, values: Uint32Array, gpu: Gpu): Promise<void> {
  const { run, counts, starts } = await prepare(tools, values, gpu);
  run();
  const got = await readWords(tools, starts, starts.size / 4);
  const left = await readWords(tools, counts, counts.size / 4);
  expectArraysEqual(got.subarray(0, values.length), exclusiveScan(values), 'starts');
  expect(left.subarray(0, -4).every((value) => value === 0)).toBe(true);
  for (const words of [got, left]) expect([...words.subarray(-4)]).toEqual([GUARD, GUARD, GUARD, GUARD]);
}

type Kind = keyof typeof SCAN_SHAPES;

const KINDS = ['gpu', 'software'] as const satisfies readonly Kind[];

/** Wraps the device as if it belonged to a hardware or a software GPU: the scan has a separate shape for each. */
function wrapAs(device: GPUDevice, kind: Kind, fold?: number): Gpu {
  const vendor = kind === 'gpu' ? 'nvidia' : 'swiftshader';
  const info = { vendor, architecture: '', device: '', description: '' } as GPUAdapterInfo;
  const gpu = wrapDevice(device, info, fold);
  expect(scanShape(gpu)).toEqual(SCAN_SHAPES[kind]);
  return gpu;
}

/** The number of counts per row of threads, in the shape for hardware GPUs. */
const ROW = 256;

/** The number of counts that a thread scans, in the shape for software GPUs, if its part is one block. */
const RANGE = SCAN_BLOCK / SCAN_SHAPES.software.threads;

/** Lengths near those of a vector, a thread's range, a row and a block, and lengths of several blocks. */
const LENGTHS = [
  0,
  1,
  3,
  4,
  5,
  RANGE - 1,
  RANGE,
  RANGE + 1,
  ROW - 1,
  ROW,
  ROW + 1,
  SCAN_BLOCK - 1,
  SCAN_BLOCK,
  SCAN_BLOCK + 1,
  2 * SCAN_BLOCK + 1,
  65_537,
  64 * SCAN_BLOCK - 1,
  64 * SCAN_BLOCK + 1,
];

describe.each(KINDS)('the scan of the shape "%s"', (kind) => {
  gpuTest(
    'computes exclusive sums for every length',
    async (device, tools) => {
      const gpu = wrapAs(device, kind);
      for (const length of LENGTHS) await expectScanned(tools, countsOf(length), gpu);
    },
    SHARED,
  );

  gpuTest(
    'gives the same result with at most four parts, in full and partial rows of workgroups',
    async (device, tools) => {
      const gpu = wrapAs(device, kind, FOLD);
      const blocks = [1, 2, 3, 4, 5, 8, 9, 13];
      for (const length of [1, ...blocks.flatMap((one) => [one * SCAN_BLOCK, one * SCAN_BLOCK + 1])]) {
        await expectScanned(tools, countsOf(length), gpu);
      }
    },
    SHARED,
  );

  gpuTest(
    'handles more blocks than there may be parts, so that a part has several blocks',
    async (device, tools) => {
      const values = new Uint32Array(SCAN_BLOCK * SCAN_BLOCK + SCAN_BLOCK + 5);
      const noise = createNoise(7);
      for (let index = 0; index < 200_000; index++) values[Math.floor(noise() * values.length)] = 3;
      values[0] = 1;
      values[SCAN_BLOCK * SCAN_BLOCK - 1] = 7;
      values[SCAN_BLOCK * SCAN_BLOCK] = 11;
      await expectScanned(tools, values, wrapAs(device, kind));
    },
    { ...SHARED, tags: 'full' },
  );

  gpuTest(
    'does not depend on what it scanned before',
    async (device, tools) => {
      const length = 3 * SCAN_BLOCK + 7;
      const { run, counts, starts } = await prepare(tools, countsOf(length, 1), wrapAs(device, kind));
      run();
      for (const seed of [2, 3]) {
        const values = countsOf(length, seed);
        device.queue.writeBuffer(counts, 0, values);
        run();
        expectArraysEqual(await readWords(tools, starts, length), exclusiveScan(values), `run ${seed}`);
      }
      run();
      expectArraysEqual(await readWords(tools, starts, length), new Uint32Array(length), 'empty');
    },
    SHARED,
  );
});

describe('the scan', () => {
  gpuTest(
    'frees the buffers of a binding',
    async (_, tools) => {
      const scan = await Scan.create(tools.wrap(), 2);
      const buffer = tools.allocate('both', scanBytes(9));
      const binding = await scan.bind(buffer, buffer, 9);
      expect(tools.liveBuffers()).toHaveLength(3);
      expect(binding.bytes).toBe(16 + 16);
      binding.destroy();
      expect(tools.liveBuffers()).toEqual(['both']);
    },
    SHARED,
  );
});
