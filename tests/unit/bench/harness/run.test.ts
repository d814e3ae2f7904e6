import { afterEach, describe, expect, it, vi } from 'vitest';
import { CPU_GRID } from '../../../../bench/engines/cpu/grid';
import { CPU_NAIVE } from '../../../../bench/engines/cpu/naive';
import { AbsentError, type CpuEngine, type CpuRunner } from '../../../../bench/harness/engine';
import { PairSink } from '../../../../bench/harness/pair-sink';
import { hitRatio, type Outcome, testsPerBody } from '../../../../bench/harness/record';
import { type BenchHost, type BenchPlan, BenchStopped, runBench } from '../../../../bench/harness/run';
import { createBenchScene } from '../../../../bench/harness/scenes';
import { GpuError, LimitError } from '../../../../src/core/base/errors';
import type { PairList } from '../../../../src/core/simulation/simulation';
import { withLittleMemory } from '../../../helpers/little-memory';

const PLAN: BenchPlan = {
  engines: [CPU_NAIVE, CPU_GRID],
  scenes: ['uniform'],
  dimensions: [2],
  counts: [300],
  seed: 1,
  repeat: 3,
  limit: 2000,
};

function spoilt(
  name: string,
  spoil: (found: PairList, runner: CpuRunner, query: number) => PairList,
): CpuEngine {
  return {
    ...CPU_GRID,
    name,
    open: async (scene) => {
      const runner = await CPU_GRID.open(scene);
      let query = 0;
      return {
        place: (positions) => runner.place(positions),
        build: () => runner.build(),
        query: () => spoil(runner.query(), runner, query++),
      };
    },
  };
}

function listOf(words: readonly number[]): PairList {
  return { count: words.length / 2, pairs: Uint32Array.from(words) };
}

const wordsOf = ({ count, pairs }: PairList) => [...pairs.slice(0, 2 * count)];

/** The run copies only a little memory, because no test checks the bandwidth. */
const HOST: BenchHost = { copyBytes: 2 ** 20 };

async function outcomesOf(changes: Partial<BenchPlan>, host?: BenchHost): Promise<readonly Outcome[]> {
  return (await runBench({ ...PLAN, ...changes }, { ...HOST, ...host })).outcomes;
}

