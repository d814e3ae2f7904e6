import { describe, expect, it, vi } from 'vitest';
import { CPU_GRID } from '../../../../bench/engines/cpu/grid';
import type { Batches, Open, Sample } from '../../../../bench/harness/open';
import { type Taken, takeTurns, turnOrder } from '../../../../bench/harness/turns';

describe('turns', () => {
  /**
   * Opens an engine that takes ten milliseconds. Its clock advances in steps of `step` milliseconds. If `hasTime`
   * returns false, a turn gives no sample.
   */
  function openFake(step: number, hasTime: (turn: number) => boolean = () => true) {
    const requested: Batches[] = [];
    const read = (milliseconds: number) => Math.floor(milliseconds / step) * step;
    const run: Open = {
      engine: CPU_GRID,
      source: 'timestamps',
      copyBytesPerMs: 1,
      memoryBytes: () => undefined,
      stepMs: () => step,
      place: async () => {},
      roll: async () => {},
      find: async () => ({ pairs: 0, checksum: 0 }),
      time: async (batches): Promise<Sample | undefined> => {
        requested.push(batches);
        if (!hasTime(requested.length)) return undefined;
        const one = (part: keyof Sample, takes: number) => read(takes * batches[part]) / batches[part];
        return { build: one('build', 3), query: one('query', 7), total: one('total', 10) };
      },
      close: async () => {},
    };
    return { run, requested };
  }

  async function take(run: Open, repeat = 5): Promise<Taken> {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const plan = {
        repeat,
        limit: 1000,
        announce: async () => void vi.advanceTimersByTime(1),
      };
      return (await takeTurns([run], plan)).get(run) as Taken;
    } finally {
      vi.useRealTimers();
    }
  }

  it.each([0.1, 3])(
    'make samples so long that a clock step of %d ms is at most about a hundredth of each part',
    async (step) => {
      const { run, requested } = openFake(step);
      const { samples, batch } = await take(run);
      expect(samples).toHaveLength(5);
      for (const batches of requested.slice(-5)) {
        expect(step / (10 * batches.total)).toBeLessThanOrEqual(0.01);
        expect(step / (7 * batches.query)).toBeLessThanOrEqual(0.0101);
        expect(step / (3 * batches.build)).toBeLessThanOrEqual(0.0101);
        expect(batches.total).toBe(batch);
      }
      for (const { total, build } of samples) {
        expect(total).toBeCloseTo(10, 0);
        expect(build).toBeCloseTo(3, 1);
      }
    },
  );

  it('discard samples in which the clock ran backwards, and count them', async () => {
    let turns = 0;
    const some = await take(openFake(0.1, () => ++turns % 2 === 0).run, 6);
    expect(some.samples.length + some.discarded).toBe(6);
    expect(some.discarded).toBe(3);
    const none = await take(openFake(0.1, () => false).run, 6);
    expect(none).toMatchObject({ samples: [], discarded: 6 });
  });

  it('begin with another engine in each round, and alternate between forwards and backwards', () => {
    const rounds = Array.from({ length: 6 }, (_, round) => turnOrder('abc'.split(''), round).join(''));
    expect(rounds).toEqual(['abc', 'cba', 'bca', 'acb', 'cab', 'bac']);
    expect(turnOrder([], 3)).toEqual([]);
  });
});
