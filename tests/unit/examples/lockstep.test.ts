import { describe, expect, it } from 'vitest';
import { applyInput, DT, type Input, OPTIONS, play } from '../../../examples/lockstep/game.js';
import { DELAY, type Desync, HASH_EVERY, type Message, Player } from '../../../examples/lockstep/player.js';
import { createCpuSimulation } from '../../../src/cpu';
import { Random } from '../../../src/scenes';

const TICKS = 4 * HASH_EVERY;
const JOIN_AT = HASH_EVERY + 4;
const WRONG_AT = 2 * HASH_EVERY + 1;

interface Seat {
  readonly player: Player<Input>;
  readonly simulation: ReturnType<typeof createCpuSimulation>;
  readonly hashes: Map<number, string>;
  readonly desyncs: Desync[];
  readonly kinds: Map<string, number>;
}

/** A network in this thread. Messages of one sender arrive in order; those of different senders in a random order. */
class Game {
  readonly seats: Seat[] = [];
  private readonly queues: { from: number; to: number; messages: Message<Input>[] }[] = [];
  private readonly random = new Random(5);

  seat(id: number, players: readonly number[] | undefined, change: (input: Input, tick: number) => Input) {
    const simulation = createCpuSimulation(OPTIONS);
    const seat: Seat = {
      player: undefined as never,
      simulation,
      hashes: new Map(),
      desyncs: [],
      kinds: new Map(),
    };
    const player = new Player<Input>({
      id,
      ...(players && { players }),
      simulation,
      dt: DT,
      apply: (input) => applyInput(simulation, change(input, player.tick ?? 0)),
      send: (message) => {
        seat.kinds.set(message.kind, (seat.kinds.get(message.kind) ?? 0) + 1);
        if (message.kind === 'hash') seat.hashes.set(message.tick, message.hash);
        for (const { from, messages } of this.queues) {
          if (from === id) messages.push(structuredClone(message));
        }
      },
      onDesync: (desync) => seat.desyncs.push(desync),
    });
    for (const other of this.seats.keys()) {
      this.queues.push({ from: id, to: other, messages: [] }, { from: other, to: id, messages: [] });
    }
    this.seats[id] = Object.assign(seat, { player });
    return seat;
  }

  /** Runs all players to this tick, and none beyond it. */
  async runTo(tick: number): Promise<void> {
    const isThere = ({ player }: Seat) => player.tick === tick;
    for (let round = 0; !this.seats.every(isThere); round++) {
      if (round > 100 * TICKS)
        throw new Error(`The players stand still: ${this.seats.map((s) => s.player.tick)}`);
      const seats = this.seats.map((seat, id) => ({ seat, id }));
      const { seat, id } = seats[this.random.below(seats.length)] as (typeof seats)[number];
      for (const queue of this.queues.filter(({ to }) => to === id)) {
        const arrived = this.random.below(queue.messages.length + 1);
        for (const message of queue.messages.splice(0, arrived)) seat.player.receive(message);
      }
      if (seat.player.canRun && !isThere(seat)) seat.player.run(play(id, seat.player.tick as number));
      await Promise.resolve();
    }
  }

  async deliverAll(): Promise<void> {
    for (const { to, messages } of this.queues) {
      await Promise.resolve();
      for (const message of messages.splice(0)) this.seats[to]?.player.receive(message);
    }
  }
}

const same = (input: Input) => input;
const oneOff = (input: Input, tick: number) => (tick === WRONG_AT ? { ...input, x: input.x + 1 } : input);

describe('players in lockstep', () => {
  it('have equal hashes, also one who joins late with a checkpoint and the inputs since', async () => {
    const game = new Game();
    const first = game.seat(0, [0, 1], same);
    const second = game.seat(1, [0, 1], same);
    await game.runTo(JOIN_AT);
    const third = game.seat(2, undefined, same);
    expect(third.player.canRun).toBe(false);
    await game.deliverAll();
    await first.player.admit(2);
    await game.runTo(TICKS);
    await game.deliverAll();
    expect([...first.hashes.keys()]).toEqual([1, 2, 3, 4].map((step) => step * HASH_EVERY));
    expect(second.hashes).toEqual(first.hashes);
    expect([...third.hashes]).toEqual([...first.hashes].slice(1));
    expect(game.seats.map(({ desyncs }) => desyncs)).toEqual([[], [], []]);
    // Only the joiner got a state. The joiner plays, too, from its join on.
    expect(game.seats.map(({ kinds }) => kinds.get('state') ?? 0)).toEqual([1, 0, 0]);
    expect(third.kinds.get('inputs')).toBe(TICKS - JOIN_AT - DELAY);
    const { positions } = first.simulation.read();
    expect(positions).toEqual(third.simulation.read().positions);
    expect(first.simulation.count).toBeGreaterThan(OPTIONS.positions.length / 2);
  });

  it('apply each input at its tick, whatever the order of messages', async () => {
    const game = new Game();
    const [{ hashes }] = [game.seat(0, [0, 1], same), game.seat(1, [0, 1], same)];
    await game.runTo(HASH_EVERY);
    const alone = createCpuSimulation(OPTIONS);
    for (let tick = 0; tick < HASH_EVERY; tick++) {
      const inputs = tick < DELAY ? [] : [0, 1].flatMap((player) => play(player, tick - DELAY));
      for (const input of inputs) applyInput(alone, input);
      alone.step(DT);
    }
    expect(hashes.get(HASH_EVERY)).toBe(alone.measure().hash);
  });

  it('report the first hashes after one player applied an input wrongly', async () => {
    const game = new Game();
    const right = game.seat(0, [0, 1], same);
    const wrong = game.seat(1, [0, 1], oneOff);
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
