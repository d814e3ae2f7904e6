import { describe, expect, it } from 'vitest';
import { applyInput, DT, type Input, OPTIONS, play } from '../../../examples/lockstep/game.js';
import { DELAY, HASH_EVERY } from '../../../examples/lockstep/player.js';
import { createCpuSimulation } from '../../../src/cpu';
import { LockstepGame } from '../../helpers/lockstep-game';

const TICKS = 4 * HASH_EVERY;
const JOIN_AT = HASH_EVERY + 4;
const WRONG_AT = 2 * HASH_EVERY + 1;

const open = () => createCpuSimulation(OPTIONS);
const oneOff = (input: Input, tick: number) => (tick === WRONG_AT ? { ...input, x: input.x + 1 } : input);

describe('players in lockstep', () => {
  it('have equal hashes, as does a late joiner that gets a checkpoint and the inputs since', async () => {
    const game = new LockstepGame();
    const first = game.seat(0, open(), [0, 1]);
    const second = game.seat(1, open(), [0, 1]);
    await game.runTo(JOIN_AT);
    const third = game.seat(2, open());
    expect(third.player.canRun).toBe(false);
    await game.deliverAll();
    await first.player.admit(2);
    await game.runTo(TICKS);
    await game.deliverAll();
    expect([...first.hashes.keys()]).toEqual([1, 2, 3, 4].map((step) => step * HASH_EVERY));
    expect(second.hashes).toEqual(first.hashes);
    expect([...third.hashes]).toEqual([...first.hashes].slice(1));
    expect(game.seats.map(({ desyncs }) => desyncs)).toEqual([[], [], []]);
    // Only the first player sent a state, once. The joiner sends inputs, too, once it counts as a player, DELAY ticks
    // after JOIN_AT.
    expect(game.seats.map(({ kinds }) => kinds.get('state') ?? 0)).toEqual([1, 0, 0]);
    expect(third.kinds.get('inputs')).toBe(TICKS - JOIN_AT - DELAY);
    expect(await third.simulation.read()).toEqual(await first.simulation.read());
    expect(first.simulation.count).toBeGreaterThan(OPTIONS.positions.length / 2);
  });

  it('apply each input at its tick, whatever the order of messages', async () => {
    const game = new LockstepGame();
    const [{ hashes }] = [game.seat(0, open(), [0, 1]), game.seat(1, open(), [0, 1])];
    await game.runTo(HASH_EVERY);
    const alone = createCpuSimulation(OPTIONS);
    for (let tick = 0; tick < HASH_EVERY; tick++) {
      const inputs = tick < DELAY ? [] : [0, 1].flatMap((player) => play(player, tick - DELAY));
      for (const input of inputs) applyInput(alone, input);
      alone.step(DT);
    }
    expect(hashes.get(HASH_EVERY)).toBe(alone.measure().hash);
  });

  it('report the first differing hashes after one player applied an input wrongly', async () => {
    const game = new LockstepGame();
    const right = game.seat(0, open(), [0, 1]);
    const wrong = game.seat(1, open(), [0, 1], oneOff);
    await game.runTo(TICKS);
    await game.deliverAll();
    const tick = 3 * HASH_EVERY;
    const [expected, other] = [right.hashes.get(tick), wrong.hashes.get(tick)];
    expect(other).not.toBe(expected);
    expect(wrong.hashes.get(2 * HASH_EVERY)).toBe(right.hashes.get(2 * HASH_EVERY));
    const desync = {
      tick,
      hashes: [
        [0, expected],
        [1, other],
      ],
    };
    expect([right.desyncs, wrong.desyncs]).toEqual([[desync], [desync]]);
  });
});
