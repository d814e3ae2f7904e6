/** The sort of particles into cells. */
import { describe, expect, it, vi } from 'vitest';
import { createCpuGrid } from '../../../../src/cpu';

describe('the sort of a grid with a large capacity', () => {
  it('loops over rows and columns instead of cells if there are few particles', () => {
    const min = [0, 0];
    const roomy = createCpuGrid({ dimensions: 2, min, max: [500, 500], diameter: 1, capacity: 200_000 });
    const clear = vi.spyOn(Object.getPrototypeOf(Uint32Array.prototype) as Uint32Array, 'fill');
    try {
      roomy.build(Float32Array.of(1, 1, 1.5, 1, 400, 400));
      const cleared = clear.mock.calls.map(([, begin = 0, end], call) => {
        const { length } = clear.mock.contexts[call] as Uint32Array;
        return (end ?? length) - begin;
      });
      expect(cleared.length).toBeGreaterThan(0);
      expect(cleared.reduce((sum, entries) => sum + entries, 0)).toBeLessThan(2000);
    } finally {
      clear.mockRestore();
    }
    expect(roomy.countPairs()).toBe(1);
  });
});
