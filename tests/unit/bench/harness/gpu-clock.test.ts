import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CPU_GRID } from '../../../../bench/engines/cpu/grid';
import type { GpuRunner } from '../../../../bench/harness/engine';
import { GpuClock } from '../../../../bench/harness/gpu-clock';
import { openGpu } from '../../../../bench/harness/open';
import { createBenchScene } from '../../../../bench/harness/scenes';
import { ONE_EACH } from '../../../../bench/harness/turns';
import type { Gpu } from '../../../../src/gpu/device';

const MS = 1_000_000n;

interface Fake {
  readonly gpu: Gpu;
  /** Start and end of the next measurements; without an entry, a measurement takes 100 ms. */
  readonly stamps: [bigint, bigint][];
  readonly sizes: number[];
  /** Bytes of the buffers that are not destroyed. */
  held(): number;
}

/** The device does nothing and has memory for `room` bytes. */
function fakeGpu(room = Number.POSITIVE_INFINITY, timestamps = true): Fake {
  const stamps: [bigint, bigint][] = [];
  const sizes: number[] = [];
  let held = 0;
  let now = 1000n * MS;
  const read = () => {
    const pair = stamps.shift() ?? [now, now + 100n * MS];
    now += 200n * MS;
    return BigUint64Array.of(...pair, ...new Array<bigint>(30).fill(0n)).buffer;
  };
  const device = {
    limits: { maxBufferSize: 2 ** 31, maxStorageBufferBindingSize: 2 ** 31 },
    createQuerySet: () => ({ destroy() {} }),
    createBuffer: ({ size, label }: GPUBufferDescriptor) => {
      held += size;
      if (label?.startsWith('bench.copy')) sizes.push(size);
      const destroy = () => {
        held -= size;
      };
      return { size, destroy, unmap() {}, mapAsync: async () => {}, getMappedRange: read };
    },
    createCommandEncoder: () => ({
      beginComputePass: () => ({ end() {} }),
      resolveQuerySet() {},
      copyBufferToBuffer() {},
      finish: () => ({}),
    }),
    queue: { submit() {}, onSubmittedWorkDone: async () => {} },
    pushErrorScope() {},
    popErrorScope: async () => (held > room ? { message: 'no room' } : null),
  };
  const info = { vendor: 'swiftshader' };
  return {
    gpu: { device, info, timestamps, checkAlive() {} } as unknown as Gpu,
    stamps,
    sizes,
    held: () => held,
  };
}

describe('the clock of a GPU', () => {
  beforeEach(() => {
    vi.stubGlobal('GPUMapMode', { READ: 1 });
    vi.stubGlobal('GPUBufferUsage', { QUERY_RESOLVE: 1, COPY_SRC: 2, COPY_DST: 4, MAP_READ: 8 });
  });
  afterEach(() => void vi.unstubAllGlobals());

  it('measures the step of its timestamps, and returns no time if they run backwards', async () => {
    const { gpu, stamps } = fakeGpu();
    const clock = await GpuClock.create(gpu);
    expect(clock.source).toBe('timestamps');
    expect(clock.stepMs).toBe(100);
    stamps.push([300n * MS, 307n * MS], [307n * MS, 300n * MS], [5n * MS, 5n * MS]);
    expect(await clock.time(7, () => {})).toBe(1);
    expect(clock.stepMs).toBe(1);
    expect(await clock.time(1, () => {})).toBeUndefined();
    expect(await clock.time(1, () => {})).toBe(0);
  });

  it('uses the wall clock if timestamps are wrong, and measures the latency of the device', async () => {
    const { gpu, stamps } = fakeGpu();
    stamps.push([2n, 1n], [1n, 1n], [1n, 2n], [2n, 1n], [1n, 2n]);
    for (const clock of [await GpuClock.create(gpu), await GpuClock.create(fakeGpu(Infinity, false).gpu)]) {
      expect(clock.source).toBe('wall');
      expect(clock.stepMs).toBeGreaterThan(0);
    }
  });

  it('checks again if other work delayed the comparison of timestamps', async () => {
    const { gpu, stamps } = fakeGpu();
    stamps.push([2n, 1n], [1n, 2n]);
    expect((await GpuClock.create(gpu)).source).toBe('timestamps');
  });

  it('counts a sample as 0 if it takes no longer than loading the next frame', async () => {
    const { gpu } = fakeGpu();
    const bodies = { size: 8 };
    const runner = { bodies, counters: {}, place() {}, encodeBuild() {}, encodeQuery() {}, destroy() {} };
    const engine = { ...CPU_GRID, backend: 'gpu' as const, open: async () => runner as unknown as GpuRunner };
    const times = [3, 2, 1, 0];
    const clock = { time: async () => times.shift() } as unknown as GpuClock;
    const scene = createBenchScene('moving', { dimensions: 2, count: 0 });
    const run = await openGpu(engine, scene, gpu, clock);
    await run.roll([scene.frame(0)]);
    expect(await run.time(ONE_EACH)).toEqual({ build: 0, query: 0, total: 0 });
  });

  it('copies half a gibibyte, or as much as fits into memory, and reports how much', async () => {
    const large = fakeGpu();
    expect((await GpuClock.create(large.gpu)).copyBytes).toBe(2 ** 29);
    expect(large.sizes).toEqual([2 ** 29, 2 ** 29]);
    expect((await GpuClock.create(fakeGpu(2 ** 28 + 4096).gpu)).copyBytes).toBe(2 ** 27);
    const small = fakeGpu(1000);
    await expect(GpuClock.create(small.gpu)).rejects.toThrow('no memory for two copies of 1048576 bytes');
    expect(small.held()).toBe(0);
  });
});
