import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LimitError } from '../../../../src/core/base/errors';
import { createCpuSimulation } from '../../../../src/cpu';
import { densityOf, suggestFor } from '../../../../src/page/panel/cell-suggestion';
import {
  type CellSweepRequest,
  type CellTiming,
  describeTimings,
  runCellSweep,
  sizesFor,
} from '../../../../src/page/panel/cell-sweep';
import type { Run } from '../../../../src/page/view/engine';
import { createScene, Random, sceneOptions } from '../../../../src/scenes';

function timing(size: number, ...rounds: number[]): CellTiming {
  return {
    ...{ size, cells: 0, occupied: 0, fullest: 0, candidates: 0 },
    ...{ milliseconds: Math.min(...rounds), rounds },
  };
}

/** Sweeps runs whose steps take `costOf(size, start)` milliseconds. `start` counts the runs from 1. */
async function sweep(
  costOf: (size: number, start: number) => number,
  changes: Partial<CellSweepRequest> = {},
) {
  const shown: (readonly CellTiming[])[] = [];
  const notes: string[] = [];
  const started: number[] = [];
  await runCellSweep({
    sizes: [1, 2, 4, 8],
    dimensions: 2,
    start: async (size) => {
      started.push(size);
      const milliseconds = costOf(size, started.length);
      return {
        count: 100,
        measures: { size, cells: 1, occupied: 1, fullest: 1, candidates: 1 },
        timeSteps: async () => ({ milliseconds, clock: 'gpu' as const }),
        destroy: () => undefined,
      };
    },
    ended: new Promise<never>(() => undefined),
    // The sweep samples a size until some time has passed.
    breathe: async () => vi.advanceTimersByTime(100),
    onSize: () => undefined,
    onTiming: (timings) => shown.push(timings),
    onNote: (note) => notes.push(note),
    ...changes,
  });
  return { timings: shown.at(-1) ?? [], notes, started };
}

describe('the sizes of a sweep', () => {
  it('go from a quarter to eight times the suggestion, but not below one diameter', () => {
    expect(sizesFor(1, 1, false)).toEqual([1, 1.41, 2, 2.83, 4, 8]);
    expect(sizesFor(8, 8, false)).toEqual([2, 4, 5.68, 8, 11.3, 16, 22.6, 32, 64]);
    expect(sizesFor(2, 5, false)).toEqual([1, 1.42, 2, 2.82, 4, 5, 5.66, 8, 16]);
  });

  it('contain the chosen size, even if it is below this range', () => {
    expect(sizesFor(8, 1.5, false)[0]).toBe(1.5);
  });

  it('are powers of two in worlds that round cell sizes', () => {
    expect(sizesFor(1, 4, true)).toEqual([1, 2, 4, 8]);
    expect(sizesFor(2, 2, true)).toEqual([1, 2, 4, 8, 16]);
  });
});

