// @ts-check
/**
 * Measures a frame: some of N discs move, then a structure finds all discs that overlap a moved one. Compares CpuIndex,
 * which moves single objects, with structures that are rebuilt.
 *
 *   node bench/cpu-index.mjs [--json] [--sizes 100000] [--shares 0.01,0.1,1] [--rounds 9]
 *
 * `--shares` lists the shares of discs that move. All contenders must first find the same discs. Discs move there and
 * back, so that each repeat begins with the same positions. Contenders take turns.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import KDBush from 'kdbush';
import { bundle, median, round } from './shared.mjs';

const SEED = 1;

/** The longest move along an axis, in diameters. */
const DRIFT = 0.1;

const FRAMES = 4;

const WARM_UP = 2;

/** The least duration of a sample in milliseconds. Short frames are repeated to reach it. */
const SAMPLE_MS = 30;

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    sizes: { type: 'string', default: '100000' },
    shares: { type: 'string', default: '0.01,0.1,1' },
    rounds: { type: 'string', default: '9' },
  },
});
const sizes = values.sizes.split(',').map(Number);
const shares = values.shares.split(',').map(Number);
const rounds = Number(values.rounds);
if (!sizes.every((size) => Number.isInteger(size) && size > 0))
  fail(`--sizes is ${values.sizes}, but it must be whole numbers greater than 0, separated by commas.`);
if (!shares.every((share) => share > 0 && share <= 1))
  fail(`--shares is ${values.shares}, but it must be numbers above 0 and up to 1, separated by commas.`);
if (!(rounds >= 1)) fail(`--rounds is ${values.rounds}, but it must be a number of at least 1.`);

/** @typedef {{ movers: Uint32Array, there: Float32Array, back: Float32Array }} Frame */
/** @typedef {{ name: string, play: (frame: Frame, isBack: boolean, found: PartnerSum) => void }} Contender */

/** Sums hashes of the overlaps found, so that their order does not matter. */
class PartnerSum {
  count = 0;
  sum = 0;

  /**
   * @param {number} mover
   * @param {number} partner
   */
  add(mover, partner) {
    const mixed = Math.imul(mover ^ 0x9e37_79b9, 0x85eb_ca6b) ^ partner;
    this.count++;
    this.sum = (this.sum + Math.imul(mixed ^ (mixed >>> 15), 0xc2b2_ae35)) >>> 0;
  }
}

/** @type {{ cpu: typeof import('../src/cpu'), scenes: typeof import('../src/scenes') }} */
const { cpu, scenes } = await bundle({ cpu: 'src/cpu/index.ts', scenes: 'src/scenes/index.ts' });
const results = [];
for (const size of sizes) for (const share of shares) results.push(...measure(size, share));
const report = {
  machine: cpus()[0]?.model ?? 'unknown',
  node: process.version,
  load: loadavg()[0],
  rounds,
  results,
};
process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : table());

/**
 * @param {number} size
 * @param {number} share
 */
function measure(size, share) {
  const scene = scenes.createScene('uniform', { dimensions: 2, count: size, seed: SEED });
  const frames = Array.from({ length: FRAMES }, (_, frame) =>
    makeFrame(scene, Math.ceil(share * size), frame),
  );
  const contenders = [
    indexContender(scene),
    gridContender(scene),
    pairsContender(scene),
    kdbushContender(scene),
  ];
  const partners = frames.flatMap((frame) =>
    [false, true].map((isBack) => {
      const tallies = contenders.map((contender) => {
        const found = new PartnerSum();
        contender.play(frame, isBack, found);
        return `${found.count} partners, checksum ${found.sum}`;
      });
      const other = tallies.findIndex((tally) => tally !== tallies[0]);
      if (other < 0) return Number.parseInt(tallies[0] ?? '', 10);
      throw new Error(
        `${contenders[other]?.name} finds ${tallies[other]}, but ${contenders[0]?.name} finds ${tallies[0]}.`,
      );
    }),
  );
  const rows = contenders.map((contender) => ({
    contender,
    times: /** @type {number[]} */ ([]),
    repeats: 1,
  }));
  for (let round = 0; round < WARM_UP + rounds; round++) {
    for (const row of rows) {
      const found = new PartnerSum();
      const begin = performance.now();
      for (let repeat = 0; repeat < row.repeats; repeat++) {
        for (const frame of frames) row.contender.play(frame, false, found);
        for (const frame of frames) row.contender.play(frame, true, found);
      }
      const time = performance.now() - begin;
      if (round >= WARM_UP) row.times.push(time / row.repeats / (2 * FRAMES));
      else row.repeats = Math.max(1, Math.ceil((SAMPLE_MS * row.repeats) / time));
    }
  }
  const medians = rows.map(({ times }) => median(times));
  return rows.map(({ contender, times }, index) => ({
    size,
    share,
    contender: contender.name,
    partners: Math.round(partners.reduce((sum, count) => sum + count, 0) / partners.length),
    medianMs: round(medians[index] ?? 0),
    leastMs: round(Math.min(...times)),
    timesIndex: round((medians[index] ?? 0) / (medians[0] ?? 1)),
  }));
}

/** @typedef {{ radius: number, min: readonly number[], max: readonly number[], positions: Float32Array }} Scene */

/**
 * @param {Scene} scene
 * @returns {Contender}
 */
function indexContender({ min, max, radius, positions }) {
  const count = positions.length / 2;
  const index = cpu.createCpuIndex({ dimensions: 2, min, max, radius, capacity: count });
  const position = [0, 0];
  for (let id = 0; id < count; id++) index.add(readPosition(positions, id, position));
  return {
    name: 'CpuIndex: move, overlapping',
    play: ({ movers, there, back }, isBack, found) => {
      const positionsOfMovers = isBack ? back : there;
      movers.forEach((id, rank) => {
        index.move(id, readPosition(positionsOfMovers, rank, position));
      });
      let mover = 0;
      const visit = (/** @type {number} */ other) => found.add(mover, other);
      for (const id of movers) {
        mover = id;
        index.overlapping(id, visit);
      }
    },
  };
}

