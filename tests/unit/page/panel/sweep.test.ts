import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { expectedTime, growthOf } from '../../../../src/core/base/curves';
import type { BroadPhase } from '../../../../src/core/contact/settings';
import {
  type CountedRun,
  type Curves,
  crossoverOf,
  describeCurves,
  LEAST_GROWTH,
  pairsOf,
  rowsOf,
  runSweep,
  SIZES,
  type SizeTiming,
  STEP_LIMIT_MS,
  type SweepRequest,
  typicalTime,
} from '../../../../src/page/panel/sweep';
import { fc } from '../../../helpers/properties';

/** Returns a curve of factor · count^exponent milliseconds for counts from 100 to `most`. */
function curve(factor: number, exponent: number, most = 1e6): SizeTiming[] {
  return SIZES.filter((count) => count >= 100 && count <= most).map((count) => ({
    count,
    milliseconds: factor * count ** exponent,
    tests: 4 * count,
    memoryBytes: 60 * count,
  }));
}

const factors = fc.double({ min: 1e-6, max: 10, noNaN: true });

describe('the crossover of two curves', () => {
  it('is the count at which two power laws are equal', () => {
    fc.assert(
      fc.property(fc.double({ min: 110, max: 900_000, noNaN: true }), factors, (count, factor) => {
        const curves = { grid: curve(factor * count, 1), naive: curve(factor, 2) };
        const crossover = crossoverOf(curves);
        expect(crossover?.kind).toBe('at');
        if (crossover?.kind === 'at') expect(crossover.count / count).toBeCloseTo(1, 6);
      }),
    );
  });

  it('names the broad phase that is faster at all sizes, and is undefined without a common size', () => {
    expect(crossoverOf({ grid: curve(1, 1), naive: curve(1, 2) })).toEqual({
      kind: 'always',
      faster: 'grid',
    });
    expect(crossoverOf({ grid: curve(2, 2), naive: curve(1, 2) })).toEqual({
      kind: 'always',
      faster: 'naive',
    });
    expect(crossoverOf({ grid: curve(1, 1), naive: [] })).toBeUndefined();
  });
});

describe('the description of the curves', () => {
  const curves: Curves = { grid: curve(3e-3, 1, 100_000), naive: curve(1e-5, 2, 10_000) };

  it('names the growths, the crossover and the ratio at the largest common size', () => {
    expect(describeCurves(curves, 2)).toEqual([
      'Grid grows like N^1.00, from 10,000 to 100,000 particles.',
      'Naive grows like N^2.00, from 1,000 to 10,000 particles.',
      'Naive wins below about 300 particles, where building the grid costs more than it saves. With more, the grid is faster.',
      'At 10,000 naive takes 33 times as long: 1 s against 30.0 ms.',
      'With 100,000 particles the grid has 400,000 candidates, 4.0 per particle. Naive has 5B: 12,500 times as many.',
    ]);
    const counted = curves.grid.map((timing) => ({ ...timing, contacts: timing.count }));
    expect(describeCurves({ ...curves, grid: counted }, 2).at(-1)).toMatch(
      /4\.0 per particle; 25\.0% of them touch\. Naive/,
    );
    expect(describeCurves({ grid: [], naive: [] }, 2)).toEqual([]);
  });

  it.each([
    [0, 2, 'none of them touches', '34.9%'],
    [7, 2, 'only 7 of them touch', '34.9%'],
    [0, 3, 'none of them touches', '15.5%'],
  ] as const)(
    'with %d contacts in %dD names the share that would touch at random',
    (contacts, dimensions, few, share) => {
      const apart = curves.grid.map((timing) => ({ ...timing, contacts }));
      expect(describeCurves({ ...curves, grid: apart }, dimensions).at(-1)).toContain(
        `4.0 per particle; ${few}, because the particles here are still apart. At random, in cells of one diameter, ${share} would. Naive`,
      );
    },
  );

  it('has the work of the grid and the memory of both broad phases for each size', () => {
    const counted = curves.grid.map((timing) => ({ ...timing, contacts: timing.count }));
    const rows = rowsOf({ ...curves, grid: counted });
    expect(rows.find(({ count }) => count === 1000)?.work).toEqual({
      ...{ perParticle: 4, hitRatio: 0.25 },
      ...{ memoryBytes: 60_000, naiveMemoryBytes: 60_000 },
    });
    expect(rows.at(-1)?.work?.naiveMemoryBytes).toBeUndefined();
    expect(rowsOf({ grid: [], naive: curves.naive })[0]?.work).toBeUndefined();
  });

  it('estimates naive times that were not measured, and marks them as estimates', () => {
    const rows = rowsOf(curves);
    expect(rows.map(({ count }) => count)).toEqual([100, 300, 1000, 3000, 10_000, 30_000, 100_000]);
    const row = rows.find(({ count }) => count === 30_000);
    expect(row?.pairs).toBe(449_985_000);
    expect(row?.tests).toBe(120_000);
    expect(rowsOf({ grid: [], naive: curves.naive })[0]?.tests).toBeUndefined();
    expect(row?.times.grid).toEqual({ value: 90, isEstimate: false });
    expect(row?.times.naive?.isEstimate).toBe(true);
    expect(row?.times.naive?.value).toBeCloseTo(9000, 6);
    expect(row?.ratio?.isEstimate).toBe(true);
    expect(row?.ratio?.value).toBeCloseTo(100, 6);
    expect(rows[0]?.ratio?.isEstimate).toBe(false);
  });

  it('does not underestimate the time of the next size', () => {
    expect(expectedTime([], 100, LEAST_GROWTH.grid)).toBe(0);
    for (const exponent of [0.1, 1, 2]) {
      const before = curve(1, exponent, 3000);
      const truth = 10_000 ** exponent;
      expect(expectedTime(before, 10_000, LEAST_GROWTH.grid)).toBeGreaterThan(0.999 * truth);
      expect(expectedTime(before, 10_000, LEAST_GROWTH.naive)).toBeGreaterThan(0.999 * truth);
    }
  });
});

