import { expect, it, vi } from 'vitest';
import { measureCpuCopy } from '../../../../bench/harness/cpu-clock';

it('measureCpuCopy copies as much as fits into memory', () => {
  const { Float64Array: Real } = globalThis;
  class Small extends Real {
    constructor(length: number) {
      if (length > 2 ** 18) throw new RangeError('Array buffer allocation failed');
      super(length);
    }
  }
  vi.stubGlobal('Float64Array', Small);
  try {
    expect(measureCpuCopy(2 ** 23)).toMatchObject({ bytes: 2 ** 21, bytesPerMs: expect.any(Number) });
  } finally {
    vi.unstubAllGlobals();
  }
});
