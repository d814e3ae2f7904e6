import { afterEach, describe, expect, it, vi } from 'vitest';
import { createCpuSimulation } from '../../../../src/cpu';
import { defaultChoices } from '../../../../src/page/model/choices';
import { measureOpening, watchFrames } from '../../../../src/page/session/first-minute';
import type { Engine, Run } from '../../../../src/page/view/engine';
import { Session } from '../../../../src/page/view/session';

/** Returns a fake engine, on which a step takes `cost` ms per disc. */
function engineOf(kind: Engine['kind'], cost: number) {
  const started: number[] = [];
  const destroyed = vi.fn();
  const start: Engine['start'] = async (options) => {
    const { count } = createCpuSimulation(options);
    started.push(count);
    let calls = 0;
    const timeSteps: Run['timeSteps'] = async () => {
      calls++;
      // The first two times are too long, and the third one is missing, because the clock ran backwards.
      const milliseconds = calls === 1 ? 1e6 : cost * count * (calls === 2 ? 3 : 1);
      return {
        milliseconds: calls === 3 ? 0 : milliseconds,
        clock: 'page',
        discarded: calls === 3 ? 1 : undefined,
      };
    };
    return { timeSteps, destroy: destroyed } as unknown as Run;
  };
  return { engine: { kind, start }, started, destroyed };
}

describe('the measurement of an engine', () => {
  it('raises the count while the frame rate stays high enough', async () => {
    const { engine, started, destroyed } = engineOf('gpu', 2 / 128_000);
    expect((await measureOpening(engine, 8, () => 0)).choices).toEqual({
      scene: 'murmuration',
      dimensions: 3,
      count: 300_000,
    });
    expect(started).toEqual([16_000, 128_000]);
    expect(destroyed).toHaveBeenCalledTimes(2);
  });

  it('stops as soon as the frame rate is too low', async () => {
    const { engine, started } = engineOf('gpu', 20 / 16_000);
    expect((await measureOpening(engine, 8, () => 0)).choices).toEqual({
      scene: 'pile',
      dimensions: 2,
      count: 2600,
    });
    expect(started).toEqual([16_000]);
  });

  it('stops when its time is over', async () => {
    const { engine, started } = engineOf('gpu', 1 / 128_000);
    let now = 0;
    await measureOpening(engine, 8, () => {
      now += 500;
      return now;
    });
    expect(started).toEqual([16_000]);
  });

  it('measures the usual pile on the CPU engine', async () => {
    const { engine, started } = engineOf('cpu', 1.1 / 4000);
    const { choices, why } = await measureOpening(engine, 8, () => 0);
    expect(choices.scene).toBe(defaultChoices().scene);
    expect(why).toMatch(/^It opened with .* discs, .* it measured 1\.10 ms per step of 4,000 discs/);
    expect(started).toEqual([4000]);
  });
});

describe('the frame rate of the first scene', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  function watch(framesPerSecond: number) {
    vi.useFakeTimers();
    const page = { hidden: false };
    vi.stubGlobal('document', page);
    const session = new Session(defaultChoices());
    session.open({ choices: { scene: 'murmuration', dimensions: 3, count: 200_000 }, why: '' });
    const request = vi.fn();
    const stepper = { isPlaying: true, isHeld: false, isFilmed: false };
    const meter = { framesPerSecond };
    watchFrames({ session, restarts: { isBusy: false, request }, stepper, meter });
    return { session, request, stepper, meter, page };
  }

  it('if too low, lowers the number of particles, at most twice', () => {
    const { session, request } = watch(20);
    vi.advanceTimersByTime(4900);
    expect(request).not.toHaveBeenCalled();
    vi.advanceTimersByTime(200);
    expect(session.choices).toMatchObject({ scene: 'murmuration', dimensions: 3, count: 100_000 });
    expect(request).toHaveBeenLastCalledWith(session.choices);
    expect(session.opening?.why).toMatch(/because 200,000 ran at 20 frames a second/);
    vi.advanceTimersByTime(60_000);
    expect(session.choices.count).toBe(50_000);
    expect(request).toHaveBeenCalledTimes(2);
  });

  it('ignores a stall', () => {
    const { request, meter } = watch(3);
    vi.advanceTimersByTime(2600);
    meter.framesPerSecond = 60;
    vi.advanceTimersByTime(60_000);
    expect(request).not.toHaveBeenCalled();
  });

  it('changes nothing if the frame rate stays high enough, or if the visitor has chosen something', () => {
    const held = watch(59);
    vi.advanceTimersByTime(60_000);
    expect(held.request).not.toHaveBeenCalled();
    const touched = watch(20);
    touched.session.choices = { ...touched.session.choices, brush: 30 };
    vi.advanceTimersByTime(60_000);
    expect(touched.request).not.toHaveBeenCalled();
  });

  it('waits while the page is hidden or paused', () => {
    const { request, page, stepper } = watch(20);
    page.hidden = true;
    vi.advanceTimersByTime(10_000);
    page.hidden = false;
    stepper.isPlaying = false;
    vi.advanceTimersByTime(10_000);
    expect(request).not.toHaveBeenCalled();
    stepper.isPlaying = true;
    vi.advanceTimersByTime(5100);
    expect(request).toHaveBeenCalledTimes(1);
  });
});
