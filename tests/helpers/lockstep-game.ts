/** Runs players of examples/lockstep in one thread, over a simulated network. */
import { applyInput, DT, type Input, play } from '../../examples/lockstep/game.js';
import { type Desync, type Message, Player } from '../../examples/lockstep/player.js';
import type { ParticleSimulation } from '../../src';
import { Random } from '../../src/scenes';

const MOST_ROUNDS = 20_000;

/** A player with what it sent and reported. */
export interface Seat {
  readonly player: Player<Input>;
  readonly simulation: ParticleSimulation;
  readonly hashes: Map<number, string>;
  readonly desyncs: Desync[];
  readonly kinds: Map<string, number>;
}

/** A network in this thread. Messages of one sender arrive in order; those of different senders in a random order. */
export class LockstepGame {
  readonly seats: Seat[] = [];
  private readonly queues: { from: number; to: number; messages: Message<Input>[] }[] = [];
  private readonly random = new Random(5);

  /** `change` alters each input before this player applies it. A late joiner has no `players`. */
  seat(
    id: number,
    simulation: ParticleSimulation,
    players?: readonly number[],
    change: (input: Input, tick: number) => Input = (input) => input,
  ): Seat {
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
      onError: (error) => {
        throw error;
      },
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
      if (round > MOST_ROUNDS)
        throw new Error(`The players stand still: ${this.seats.map(({ player }) => player.tick)}`);
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
