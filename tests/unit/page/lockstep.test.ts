import { describe, expect, it } from 'vitest';
import { createSimulation } from '../../../src/cpu/solver/simulation';
import { HEIGHT, type Input, OPTIONS, Rules, UNIT, WIDTH } from '../../../src/page/lockstep/rules';
import { HashPairs, TickQueue } from '../../../src/page/lockstep/ticks';

const pour = (player: number, x: number, y: number): Input => ({
  player,
  tool: 'pour',
  x: Math.round(x / UNIT),
  y: Math.round(y / UNIT),
});

function open(capacity?: number) {
  const simulation = createSimulation({ ...OPTIONS, ...(capacity && { capacity }) });
  return { simulation, rules: new Rules(simulation) };
}

describe('ticks of the page lockstep.html', () => {
  it('are as many as the time has room for, but never far ahead of the slower engine', () => {
    const queue = new TickQueue();
    expect(queue.take(0.5 / 60)).toBe(0);
    expect(queue.take(0.6 / 60)).toBe(1);
    // At most 4 in one frame, at most 8 ahead.
    expect([queue.take(1), queue.take(1), queue.take(1)]).toEqual([4, 3, 0]);
    queue.show(0, 8);
    expect(queue.take(1)).toBe(0);
    queue.show(1, 6);
    expect(queue.take(1)).toBe(4);
    expect(queue.given).toBe(12);
    queue.reset();
    expect([queue.given, queue.take(1)]).toEqual([0, 4]);
  });

  it('have hashes that are compared with those of the same tick only', () => {
    const pairs = new HashPairs();
    expect(pairs.add(0, 60, 'a')).toBeUndefined();
    expect(pairs.add(0, 120, 'b')).toBeUndefined();
    expect(pairs.add(1, 60, 'a')).toEqual({ tick: 60, isEqual: true, count: 1, differsSince: undefined });
    expect(pairs.add(1, 120, 'c')).toMatchObject({ tick: 120, isEqual: false, count: 2, differsSince: 120 });
    pairs.add(1, 180, 'd');
    expect(pairs.add(0, 180, 'd')).toMatchObject({ isEqual: true, differsSince: 120 });
    pairs.reset();
    pairs.add(0, 60, 'e');
    expect(pairs.add(1, 60, 'e')).toMatchObject({ count: 1, differsSince: undefined });
  });
});

describe('rules of the page lockstep.html', () => {
  it('pour discs of a player, and in a full world replace the oldest poured discs', () => {
    const start = (OPTIONS.positions as Float32Array).length / 2;
    const capacity = start + 5;
    const { simulation, rules } = open(capacity);
    const ticks = 2 * 5;
    for (let tick = 0; tick < ticks; tick++) rules.run([pour(tick < 4 ? 0 : 1, WIDTH / 2, HEIGHT)], false);
    expect(simulation.count).toBe(capacity);
    const owned = (owner: number) => rules.owners.filter((of) => of === owner).length;
    expect([owned(0), owned(1), owned(2)]).toEqual([start, 2, 3]);
    for (let tick = 0; tick < 4; tick++) rules.run([pour(1, WIDTH / 2, HEIGHT)], false);
    expect([simulation.count, owned(1), owned(2)]).toEqual([capacity, 0, 5]);
  });

  it('tilt gravity towards the pointer, until it is released', () => {
    const { simulation, rules } = open();
    rules.run([{ ...pour(0, WIDTH / 2 + 5, HEIGHT / 2 - 3), tool: 'tilt' }], false);
    expect(simulation.settings.gravity).toEqual([10, -6]);
    rules.run([], false);
    expect(simulation.settings.gravity).toEqual(OPTIONS.gravity);
  });

  it('end in the same hash after the same inputs, also after a reset, and in another hash after a mistake', () => {
    const { simulation, rules } = open();
    const start = simulation.checkpoint();
    const play = (wrongAt?: number) => {
      simulation.restore(start);
      rules.reset();
      for (let tick = 0; tick < 30; tick++) rules.run([pour(tick % 2, tick, 20)], tick === wrongAt);
      return simulation.measure().hash;
    };
    const hash = play();
    expect(play(20)).not.toBe(hash);
    expect(play()).toBe(hash);
  });
});
