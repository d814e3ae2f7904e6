/**
 * Checks `npm run bench:traffic` on kernels whose traffic is known, and that twins compute what their kernels compute.
 */
import { describe, expect } from 'vitest';
import { Cache, SECTOR_BYTES } from '../../../bench/traffic/cache';
import { Capture, type Dispatch } from '../../../bench/traffic/capture';
import { measureTraffic, totalOf } from '../../../bench/traffic/measure';
import { type DispatchTraffic, Replay } from '../../../bench/traffic/replay';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { wrapDevice } from '../../../src/gpu/device';
import { Kernel } from '../../../src/gpu/kernel';
import { openDawn } from '../../../src/node/dawn';
import { createScene, Random, sceneOptions } from '../../../src/scenes';
import { testPreference } from '../../../src/testing/environment';
import { gpuTest } from '../../helpers/node-gpu';

const TWINS = { limits: { maxStorageBuffersPerShaderStage: 9 } } as const;
const MANY_TWINS = { ...TWINS, tags: 'full' } as const;

const COUNT = 4096;
const LANES = 64;
const WORD = 4;
const SUBGROUPS = COUNT / 32;
const STRIDE = 8;

/** `value` is what a thread stores at `index`; `prelude` declares the functions that `value` calls. */
interface Load {
  readonly element: string;
  readonly value: string;
  readonly prelude?: string;
}

const LOADS = {
  copy: { element: 'u32', value: 'source[index]' },
  strided: { element: 'u32', value: `source[${STRIDE}u * index]` },
  rows: { element: 'vec4u', value: 'dot(source[index], vec4u(1u, 2u, 3u, 4u))' },
  component: { element: 'vec4u', value: 'source[index].y' },
  gather: { element: 'u32', value: 'source[order[index]]' },
  broadcast: { element: 'u32', value: 'source[index / 32u]' },
  // Thread i takes i % 4 rounds, and loads only if i is odd.
  rounds: {
    element: 'u32',
    value: 'sum_of(index)',
    prelude: `fn sum_of(index: u32) -> u32 {
      var sum = 0u;
      for (var round = 0u; round < index % 4u; round++) {
        if (index % 2u == 0u) { continue; }
        sum += source[32u * (index / 32u) + round];
      }
      return sum;
    }`,
  },
} as const satisfies Record<string, Load>;

interface Counted {
  readonly traffic: DispatchTraffic;
  readonly cache: Cache;
  readonly output: Uint32Array;
}

/** Runs the instrumented twin of a kernel that stores `value` for each index. */
async function count(
  device: GPUDevice,
  { element, value, prelude = '' }: Load,
  order: Uint32Array = new Uint32Array(COUNT),
  l2Bytes = 2 ** 20,
  windowBytes?: number,
): Promise<Counted> {
  const gpu = wrapDevice(device);
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const create = (words: number) => device.createBuffer({ size: WORD * words, usage });
  const [source, ordered, output] = [create(STRIDE * COUNT), create(COUNT), create(COUNT)] as const;
  const content = Uint32Array.from({ length: STRIDE * COUNT }, (_, index) => 7 * index);
  device.queue.writeBuffer(source, 0, content);
  device.queue.writeBuffer(ordered, 0, new Uint32Array(order));
  const capture = new Capture();
  const cache = new Cache(l2Bytes);
  const replay = new Replay(gpu, [cache], windowBytes);
  try {
    const kernel = await Kernel.compile(gpu, {
      label: 'test.traffic',
      dimensions: 2,
      bare: true,
      standalone: true,
      entryPoint: 'main',
      bindings: {
        source: `read array<${element}>`,
        order: 'read array<u32>',
        output: 'write array<u32>',
      },
      sources: [
        {
          name: 'test.wgsl',
          text: `${prelude}
            @compute @workgroup_size(${LANES})
            fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) thread: u32) {
              let index = workgroup.x * ${LANES}u + thread;
              output[index] = ${value} + 0u * order[0];
            }`,
        },
      ],
    });
    const group = kernel.bind({ source, order: ordered, output });
    const pass = device.createCommandEncoder().beginComputePass();
    const [dispatch] = capture.record(() => kernel.encode(pass, undefined, group, COUNT / LANES));
    const traffic = await replay.run(dispatch as Dispatch);
    return { traffic, cache, output: await read(device, output) };
  } finally {
    capture.stop();
    replay.destroy();
  }
}

async function read(device: GPUDevice, buffer: GPUBuffer): Promise<Uint32Array> {
  const staging = device.createBuffer({
    size: buffer.size,
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
  });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  return new Uint32Array(staging.getMappedRange().slice(0));
}

function siteOf({ sites }: DispatchTraffic, buffer: string, kind: string) {
  const found = sites.find(({ site }) => site.buffer === buffer && site.kind === kind);
  if (!found) throw new Error(`No ${kind} of ${buffer}.`);
  return found;
}