describe('a run of the benchmark', () => {
  afterEach(() => void vi.useRealTimers());

  it('times engines that find the right pairs', async () => {
    const outcomes = await outcomesOf({});
    expect(outcomes.map(({ engine, status }) => [engine, status])).toEqual([
      ['cpu-naive', 'timed'],
      ['cpu-grid', 'timed'],
    ]);
    for (const { total, build, query, bytesEquivalent, found, expected } of outcomes) {
      expect(total?.samples).toBe(PLAN.repeat);
      expect(total?.median).toBeGreaterThan(0);
      expect(query?.least).toBeLessThanOrEqual(total?.most ?? 0);
      expect(build?.least).toBeGreaterThanOrEqual(0);
      expect(bytesEquivalent).toBeGreaterThan(0);
      expect(found).toEqual(expected);
      expect(found?.pairs).toBeGreaterThan(100);
    }
  });

  it('counts the work of each engine after it is timed, with the pairs of the counted frame', async () => {
    const calls: string[] = [];
    const spied: CpuEngine = {
      ...CPU_GRID,
      name: 'spied',
      open: async (scene) => {
        const runner = await CPU_GRID.open(scene);
        return {
          place: (positions) => runner.place(positions),
          build: () => runner.build(),
          query: () => {
            calls.push('query');
            return runner.query();
          },
          countWork: (positions) => {
            calls.push('work');
            return runner.countWork?.(positions) ?? { tests: 0, counted: 'loop' };
          },
        };
      },
    };
    const untold = spoilt('untold', (found) => found);
    for (const scene of ['uniform', 'steady']) {
      calls.length = 0;
      const outcomes = await outcomesOf({ engines: [CPU_NAIVE, spied, untold], scenes: [scene] });
      const [naive, grid, none] = outcomes;
      expect(naive?.work).toMatchObject({ candidates: 44_850, tests: 44_850, counted: 'formula' });
      expect(testsPerBody(naive as Outcome)).toBe(149.5);
      expect(calls.at(-1)).toBe('work');
      expect(calls.filter((call) => call === 'work')).toHaveLength(1);
      expect(grid?.work?.tests).toBeLessThan(1000);
      expect(grid?.work?.pairs).toBe(naive?.work?.pairs);
      expect(hitRatio(naive as Outcome)).toBe((naive?.work?.pairs ?? 0) / 44_850);
      // In a moving scene, the work is counted in the second frame, which has other pairs.
      expect(naive?.work?.pairs === naive?.found?.pairs).toBe(scene === 'uniform');
      expect(none).toMatchObject({ status: 'timed' });
      expect(none?.work).toBeUndefined();
    }
  });

  it('leaves out the work if memory is too small for counting it, and reports other errors', async () => {
    const failing = (error: Error): CpuEngine => ({
      ...CPU_GRID,
      name: 'failing',
      open: async (scene) => ({
        ...(await CPU_GRID.open(scene)),
        countWork: () => {
          throw error;
        },
      }),
    });
    const [short] = await outcomesOf({
      engines: [failing(new RangeError('Array buffer allocation failed'))],
    });
    expect(short).toMatchObject({ status: 'timed', work: undefined });
    const [failed] = await outcomesOf({ engines: [failing(new Error('The roof fell in.'))] });
    expect(failed).toMatchObject({ status: 'failed', reason: 'The roof fell in.' });
  });

  it.each<[string, RegExp, CpuEngine]>([
    [
      'drops one pair',
      /^It found .* 1 too few\.$/,
      spoilt('drops', (found) => listOf(wordsOf(found).slice(2))),
    ],
    [
      'reports one pair twice',
      /^It found .* 1 too many\.$/,
      spoilt('doubles', (found) => listOf([...wordsOf(found), ...wordsOf(found).slice(0, 2)])),
    ],
    [
      'reports one pair twice instead of another',
      /^It found .* but other pairs\.$/,
      spoilt('replaces', (found) => listOf([...wordsOf(found).slice(2), ...wordsOf(found).slice(2, 4)])),
    ],
  ])('catches an engine that %s, before it is timed', async (_, reason, engine) => {
    const [outcome] = await outcomesOf({ engines: [engine] });
    expect(outcome).toMatchObject({ status: 'wrong', engine: engine.name });
    expect(outcome?.reason).toMatch(reason);
    expect(outcome?.total).toBeUndefined();
  });

  it('catches an engine that repeats an earlier answer', async () => {
    let kept: PairList | undefined;
    const stale = spoilt('stale', (found) => {
      kept ??= listOf(wordsOf(found));
      return kept;
    });
    for (const scene of ['uniform', 'moving']) {
      kept = undefined;
      const [outcome] = await outcomesOf({ engines: [stale], scenes: [scene] });
      expect(outcome).toMatchObject({ status: 'wrong' });
      expect(outcome?.reason).toMatch(/^After timing/);
      expect(outcome?.total).toBeUndefined();
    }
  });

  it('catches an engine that goes wrong while it is timed', async () => {
    const tiring = spoilt('tires', (found, _runner, query) => (query < 3 ? found : listOf([])));
    const [outcome] = await outcomesOf({ engines: [tiring] });
    expect(outcome).toMatchObject({ status: 'wrong' });
  });

  it('reports why an engine failed, and times the others', async () => {
    const fails = spoilt('fails', (found, _runner, query) => {
      if (query === 2) throw new Error('The roof fell in.');
      return found;
    });
    const outcomes = await outcomesOf({ engines: [fails, CPU_GRID] });
    expect(outcomes.map(({ engine, status, reason }) => [engine, status, reason])).toEqual([
      ['fails', 'failed', 'The roof fell in.'],
      ['cpu-grid', 'timed', undefined],
    ]);
  });

  it('rejects missing engines, and continues after a case that cannot run', async () => {
    const absent: CpuEngine = {
      ...CPU_GRID,
      name: 'absent',
      open: () => Promise.reject(new AbsentError('The package absent is not installed.')),
    };
    const breaking: CpuEngine = {
      ...CPU_GRID,
      name: 'breaking',
      refuse: ({ count }) => {
        if (count === 300) throw new Error('The lights went out.');
        if (count === 500) throw new RangeError('Array buffer allocation failed');
        return undefined;
      },
    };
    const outcomes = await outcomesOf({ engines: [absent, CPU_NAIVE], counts: [300, 300] });
    expect(outcomes.map(({ engine, status }) => [engine, status])).toEqual([
      ['absent', 'refused'],
      ['cpu-naive', 'timed'],
    ]);
    const broken = await outcomesOf({ engines: [breaking, CPU_NAIVE], counts: [300, 400, 500] });
    expect(broken.map(({ count, engine, status }) => [count, engine, status])).toEqual([
      [300, 'breaking', 'failed'],
      [300, 'cpu-naive', 'failed'],
      [400, 'breaking', 'timed'],
      [400, 'cpu-naive', 'timed'],
      [500, 'breaking', 'refused'],
      [500, 'cpu-naive', 'refused'],
    ]);
    expect(broken.at(-1)?.reason).toBe(
      'There is too little memory for so many bodies (Array buffer allocation failed).',
    );
  });

  it('rejects scenes that an engine does not accept, GPU engines without a GPU, and too many pairs', async () => {
    const picky = { ...CPU_GRID, name: 'picky', refuse: () => 'It is too cold.' };
    const gpu = { ...CPU_GRID, name: 'gpu', backend: 'gpu' as const, open: () => Promise.reject() };
    const outcomes = await outcomesOf({ engines: [picky, gpu] });
    expect(outcomes.map(({ status, reason }) => [status, reason])).toEqual([
      ['refused', 'It is too cold.'],
      ['refused', 'There is no GPU.'],
    ]);
    const [many] = await outcomesOf({ scenes: ['one-cell'], counts: [5000], engines: [CPU_GRID] });
    expect(many).toMatchObject({ status: 'refused', reason: expect.stringMatching(/at most 4096 bodies/) });
  });

  it('reports an engine as refused, not as failed, if the device has too little memory or too low a limit', async () => {
    const errors = [
      new LimitError('maxBufferSize', 'It is too long for this device.'),
      new GpuError('memory', 'The device has too little memory.'),
      new GpuError('shader', 'The kernel is nonsense.'),
    ];
    const engines = errors.map((error) => ({
      ...CPU_GRID,
      name: error.message,
      open: () => Promise.reject(error),
    }));
    const outcomes = await outcomesOf({ engines });
    expect(outcomes.map(({ status, reason }) => [status, reason])).toEqual([
      ['refused', errors[0]?.message],
      ['refused', errors[1]?.message],
      ['failed', errors[2]?.message],
    ]);
  });

  it('reports an engine with more pairs than a list holds as refused, not as failed', async () => {
    const tooLong = new RangeError('Invalid typed array length: 8589934592');
    const listing = (name: string, query: () => PairList): CpuEngine => ({
      ...CPU_GRID,
      name,
      open: async (scene) => ({ ...(await CPU_GRID.open(scene)), query }),
    });
    const sink = new PairSink();
    const outcomes = await outcomesOf({
      engines: [
        listing('list', () => {
          withLittleMemory(2 ** 14, () => {
            for (let body = 0; ; body++) sink.add(body, body + 1);
          });
          return sink;
        }),
        listing('array', () => {
          throw tooLong;
        }),
      ],
    });
    expect(outcomes.map(({ status, reason }) => [status, reason])).toEqual([
      ['refused', expect.stringMatching(/^8192 pairs were found so far, .*: choose fewer bodies\.$/)],
      ['refused', tooLong.message],
    ]);
  });

  it('first tries a few smaller counts, the pilots, if a count is large', async () => {
    const opened: number[] = [];
    const engine: CpuEngine = {
      ...CPU_GRID,
      open: ({ count }) => {
        opened.push(count);
        return {
          place: () => undefined,
          build: () => undefined,
          query: () => {
            const until = performance.now() + Math.max(0, count - 8192) / 1000;
            while (performance.now() < until);
            return listOf([]);
          },
        };
      },
    };
    const [outcome] = await outcomesOf({ engines: [engine], counts: [300_000], limit: 1000 });
    expect(outcome).toMatchObject({ status: 'skipped' });
    expect(opened).toEqual([1024, 4096, 32_768]);
  });

  it('runs pilots before a count that is much larger than earlier ones, and ignores very small counts', {
    tags: 'full',
  }, async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const engine = spoilt('steep', (found) => {
      vi.advanceTimersByTime(10 + Math.max(0, found.count - 4000));
      return found;
    });
    const counts = [0, 1, 2, 100, 1000, 300_000];
    const outcomes = await outcomesOf({ engines: [engine], counts, limit: 1000, repeat: 3 });
    expect(outcomes.map(({ count, status }) => [count, status])).toEqual([
      ...counts.slice(0, -1).map((count) => [count, 'timed']),
      [300_000, 'skipped'],
    ]);
    vi.useRealTimers();
    const few = await outcomesOf({ counts: [0, 1, 2, 500] });
    expect(few.map(({ status }) => status)).toEqual(few.map(() => 'timed'));
  });

  it('stops an engine that exceeds its limit, and skips it at larger counts', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    let queries = 0;
    const slow = spoilt('slow', (found) => {
      queries++;
      vi.advanceTimersByTime(5000);
      return found;
    });
    const quick = spoilt('quick', (found) => {
      vi.advanceTimersByTime(100);
      return found;
    });
    const outcomes = await outcomesOf({ engines: [slow, quick], counts: [300, 400] });
    expect(outcomes.map(({ engine, count, status }) => [engine, count, status])).toEqual([
      ['slow', 300, 'stopped'],
      ['quick', 300, 'timed'],
      ['slow', 400, 'skipped'],
      ['quick', 400, 'timed'],
    ]);
    expect(outcomes[0]?.reason).toBe('One build and query took 5000 ms; the limit is 2000 ms.');
    expect(outcomes[0]?.total).toBeUndefined();
    // The engine answered one query for the check, and one in its only turn.
    expect(queries).toBe(2);
  });

  it('times an engine alone if it does not fit into memory with the others', { tags: 'full' }, async () => {
    let isOpen = 0;
    const counted = (name: string, error: Error | undefined, mayOpen: () => boolean): CpuEngine => ({
      ...CPU_GRID,
      name,
      open: async (scene) => {
        if (!mayOpen()) throw error;
        isOpen++;
        return { ...(await CPU_GRID.open(scene)), destroy: () => void isOpen-- };
      },
    });
    const full = new GpuError('memory', 'There is no room.');
    const engines = [
      counted('first', undefined, () => true),
      counted('large', full, () => isOpen === 0),
      counted('giant', full, () => false),
      counted('long', new RangeError('Array buffer allocation failed'), () => isOpen === 0),
    ];
    const outcomes = await outcomesOf({ engines });
    expect(outcomes.map(({ engine, status, apart }) => [engine, status, apart])).toEqual([
      ['first', 'timed', undefined],
      ['large', 'timed', true],
      ['giant', 'refused', undefined],
      ['long', 'timed', true],
    ]);
    expect(isOpen).toBe(0);
  });

  it('uses several consecutive frames of a moving scene in one sample', async () => {
    const seen: number[] = [];
    const scene = createBenchScene('moving', { dimensions: 2, count: 300 });
    const frameOf = new Map<number, number>();
    for (let frame = 0; frame < 30; frame++) frameOf.set(scene.frame(frame)[0] as number, frame);
    const watching: CpuEngine = {
      ...CPU_GRID,
      open: async (of) => {
        const runner = await CPU_GRID.open(of);
        return {
          ...runner,
          place(positions) {
            seen.push(frameOf.get(positions[0] as number) ?? -1);
            runner.place(positions);
          },
        };
      },
    };
    const [outcome] = await outcomesOf({ engines: [watching], scenes: ['moving'] });
    expect(outcome).toMatchObject({ status: 'timed' });
    expect(outcome?.batch).toBeGreaterThan(1);
    const [first, ...rolled] = seen;
    // The check after timing uses a frame that no timed build saw. Then the work is counted in the second frame.
    expect(rolled.splice(-3)).toEqual([16, 0, 1]);
    expect(first).toBe(0);
    expect(new Set(rolled)).toEqual(new Set(Array.from({ length: 16 }, (_, frame) => frame)));
    const jumps = rolled.slice(1).map((frame, index) => Math.abs(frame - (rolled[index] as number)));
    expect(new Set(jumps)).toEqual(new Set([1]));
  });

  it('reports after each case, and returns the results of a stopped run', { tags: 'full' }, async () => {
    const reported: number[] = [];
    const result = await runBench(
      { ...PLAN, counts: [100, 200] },
      { ...HOST, onCase: async ({ outcomes }) => void reported.push(outcomes.length) },
    );
    expect(reported).toEqual([2, 4]);
    expect(result.measured.copyBytes).toBe(2 ** 20);
    const stopped = await outcomesOf(
      { counts: [100, 200] },
      {
        breathe: async () => {
          if (reported.length > 2) throw new BenchStopped();
        },
        onCase: async () => void reported.push(0),
      },
    );
    expect(stopped.map(({ count }) => count)).toEqual([100, 100]);
  });

  it('skips engines that would take too long according to smaller sizes or pilots', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const takes = (name: string, milliseconds: number) =>
      spoilt(name, (found) => {
        vi.advanceTimersByTime(milliseconds * found.count);
        return found;
      });
    const [slow, quick] = [takes('slow', 0.05), takes('quick', 0.001)];
    for (const counts of [[100_000], [5000, 100_000]]) {
      const outcomes = await outcomesOf({ engines: [slow, quick], counts, limit: 1000, repeat: 1 });
      const at = (engine: string) =>
        outcomes.find((outcome) => outcome.engine === engine && outcome.count === 100_000);
      expect(at('slow')).toMatchObject({ status: 'skipped', reason: expect.stringMatching(/limit is 1000/) });
      expect(at('quick')).toMatchObject({ status: 'timed' });
    }
  });
});
