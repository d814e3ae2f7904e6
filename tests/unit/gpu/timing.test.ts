import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Gpu } from '../../../src/gpu/device';
import type { Readback } from '../../../src/gpu/readback';
import { timeStages } from '../../../src/gpu/timing';

const device = {
  createQuerySet: () => ({ destroy() {} }),
  createBuffer: () => ({ destroy() {} }),
  pushErrorScope() {},
  popErrorScope: async () => null,
  createCommandEncoder: () => ({
    beginComputePass: () => ({ end() {} }),
    resolveQuerySet() {},
    finish: () => ({}),
  }),
  queue: { submit() {}, onSubmittedWorkDone: async () => {} },
};

/** Times stages on a device that reports these begins and ends, in milliseconds. */
function timeBy(stamps: readonly (readonly [number, number])[], names: readonly string[], timestamps = true) {
  const bytes = BigUint64Array.from(stamps.flat(), (stamp) => BigInt(stamp * 1e6)).buffer;
  const readback = { record: () => ({ finish: async () => [bytes] }) } as unknown as Readback;
  const gpu = { device, timestamps, checkAlive() {} } as unknown as Gpu;
  const stages = names.map((name) => ({ name, encode: () => {} }));
  return timeStages(gpu, readback, stages);
}

describe('times of stages', () => {
  beforeEach(() => void vi.stubGlobal('GPUBufferUsage', { QUERY_RESOLVE: 1, COPY_SRC: 2 }));
  afterEach(() => void vi.unstubAllGlobals());

  it('are summed by name; stages whose timestamps ran backwards are counted as discarded', async () => {
    const names = ['scan', 'resolve', 'resolve', 'scan'];
    const stamps = [
      [1, 3],
      [3, 8],
      [9, 7],
      [8, 8],
    ] as const;
    const times = await timeBy(stamps, names);
    expect(times).toEqual({
      source: 'timestamp-query',
      stages: { scan: 2, resolve: 5 },
      total: 7,
      discarded: 1,
      dispatches: 0,
    });
    const backwards = stamps.map(([begin, end]) => [end + 10, begin] as const);
    expect(await timeBy(backwards, names)).toMatchObject({
      stages: { scan: 0, resolve: 0 },
      total: 0,
      discarded: 4,
    });
    expect((await timeBy(stamps.slice(0, 2), names.slice(0, 2))).discarded).toBeUndefined();
  });

  it('measured by the wall clock are never discarded', async () => {
    const { source, total, discarded } = await timeBy([], ['scan', 'resolve'], false);
    expect([source, discarded]).toEqual(['wall-clock', undefined]);
    expect(total).toBeGreaterThanOrEqual(0);
  });
});
