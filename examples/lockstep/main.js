// @ts-check
/**
 * A lockstep game of two players in two threads, which exchange inputs only: node examples/lockstep/main.js
 *
 * A third player joins late, with a checkpoint and the inputs after it. Then comes the same game with a planted
 * difference: player 1 applies the inputs of one tick wrongly, and the players notice. This file is the network: it
 * passes messages on.
 */
import { Worker } from 'node:worker_threads';

const TICKS = 400;
const JOIN_AFTER = 120;
/** In this tick, players apply a `pour` that player 0 sent six ticks earlier. */
const WRONG_AT = 198;
const PLAYERS = [0, 1];
const JOINER = 2;

/**
 * Returns each player's hash and number of discs at the end, the tick at which the third player joined, and the first
 * desync.
 * @param {number} [wrongAt] The tick in which player 1 makes its mistake.
 */
async function playGame(wrongAt) {
  const workers = [...PLAYERS, JOINER].map(
    (id) =>
      new Worker(new URL('./worker.js', import.meta.url), {
        workerData: {
          id,
          ticks: TICKS,
          ...(id !== JOINER && { players: PLAYERS }),
          ...(id === 1 && { wrongAt }),
        },
      }),
  );
  /** The players who get messages. */
  let members = PLAYERS;
  let ready = 0;
  let joinedAt = 0;
  /** @type {import('./player.js').Desync | undefined} */
  let desync;
  /** @type {{ hash: string, count: number }[]} */
  const ends = [];
  await new Promise((done, fail) => {
    workers.forEach((worker, id) => {
      worker.on('error', fail);
      worker.on('message', (message) => {
        if (message.kind === 'ready') {
          ready++;
          if (ready === workers.length)
            for (const player of PLAYERS) workers[player]?.postMessage({ kind: 'begin' });
        } else if (message.kind === 'desync') desync ??= message;
        else if (message.kind === 'end') {
          ends[id] = message;
          if (Object.keys(ends).length === workers.length) done(undefined);
        } else {
          if (message.kind === 'state') joinedAt = message.tick;
          for (const other of members) if (other !== id) workers[other]?.postMessage(message);
          if (message.kind !== 'hash' || message.tick < JOIN_AFTER || members.includes(JOINER)) return;
          // From now on, the third player gets all messages. Only then may it be admitted.
          members = [...PLAYERS, JOINER];
          workers[0]?.postMessage({ kind: 'admit', joiner: JOINER });
        }
      });
    });
  });
  await Promise.all(workers.map((worker) => worker.terminate()));
  return { ends, joinedAt, desync };
}

const right = await playGame();
console.log(`player ${JOINER} joined with the state of tick ${right.joinedAt}`);
console.log(`after ${TICKS} ticks:`);
right.ends.forEach(({ hash, count }, player) => {
  console.log(`  player ${player} has ${count} discs, hash ${hash}`);
});
console.log(right.desync ? `desync at tick ${right.desync.tick}` : 'no desync');

const wrong = await playGame(WRONG_AT);
console.log(`the same game, but player 1 makes a mistake in tick ${WRONG_AT}:`);
if (wrong.desync) {
  console.log(`  desync at tick ${wrong.desync.tick}`);
  for (const [player, hash] of wrong.desync.hashes) console.log(`  player ${player} has hash ${hash}`);
} else console.log('  no desync');