/**
 * @param {Scene} scene
 * @returns {Contender}
 */
function gridContender({ min, max, radius, positions }) {
  const current = positions.slice();
  const grid = cpu.createCpuGrid({
    dimensions: 2,
    min,
    max,
    diameter: 2 * radius,
    capacity: current.length / 2,
  });
  const position = [0, 0];
  return {
    name: 'CpuGrid: build, near',
    play: (frame, isBack, found) => {
      writeMoves(current, frame, isBack);
      grid.build(current);
      let mover = 0;
      const visit = (/** @type {number} */ other, /** @type {number} */ distanceSquared) => {
        if (other !== mover && distanceSquared < 4 * radius * radius) found.add(mover, other);
      };
      for (const id of frame.movers) {
        mover = id;
        grid.near(readPosition(current, id, position), 2 * radius, visit);
      }
    },
  };
}

/**
 * @param {Scene} scene
 * @returns {Contender}
 */
function pairsContender({ min, max, radius, positions }) {
  const current = positions.slice();
  const count = current.length / 2;
  const grid = cpu.createCpuGrid({ dimensions: 2, min, max, diameter: 2 * radius, capacity: count });
  const moves = new Uint8Array(count);
  return {
    name: 'CpuGrid: build, all pairs',
    play: (frame, isBack, found) => {
      writeMoves(current, frame, isBack);
      for (const id of frame.movers) moves[id] = 1;
      grid.build(current);
      const list = grid.collectPairs();
      for (let word = 0; word < 2 * list.count; word += 2) {
        const first = list.pairs[word] ?? 0;
        const second = list.pairs[word + 1] ?? 0;
        if (moves[first] === 1) found.add(first, second);
        if (moves[second] === 1) found.add(second, first);
      }
      for (const id of frame.movers) moves[id] = 0;
    },
  };
}

/**
 * `within` also returns discs that only touch, so the code tests each result again.
 * @param {Scene} scene
 * @returns {Contender}
 */
function kdbushContender({ radius, positions }) {
  const current = positions.slice();
  const count = current.length / 2;
  return {
    name: 'kdbush: build, within',
    play: (frame, isBack, found) => {
      writeMoves(current, frame, isBack);
      const index = new KDBush(count, 64, Float32Array);
      for (let id = 0; id < count; id++) index.add(current[2 * id] ?? 0, current[2 * id + 1] ?? 0);
      index.finish();
      for (const id of frame.movers) {
        const x = current[2 * id] ?? 0;
        const y = current[2 * id + 1] ?? 0;
        for (const other of index.within(x, y, 2 * radius)) {
          const dx = (current[2 * other] ?? 0) - x;
          const dy = (current[2 * other + 1] ?? 0) - y;
          if (other !== id && dx * dx + dy * dy < 4 * radius * radius) found.add(id, other);
        }
      }
    },
  };
}

/**
 * Chooses `count` discs at random, and a new position for each: a multiple of 1/1024 inside the box.
 * @param {Scene} scene
 * @param {number} count
 * @param {number} frame
 * @returns {Frame}
 */
function makeFrame({ positions, radius, min, max }, count, frame) {
  const random = new scenes.Random(SEED + 1 + frame);
  const ids = Uint32Array.from({ length: positions.length / 2 }, (_, id) => id);
  for (let index = 0; index < count; index++) {
    const other = Math.min(ids.length - 1, Math.floor(random.between(index, ids.length)));
    [ids[index], ids[other]] = [ids[other] ?? 0, ids[index] ?? 0];
  }
  const movers = ids.slice(0, count);
  const back = new Float32Array(2 * count);
  movers.forEach((id, mover) => {
    back.set(positions.subarray(2 * id, 2 * id + 2), 2 * mover);
  });
  const reach = Math.floor(1024 * DRIFT * 2 * radius);
  const there = back.map((position, index) => {
    const moved = position + Math.round(random.between(-reach, reach)) / 1024;
    return Math.min(Math.max(moved, (min[index % 2] ?? 0) + radius), (max[index % 2] ?? 0) - radius);
  });
  return { movers, there, back };
}

/**
 * @param {Float32Array} current
 * @param {Frame} frame
 * @param {boolean} isBack
 */
function writeMoves(current, { movers, there, back }, isBack) {
  const positions = isBack ? back : there;
  movers.forEach((id, mover) => {
    current[2 * id] = positions[2 * mover] ?? 0;
    current[2 * id + 1] = positions[2 * mover + 1] ?? 0;
  });
}

/**
 * @param {Float32Array} positions
 * @param {number} id
 * @param {number[]} position
 */
function readPosition(positions, id, position) {
  position[0] = positions[2 * id] ?? 0;
  position[1] = positions[2 * id + 1] ?? 0;
  return position;
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

function table() {
  const lines = [
    `A frame in which some of N discs move and find their partners (the discs that they overlap), one thread: ${report.machine}, ` +
      `Node ${report.node}, load ${report.load?.toFixed(1)}, median of ${rounds} rounds`,
    '',
    '| discs | moving | structure | partners | median ms | least ms | relative to CpuIndex |',
    '|---|---|---|---|---|---|---|',
    ...results.map(
      ({ size, share, contender, partners, medianMs, leastMs, timesIndex }) =>
        `| ${size} | ${round(100 * share)}% | ${contender} | ${partners} | ${medianMs} | ${leastMs} | ${timesIndex} × |`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}
