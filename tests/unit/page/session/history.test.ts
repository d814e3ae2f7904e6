import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createCpuSimulation } from '../../../../src/cpu';
import type { SimulationView, State } from '../../../../src/page/model/simulation-view';
import { History } from '../../../../src/page/session/history';
import { putBirths, stateOf } from '../../../../src/page/view/engine';

function running() {
  const positions = Float32Array.from([1, 1, 3, 3]);
  const box = { min: [0, 0], max: [4, 4] };
  const simulation = createCpuSimulation({ dimensions: 2, radius: 0.5, ...box, positions, gravity: [0, -1] });
  return { simulation, births: new Float32Array(simulation.capacity) };
}

// The history waits longer after a slow read. So the clock stands still here.
beforeAll(() => {
  vi.spyOn(performance, 'now').mockReturnValue(0);
});
afterAll(() => {
  vi.restoreAllMocks();
});

const settled = () => new Promise((done) => setTimeout(done, 0));

describe('the history of a simulation', () => {
  it('keeps the first state, and later states if they changed and are some seconds apart', async () => {
    const run = running();
    const { simulation } = run;
    const history = new History();
    history.attach(run);
    for (let second = 0; second < 40; second++) {
      history.update(1000 * second);
      await settled();
      simulation.step(1 / 60);
      history.touch();
    }
    const times: number[] = [];
    for (let before = simulation.time; ; ) {
      const checkpoint = history.takeBefore(before);
      if (!checkpoint || checkpoint.time === times.at(-1)) break;
      times.push(checkpoint.time);
      before = checkpoint.time;
    }
    expect(times).toHaveLength(8);
    expect(times.at(-1)).toBe(0);
    expect(times[0]).toBeGreaterThan(35 / 60);
    expect(times).toEqual([...times].sort((a, b) => b - a));
  });

  it('stores an unchanged state only once, and forgets the states of an earlier simulation', async () => {
    const history = new History();
    history.attach(running());
    history.update(0);
    await settled();
    const first = history.latest;
    history.update(10_000);
    await settled();
    expect(history.latest).toBe(first);
    history.attach(running());
    expect(history.latest).toBeUndefined();
    expect(history.takeBefore(1)).toBeUndefined();
  });

  it('discards a state that is still being read when the visitor goes back', async () => {
    const run = running();
    const { simulation } = run;
    const history = new History();
    history.attach(run);
    // The first state cannot be taken while it is being read.
    history.update(0);
    expect(history.takeBefore(simulation.time)).toBeUndefined();
    await settled();
    expect(history.latest?.time).toBe(0);
    simulation.step(1 / 60);
    history.touch();
    history.update(5000);
    const back = history.takeBefore(simulation.time);
    if (back) simulation.restore(back);
    await settled();
    expect([history.latest, history.latest?.time]).toEqual([back, 0]);
    simulation.step(1 / 30);
    history.update(10_000);
    await settled();
    expect(history.latest?.time).toBeCloseTo(1 / 30, 6);
  });

  it.each<[string, (large: Float32Array, state: State) => Partial<State>]>([
    ['method', (slopes, { positions, velocities }) => ({ method: { positions, velocities, slopes } })],
    ['half extents', (halfExtents) => ({ halfExtents })],
    ['obstacles', (obstacles) => ({ obstacles })],
    ['obstacles with sizes', (radii, { positions }) => ({ obstacles: { positions, radii } })],
  ])('keeps only the newest state if two are too large together: %s', async (_, part) => {
    const { simulation, births } = running();
    const state = simulation.checkpoint();
    const history = new History();
    let time = 0;
    const body: SimulationView = Object.assign(simulation, {
      checkpoint: () => ({ ...state, time: time++, ...part(new Float32Array(2 ** 23), state) }),
    });
    history.attach({ simulation: body, births });
    for (let second = 0; second < 20; second += 5) {
      history.update(1000 * second);
      await settled();
      history.touch();
    }
    expect([time, history.latest?.time, history.takeBefore(3)?.time]).toEqual([4, 3, 3]);
  });
});

describe('a stored state', () => {
  it('holds the time at which each particle was added, even if its id is reused later', async () => {
    const { simulation, births } = running();
    births.set([0.25, 0.5]);
    const history = new History();
    history.attach({ simulation, births });
    history.update(0);
    // This birth changes after the read of the state began.
    births[1] = 9;
    await settled();
    simulation.remove([0]);
    putBirths(births, history.latest as State);
    expect([...births]).toEqual([0.25, 0.5]);
    // A state holds the births of present particles only.
    expect((await stateOf({ simulation, births })).births).toEqual(Float32Array.of(0.5));
  });

  it('omits the times at which particles were added if the method stores them itself', async () => {
    const { simulation, births } = running();
    const fed: SimulationView = Object.assign(simulation, { births: Float32Array.of(1, 2) });
    const state = await stateOf({ simulation: fed, births });
    expect(state.births).toBeUndefined();
    births.set([3, 4]);
    putBirths(births, state);
    expect([...births]).toEqual([3, 4]);
  });
});