describe('a typical time', () => {
  it('is the median, so that one outlier has no effect', () => {
    expect(typicalTime([5, 4, 900, 6, 5])).toBe(5);
    expect(typicalTime([4, 6])).toBe(5);
  });

  it('is the mean if the clock is too coarse to distinguish samples', () => {
    expect(typicalTime([0, 0, 0.1, 0, 0.1])).toBeCloseTo(0.04, 12);
  });
});

interface Requested {
  readonly broadPhase: BroadPhase;
  readonly count: number;
}

function request(
  time: (requested: Requested) => number,
  changes: Partial<SweepRequest> = {},
): SweepRequest & {
  readonly requested: Requested[];
  readonly notes: string[];
  readonly last: () => Curves;
  readonly alive: () => number;
} {
  const requested: Requested[] = [];
  const notes: string[] = [];
  let curves: Curves = { grid: [], naive: [] };
  let alive = 0;
  return {
    requested,
    notes,
    last: () => curves,
    alive: () => alive,
    start: async (broadPhase, count): Promise<CountedRun> => {
      requested.push({ broadPhase, count });
      alive++;
      return {
        count,
        timeSteps: async () => ({ milliseconds: time({ broadPhase, count }), clock: 'gpu' }),
        countWork: async () => ({
          memoryBytes: count,
          ...(broadPhase === 'naive' ? { tests: pairsOf(count) } : { tests: 3 * count, contacts: count }),
        }),
        destroy: () => {
          alive--;
        },
      };
    },
    ended: new Promise<never>(() => undefined),
    // The sweep samples a size until some time has passed.
    breathe: async () => vi.advanceTimersByTime(100),
    onSize: () => undefined,
    onTiming: (all) => {
      curves = all;
    },
    onNote: (note) => notes.push(note),
    ...changes,
  };
}

