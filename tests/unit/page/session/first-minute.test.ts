import { describe, expect, it, vi } from 'vitest';
import { createCpuSimulation } from '../../../../src/cpu/solver/simulation';
import { defaultChoices } from '../../../../src/page/model/choices';
import { measureOpening } from '../../../../src/page/session/first-minute';
import type { Engine, Run } from '../../../../src/page/view/engine';

/** An engine whose steps take `cost` ms per disc, as it says. */
function engineOf(kind: Engine['kind'], cost: number) {
  const started: number[] = [];
  const destroyed = vi.fn();
  const start: Engine['start'] = async (options) => {
    const { count } = createCpuSimulation(options);
    started.push(count);
    let calls = 0;
    const timeSteps: Run['timeSteps'] = async () => {
      calls++;
      // The first steps are slow, and one of the others has a clock that ran backwards.
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
  it('raises the count while frames hold', async () => {
    const { engine, started, destroyed } = engineOf('gpu', 2 / 128_000);
    expect((await measureOpening(engine, 8, () => 0)).choices).toEqual({
      scene: 'murmuration',
      dimensions: 3,
      count: 300_000,
    });
    expect(started).toEqual([16_000, 128_000]);
    expect(destroyed).toHaveBeenCalledTimes(2);
  });

  it('stops as soon as frames do not hold', async () => {
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

  it('measures the usual pile on the CPU engine, too', async () => {
    const { engine, started } = engineOf('cpu', 1.1 / 4000);
    const { choices, why } = await measureOpening(engine, 8, () => 0);
    expect(choices.scene).toBe(defaultChoices().scene);
    expect(why).toMatch(/^It opened with .* discs: 4,000 discs took 1\.10 ms/);
    expect(started).toEqual([4000]);
  });
});
