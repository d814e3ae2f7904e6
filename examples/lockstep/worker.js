// @ts-check
/** The thread of one player, with its own simulation. It runs a tick as soon as it has the inputs of all players. */
import { parentPort, workerData } from 'node:worker_threads';
import { createCpuSimulation } from 'cellstorm/cpu';
import { applyInput, DT, OPTIONS, play } from './game.js';
import { Player } from './player.js';

/**
 * `wrongAt` is the tick in which this player applies inputs a little wrongly, as a bug would.
 * @type {{ id: number, players?: number[], ticks: number, wrongAt?: number }}
 */
const { id, players, ticks, wrongAt } = workerData;
const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
const simulation = createCpuSimulation(OPTIONS);
/** @type {Player<import('./game.js').Input>} */
const player = new Player({
  id,
  ...(players && { players }),
  simulation,
  dt: DT,
  apply: (input) => applyInput(simulation, player.tick === wrongAt ? { ...input, x: input.x + 1 } : input),
  send: (message) => port.postMessage(message),
  onDesync: (desync) => port.postMessage({ kind: 'desync', ...desync }),
  onError: stop,
});

port.on('message', (message) => {
  if (message.kind === 'admit') player.admit(message.joiner).catch(stop);
  else if (message.kind !== 'begin') player.receive(message);
  // A game with a screen would run a tick every 1/60 s.
  while (player.canRun && player.tick !== ticks) {
    player.run(play(id, /** @type {number} */ (player.tick)));
    if (player.tick !== ticks) continue;
    port.postMessage({ kind: 'end', hash: simulation.measure().hash, count: simulation.count });
  }
});
port.postMessage({ kind: 'ready' });

/**
 * Ends the thread with an error, which the main thread gets.
 * @param {unknown} error
 */
function stop(error) {
  setImmediate(() => {
    throw error;
  });
}