describe('a sweep', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('times both broad phases alternately, and stops each before a size whose step would take too long', async () => {
    const sweep = request(({ broadPhase, count }) =>
      broadPhase === 'naive' ? 1e-4 * count ** 2 : 0.01 * count,
    );
    await runSweep(sweep);
    const counts = (of: BroadPhase) => sweep.last()[of].map(({ count }) => count);
    expect(counts('naive')).toEqual([2, 10, 30, 100, 300, 1000, 3000]);
    expect(counts('grid')).toEqual([2, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000]);
    expect(sweep.requested.slice(0, 3)).toEqual([
      { broadPhase: 'grid', count: 2 },
      { broadPhase: 'naive', count: 2 },
      { broadPhase: 'grid', count: 10 },
    ]);
    expect(sweep.last().naive.map(({ tests }) => tests)).toEqual([
      1, 45, 435, 4950, 44_850, 499_500, 4_498_500,
    ]);
    expect(sweep.last().grid.map(({ tests }) => tests)).toEqual(counts('grid').map((count) => 3 * count));
    expect(sweep.notes).toEqual([
      'Naive stops at 3,000 particles: a step of 10,000 would take about 10 s here.',
      'Grid stops at 100,000 particles: a step of 300,000 would take about 3 s here.',
    ]);
    expect(growthOf(sweep.last().naive)).toBeCloseTo(2, 9);
    expect(sweep.alive()).toBe(0);
  });

  it('reports a failure at one size and continues with the others', async () => {
    const sweep = request(() => 1);
    const { start } = sweep;
    await runSweep({
      ...sweep,
      start: async (broadPhase, count) => {
        if (broadPhase === 'grid' && (count === 300 || count >= 30_000)) throw new Error('no room');
        if (broadPhase === 'naive' && count > 100) throw new Error('never');
        return start(broadPhase, count);
      },
    });
    expect(sweep.last().grid.map(({ count }) => count)).toEqual([2, 10, 30, 100, 1000, 3000, 10_000]);
    expect(sweep.notes).toEqual([
      'Grid at 300: Something went wrong: no room.',
      'Naive at 300: Something went wrong: never.',
      'Naive at 1,000: Something went wrong: never.',
      'Grid at 30,000: Something went wrong: no room.',
      'Grid at 100,000: Something went wrong: no room.',
    ]);
    expect(sweep.alive()).toBe(0);
  });

  it('leaves out and reports steps without times; a size without any timed step fails', async () => {
    const sweep = request(() => 4);
    const { start } = sweep;
    let steps = 0;
    await runSweep({
      ...sweep,
      start: async (broadPhase, count) => {
        const run = await start(broadPhase, count);
        const isMissing = () => (broadPhase === 'grid' ? count === 300 && steps++ % 2 === 1 : count === 1000);
        return {
          ...run,
          timeSteps: async (batch) =>
            isMissing() ? { milliseconds: 1, clock: 'gpu', discarded: 1 } : run.timeSteps(batch),
        };
      },
    });
    expect(sweep.last().grid.map(({ milliseconds }) => milliseconds)).toEqual(SIZES.map(() => 4));
    expect(sweep.last().naive.map(({ count }) => count)).toEqual(SIZES.filter((count) => count !== 1000));
    expect(sweep.notes).toEqual([
      expect.stringMatching(
        /^Grid at 300: \d timed steps? left out, because the clock of the GPU ran backwards\.$/,
      ),
      'Naive at 1,000: The clock of the GPU ran backwards in every step that was timed.',
    ]);
  });

  it('records the actual number of particles if the scene rounds it', async () => {
    const sweep = request(() => 1);
    const { start } = sweep;
    await runSweep({
      ...sweep,
      start: async (broadPhase, count) => {
        const run = await start(broadPhase, count);
        return { ...run, count: Math.max(256, 64 * Math.floor(count / 64)) };
      },
    });
    expect(
      sweep
        .last()
        .grid.slice(0, 3)
        .map(({ count }) => count),
    ).toEqual([256, 960, 2944]);
  });

  it('rejects when `ended` rejects, and destroys all runs', async () => {
    let lose: (error: Error) => void = () => undefined;
    const ended = new Promise<never>((_, reject) => {
      lose = reject;
    });
    const sweep = request(() => 1, { ended });
    const { start } = sweep;
    const running = runSweep({
      ...sweep,
      start: async (broadPhase, count) => {
        const run = await start(broadPhase, count);
        if (count !== 300) return run;
        lose(new Error('lost'));
        return { ...run, timeSteps: () => new Promise(() => undefined) };
      },
    });
    await expect(running).rejects.toThrow('lost');
    expect(sweep.last().grid.map(({ count }) => count)).toEqual([2, 10, 30, 100]);
    expect(sweep.notes).toEqual([]);
    await new Promise((done) => setTimeout(done, 10));
    expect(sweep.alive()).toBe(0);
  });

  it('times a step only once if it is far too long', async () => {
    let steps = 0;
    const sweep = request(() => {
      steps++;
      return 2 * STEP_LIMIT_MS;
    });
    await runSweep(sweep);
    expect(steps).toBe(2);
    expect(sweep.last().grid).toEqual([
      { count: 2, milliseconds: 2 * STEP_LIMIT_MS, tests: 6, contacts: 2, memoryBytes: 2 },
    ]);
  });
});