describe('kernels whose traffic is known', () => {
  gpuTest(
    'copies, strides, vec4 rows and components touch the sectors that their indices imply',
    async (device) => {
      const sectors = async (name: keyof typeof LOADS) => {
        const { traffic } = await count(device, LOADS[name]);
        const load = siteOf(traffic, 'source', 'load');
        expect(load.requests, name).toBe(SUBGROUPS);
        const store = siteOf(traffic, 'output', 'store');
        expect([store.requests, store.sectors, store.ideal], name).toEqual([
          SUBGROUPS,
          4 * SUBGROUPS,
          4 * SUBGROUPS,
        ]);
        expect(traffic.lost, name).toBe(0);
        return load.sectors / load.requests;
      };
      expect(await sectors('copy')).toBe(4);
      expect(await sectors('strided')).toBe(32);
      // Hardware loads a quarter of the subgroup at a time: four sectors per quarter.
      expect(await sectors('rows')).toBe(16);
      expect(await sectors('component')).toBe(16);
      expect(await sectors('broadcast')).toBe(1);
    },
    { ...TWINS, tags: 'full' },
  );

  gpuTest(
    'a random gather has as many sectors as brute force finds, and the twin gathers the right values',
    async (device) => {
      const random = new Random(1);
      const order = Uint32Array.from({ length: COUNT }, () => random.between(0, COUNT - 1));
      const { traffic, output } = await count(device, LOADS.gather, order);
      expect(output).toEqual(order.map((index) => 7 * index));
      let expected = 0;
      for (let first = 0; first < COUNT; first += 32) {
        const touched = [...order.subarray(first, first + 32)].map((index) =>
          Math.floor((WORD * index) / SECTOR_BYTES),
        );
        expected += new Set(touched).size;
      }
      expect(siteOf(traffic, 'source', 'load').sectors).toBe(expected);
    },
    TWINS,
  );

  gpuTest(
    'each sector is read from memory once if the L2 holds all of them, even if workgroups are recorded one by one',
    async (device) => {
      const random = new Random(2);
      const order = Uint32Array.from({ length: COUNT }, () => random.between(0, COUNT - 1));
      const whole = await count(device, LOADS.gather, order);
      const touched = new Set(order.map((index) => Math.floor((WORD * index) / SECTOR_BYTES))).size;
      expect(whole.cache.read).toBe(SECTOR_BYTES * touched + WORD * COUNT);
      whole.cache.flush();
      expect(whole.cache.written).toBe(WORD * COUNT);
      // A window of 4,096 bytes holds the records of one workgroup.
      const split = await count(device, LOADS.gather, order, 2 ** 20, 4096);
      split.cache.flush();
      expect(split.traffic.sites).toEqual(whole.traffic.sites);
      expect([split.cache.read, split.cache.written]).toEqual([whole.cache.read, whole.cache.written]);
      // An L2 of 2 KiB has 16 lines, so it holds few sectors of the 16 KiB that are gathered.
      const small = await count(device, LOADS.gather, order, 2048);
      const misses = (small.cache.read - WORD * COUNT) / SECTOR_BYTES;
      expect(misses / COUNT).toBeGreaterThan(0.9);
      expect(misses / COUNT).toBeLessThanOrEqual(1);
    },
    TWINS,
  );

  gpuTest(
    'threads in different branches and rounds share a request only if they execute it together',
    async (device) => {
      const { traffic } = await count(device, LOADS.rounds);
      const load = siteOf(traffic, 'source', 'load');
      // In each subgroup, 16 odd threads load in round 0, and 8 each in rounds 1 and 2.
      expect(load.requests).toBe(3 * SUBGROUPS);
      expect(load.sectors).toBe(3 * SUBGROUPS);
      expect(load.ideal).toBe((2 + 1 + 1) * SUBGROUPS);
    },
    TWINS,
  );
});

describe('passes', () => {
  gpuTest(
    'of a step give the same bits, whether they run as kernels or as instrumented twins',
    async (device) => {
      const gpu = wrapDevice(device);
      const options = sceneOptions(createScene('pile', { count: 2000, dimensions: 2 }), { substeps: 2 });
      const plain = await createSimulation(gpu, options);
      plain.step(1 / 60);
      const capture = new Capture();
      const replay = new Replay(gpu, []);
      try {
        const traced = await createSimulation(gpu, options);
        const encoder = device.createCommandEncoder();
        const dispatches = capture.record(() => traced.encodeStep(encoder, 1 / 60));
        expect(dispatches.length).toBeGreaterThanOrEqual(12);
        for (const dispatch of dispatches) expect((await replay.run(dispatch)).lost).toBe(0);
        encoder.finish();
        expect(await traced.read()).toEqual(await plain.read());
      } finally {
        capture.stop();
        replay.destroy();
      }
    },
    TWINS,
  );

  gpuTest(
    'of the benchmark’s grid make one request per access in their code, and no memory traffic if the L2 holds all',
    async () => {
      const { gpu: provider } = await openDawn({ driver: testPreference() });
      for (const dimensions of [2, 3] as const) {
        const request = {
          program: 'grid',
          scene: 'uniform',
          count: 16_384,
          l2Bytes: 50e6,
          steps: 0,
        } as const;
        const cases = await measureTraffic({ ...request, dimensions }, provider);
        for (const { kernels, lost } of cases) {
          expect(lost).toBe(0);
          const named = (name: string) => kernels.filter(({ label }) => label.startsWith(`grid.${name}`));
          const [count, scatter] = [named('count'), named('scatter')].map(totalOf);
          // The count accesses positions, ranks and counts; the scatter positions, ranks, starts and entries.
          expect([count?.requests, scatter?.requests]).toEqual([3 * 512, 4 * 512]);
          // An L2 of 50 MB holds everything, and the first round has filled it.
          for (const { own } of kernels) expect(own).toEqual({ read: 0, written: 0 });
        }
      }
    },
    MANY_TWINS,
  );
});
