// @ts-check
/**
 * One player of a lockstep game. Players exchange inputs and hashes. Only a late joiner gets a state. This file knows
 * neither the game nor the network. It runs in Node and in browsers, with the GPU engine and the CPU engine.
 */

/** An input takes effect this many ticks after the player sends it. A message that takes longer holds up the game. */
export const DELAY = 6;
/** The number of ticks from one comparison of hashes to the next. */
export const HASH_EVERY = 30;

/**
 * @template Input
 * @typedef {{ kind: 'inputs', player: number, tick: number, inputs: (Input | Join)[] }} InputsMessage
 */
/** @typedef {{ kind: 'join', player: number }} Join */
/** @typedef {{ kind: 'hash', player: number, tick: number, hash: string }} HashMessage */
/**
 * @template Input
 * @typedef {object} StateMessage A state before the inputs of `tick`, and what its receiver needs to go on.
 * @property {'state'} kind
 * @property {number} to
 * @property {number} tick
 * @property {import('cellstorm').Checkpoint} checkpoint
 * @property {(readonly [player: number, tick: number])[]} since
 * @property {InputsMessage<Input>[]} messages
 */
/**
 * @template Input
 * @typedef {InputsMessage<Input> | HashMessage | StateMessage<Input>} Message
 */
/** @typedef {{ tick: number, hashes: (readonly [player: number, hash: string])[] }} Desync */
/**
 * @template Input
 * @typedef {object} PlayerOptions
 * @property {number} id
 * @property {readonly number[]} [players] The players at tick 0. A late joiner leaves this out.
 * @property {import('cellstorm').ParticleSimulation} simulation
 * @property {number} dt
 * @property {(input: Input) => void} apply Applies an input to the simulation.
 * @property {(message: Message<Input>) => void} send Sends a message to all other players, in order.
 * @property {(desync: Desync) => void} onDesync
 * @property {(error: unknown) => void} onError Called if the state cannot be read, such as after the loss of a GPU.
 */

/** @template Input */
export class Player {
  /**
   * The next tick to run. A late joiner has none before it gets a state.
   * @type {number | undefined}
   */
  tick;
  /**
   * Per player, the first tick for which the others wait for its inputs.
   * @type {Map<number, number>}
   */
  #since = new Map();
  /** @type {Map<number, Map<number, InputsMessage<Input>>>} By tick, then by player. */
  #messages = new Map();
  /** @type {Map<number, Map<number, string>>} By tick, then by player. */
  #hashes = new Map();
  /** @type {Join[]} */
  #joins = [];
  #hasDesync = false;
  /** @type {PlayerOptions<Input>} */
  #options;

  /** @param {PlayerOptions<Input>} options */
  constructor(options) {
    this.#options = options;
    if (options.players === undefined) return;
    this.tick = 0;
    for (const player of options.players) this.#since.set(player, DELAY);
  }

  /** True if the inputs of all players for the next tick are here. */
  get canRun() {
    const { tick } = this;
    if (tick === undefined) return false;
    return [...this.#since].every(([player, since]) => since > tick || this.#messages.get(tick)?.has(player));
  }

  /**
   * Runs one tick. Call it only if `canRun`.
   * @param {Input[]} inputs What this player does now. Takes effect DELAY ticks later, for all players.
   */
  run(inputs) {
    const { id, simulation, dt, apply, send } = this.#options;
    const tick = /** @type {number} */ (this.tick);
    const messages = [...(this.#messages.get(tick)?.values() ?? [])];
    // All players apply inputs in the same order, whichever message came first.
    for (const message of messages.sort((a, b) => a.player - b.player)) {
      for (const input of message.inputs) {
        if (isJoin(input)) this.#since.set(input.player, tick + DELAY);
        else apply(input);
      }
    }
    this.#messages.delete(tick);
    simulation.step(dt);
    this.tick = tick + 1;
    if (this.#since.has(id)) {
      const message = {
        kind: /** @type {const} */ ('inputs'),
        player: id,
        tick: tick + DELAY,
        inputs: [...this.#joins, ...inputs],
      };
      this.#joins = [];
      this.#keep(message);
      send(message);
    }
    if (this.tick % HASH_EVERY === 0) this.#hash(this.tick).catch(this.#options.onError);
  }

  /** @param {Message<Input>} message A message from another player. */
  receive(message) {
    if (message.kind === 'inputs') this.#keep(message);
    else if (message.kind === 'hash') this.#compare(message);
    else if (message.to === this.#options.id) this.#start(message);
  }

  /**
   * Lets a player join. The joiner becomes a player through an input, so all players count it from the same tick on.
   * Exactly one player calls this, such as the one with the lowest id. Each message must reach that player before the
   * call, or also reach the joiner.
   * @param {number} joiner
   */
  async admit(joiner) {
    const { simulation, send } = this.#options;
    const tick = /** @type {number} */ (this.tick);
    this.#joins.push({ kind: 'join', player: joiner });
    const since = [...this.#since];
    const messages = [...this.#messages.values()].flatMap((byPlayer) => [...byPlayer.values()]);
    // The call copies the state. While a GPU sends the copy, the game may go on.
    const checkpoint = await simulation.checkpoint();
    send({ kind: 'state', to: joiner, tick, checkpoint, since, messages });
  }

  /** @param {StateMessage<Input>} message */
  #start({ tick, checkpoint, since, messages }) {
    this.#options.simulation.restore(checkpoint);
    this.tick = tick;
    this.#since = new Map(since);
    for (const old of this.#messages.keys()) if (old < tick) this.#messages.delete(old);
    for (const message of messages) this.#keep(message);
  }

  /** @param {InputsMessage<Input>} message */
  #keep(message) {
    const { tick, player } = message;
    const byPlayer = this.#messages.get(tick) ?? new Map();
    this.#messages.set(tick, byPlayer.set(player, message));
  }

  /** @param {number} tick */
  async #hash(tick) {
    const { id, simulation, send } = this.#options;
    const { hash } = await simulation.measure();
    /** @type {HashMessage} */
    const message = { kind: 'hash', player: id, tick, hash };
    this.#compare(message);
    send(message);
  }

  /** @param {HashMessage} message */
  #compare({ player, tick, hash }) {
    const hashes = this.#hashes.get(tick) ?? new Map();
    this.#hashes.set(tick, hashes.set(player, hash));
    // Forget old hashes. A player who is this far behind would stop the game anyway.
    this.#hashes.delete(tick - 4 * HASH_EVERY);
    if (this.#hasDesync || new Set(hashes.values()).size === 1) return;
    this.#hasDesync = true;
    this.#options.onDesync({ tick, hashes: [...hashes].sort(([a], [b]) => a - b) });
  }
}

/**
 * @param {unknown} input
 * @returns {input is Join}
 */
function isJoin(input) {
  return /** @type {{ kind?: unknown }} */ (input).kind === 'join';
}
