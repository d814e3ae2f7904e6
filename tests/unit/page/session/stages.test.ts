import { describe, expect, it } from 'vitest';
import { MOST_STAGE_SAMPLES, StageHistory, WHOLE_STEP } from '../../../../src/page/session/stages';

describe('the stages of the last steps', () => {
  const stepTime = (stages?: Record<string, number>, clock: 'gpu' | 'page' = 'gpu') => ({
    milliseconds: 7,
    clock,
    ...(stages && { stages }),
  });

  it('are stacked in execution order, the first on top', () => {
    const history = new StageHistory();
    expect(history.add(stepTime({ scan: 1, resolve: 4 }), 0)).toBe(true);
    expect(history.add(stepTime({ scan: 2, partner: 3, resolve: 5 }), 1000)).toBe(true);
    expect(history.names).toEqual(['scan', 'partner', 'resolve']);
    expect(history.stacked()).toEqual([
      [-1, 0],
      [5, 10],
      [4, 8],
      [4, 5],
    ]);
    expect(history.latest).toEqual({ scan: 2, partner: 3, resolve: 5 });
  });

  it('give at most one sample per step and two per second; the last sixty samples are kept', () => {
    const history = new StageHistory();
    const same = stepTime({ scan: 1 });
    expect(history.add(undefined, 0)).toBe(false);
    expect(history.add(same, 0)).toBe(true);
    expect(history.add(same, 1000)).toBe(false);
    expect(history.add(stepTime({ scan: 2 }), 100)).toBe(false);
    for (let step = 1; step <= 100; step++) history.add(stepTime({ scan: step }), 1000 * step);
    expect(history.length).toBe(MOST_STAGE_SAMPLES);
    expect(history.stacked()[1]?.at(-1)).toBe(100);
    expect(history.stacked()[0]?.[0]).toBe(1 - MOST_STAGE_SAMPLES);
  });

  it('leave out steps with missing times, and report how many', () => {
    const history = new StageHistory();
    const missing = () => ({ ...stepTime({ scan: 0, resolve: 4 }), discarded: 1 });
    expect(history.add(missing(), 0)).toBe(true);
    expect([history.length, history.note]).toEqual([0, '; 1 step left out, because the clock ran backwards']);
    history.add(stepTime({ scan: 1, resolve: 4 }), 1000);
    const again = missing();
    expect(history.add(again, 2000)).toBe(true);
    expect(history.add(again, 3000)).toBe(false);
    expect(history.latest).toEqual({ scan: 1, resolve: 4 });
    expect([history.length, history.note]).toEqual([
      1,
      '; 2 steps left out, because the clock ran backwards',
    ]);
    history.clear();
    expect(history.note).toBe('');
    history.add(stepTime({ scan: 1 }), 4000);
    expect(history.note).toBe('');
  });

  it('report the dispatches of the last step, if they were counted', () => {
    const history = new StageHistory();
    history.add({ ...stepTime({ scan: 1 }), dispatches: 1056 }, 0);
    expect(history.note).toBe('; 1,056 dispatches per step');
    history.add({ ...stepTime({ scan: 1 }), dispatches: 56, discarded: 1 }, 1000);
    expect(history.note).toBe('; 56 dispatches per step; 1 step left out, because the clock ran backwards');
  });

  it('forget stages that no longer run, and all samples if the clock or all stages change', () => {
    const history = new StageHistory();
    history.add(stepTime({ partner: 1, resolve: 1 }), 0);
    for (let step = 1; step <= MOST_STAGE_SAMPLES; step++) history.add(stepTime({ resolve: 1 }), 1000 * step);
    expect(history.names).toEqual(['resolve']);
    history.add(stepTime(undefined, 'page'), 1e6);
    expect(history.names).toEqual([WHOLE_STEP]);
    history.add(stepTime({ transfer: 1 }, 'page'), 2e6);
    expect(history.names).toEqual(['transfer']);
    history.add(stepTime(undefined, 'page'), 3e6);
    expect(history.names).toEqual([WHOLE_STEP]);
    // A single sample is drawn twice, so that it has a width.
    expect(history.stacked()).toEqual([
      [-1, 0],
      [7, 7],
    ]);
    history.clear();
    expect(history.length).toBe(0);
  });
});