describe('a sweep over cell sizes', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('times the first size once, and then all sizes in ascending order in three rounds', async () => {
    const { timings, started, notes } = await sweep((size) => 3 * size);
    expect(started).toEqual([1, 1, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8]);
    expect(timings.map(({ rounds }) => rounds.length)).toEqual([4, 3, 3, 3]);
    expect(timings.map(({ size, milliseconds }) => [size, milliseconds])).toEqual([
      ...[
        [1, 3],
        [2, 6],
        [4, 12],
        [8, 24],
      ],
    ]);
    expect(notes).toEqual([]);
  });

  it('takes the least time of the rounds, so that a disturbed round has no effect', async () => {
    // Other work doubles the times of the second to fourth run.
    const { timings } = await sweep((size, start) => (start >= 2 && start <= 4 ? 2 : 1) * size);
    expect(timings.map(({ milliseconds }) => milliseconds)).toEqual([1, 2, 4, 8]);
    expect(timings[1]?.rounds).toEqual([4, 2, 2]);
  });

  it('stops before a step that could take longer than two seconds', async () => {
    const { timings, notes } = await sweep((size) => 120 * size ** 2);
    expect(timings.map(({ size }) => size)).toEqual([1, 2, 4]);
    expect(timings.map(({ rounds }) => rounds.length)).toEqual([4, 3, 3]);
    expect(notes).toEqual(['The sweep stops before 8 diameters: a step could take 7.68 s.']);
  });

  it('continues after narrow cells that the device cannot hold', async () => {
    const { timings, notes } = await sweep((size) => {
      if (size < 3) throw new LimitError('maxBufferSize', 'There are too many cells.');
      return 1;
    });
    expect(timings.map(({ size }) => size)).toEqual([4, 8]);
    expect(notes).toContain('2 diameters: There are too many cells.');
  });

  it('ends with the error of the engine', async () => {
    const breathe = () => new Promise((done) => setTimeout(done));
    const ended = Promise.reject(new Error('lost'));
    await expect(sweep(() => 1, { ended, breathe })).rejects.toThrow('lost');
  });

  it('names the fastest size, and compares it with the suggestion and with the chosen size', () => {
    const timings = [timing(1, 6), timing(1.41, 5), timing(2, 4), timing(4, 12)];
    expect(describeTimings(timings, 1.415, 4)).toEqual([
      'The fastest size here is 2: 4.00 ms per step.',
      'The suggestion, 1.41, takes 1.3 times as long.',
      'Your size, 4, takes 3.0 times as long.',
    ]);
    expect(describeTimings(timings, 2, 2)).toEqual([
      'The fastest size here is 2 (the suggestion): 4.00 ms per step.',
    ]);
    expect(describeTimings([], 1, 1)).toEqual([]);
  });

  it('names all sizes that are equally fast within the noise', () => {
    // The median round of size 4 took 5 ms, so sizes that take at most 5 ms count as equally fast.
    const timings = [timing(1, 4.9, 4.9, 6), timing(2, 5.1, 5.2, 5.3), timing(4, 4, 5, 7)];
    expect(describeTimings(timings, 1, 2)).toEqual([
      'The fastest sizes here are 4 and 1 (the suggestion): 4.00 ms per step. The difference between them is within the noise.',
      'Your size, 2, takes 1.3 times as long.',
    ]);
    // Differences of less than 5% count as none, even if all rounds of a size are equal.
    expect(describeTimings([timing(1, 4.1, 4.1), timing(2, 4, 4), timing(4, 4.3, 4.3)], 1, 1)).toEqual([
      'The fastest sizes here are 2 and 1 (the suggestion): 4.00 ms per step. The difference between them is within the noise.',
    ]);
  });
});

describe('the suggestion for a run', () => {
  const random = new Random(5);
  const between = (low: number, high: number) => low + ((high - low) * random.nextBits()) / 2 ** 32;

  it('measures the density where most particles are', () => {
    const spread = Float32Array.from({ length: 20_000 }, (_, index) =>
      between(0, index % 2 === 0 ? 50 : 100),
    );
    expect(densityOf(spread, 2)).toBeCloseTo(2, 0.5);
    // One particle in fifty is far away.
    const stray = spread.map((at, index) => (index % 100 < 2 ? at + between(0, 1e6) : at));
    expect(densityOf(stray, 2)).toBeCloseTo(2, 0.5);
    const space = Float32Array.from({ length: 30_000 }, () => between(0, 10));
    expect(densityOf(space, 3)).toBeCloseTo(10, -1);
    expect(densityOf(new Float32Array(20), 2)).toBeUndefined();
    expect(densityOf(new Float32Array(0), 2)).toBeUndefined();
    expect(densityOf(Float32Array.of(Number.NaN, 1, 2, 3), 2)).toBeUndefined();
  });

  const suggested = async (scene: string, changes: object = {}) => {
    const made = createScene(scene, { dimensions: 2, count: 1000 });
    const simulation = createCpuSimulation(sceneOptions(made, changes));
    return suggestFor({ simulation } as unknown as Run);
  };

  it('is one diameter on the CPU, a power of two in an unbounded world, and absent if radii vary', async () => {
    expect((await suggested('pile'))?.cellSize).toBe(1);
    expect((await suggested('gas'))?.cellSize).toBe(1);
    expect((await suggested('gas'))?.widest).toBe(Number.POSITIVE_INFINITY);
    expect((await suggested('far-apart'))?.cellSize).toBe(1);
    expect(await suggested('mixed')).toBeUndefined();
  });

  it('leaves room for three cells along each periodic axis', async () => {
    const simulation = {
      ...{ radius: 0.5, backend: 'gpu', dimensions: 2 },
      world: { kind: 'periodic', period: [12, 0] },
      read: () => ({ positions: Float32Array.from({ length: 40 }, () => between(0, 1000)) }),
    };
    const suggestion = await suggestFor({ simulation } as unknown as Run);
    expect(suggestion?.cellSize).toBeCloseTo(12 / 3.01, 6);
    expect(suggestion?.widest).toBe(4);
    expect(suggestion?.reason).toBe('Three cells must fit along each periodic axis.');
  });
});
