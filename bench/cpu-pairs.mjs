// @ts-check
/**
 * Purpose: how long the CPU engine takes to find all overlapping pairs of N discs, beside kdbush, in one run.
 *
 *     node bench/cpu-pairs.mjs [--json] [--sizes 10000,100000,1000000] [--rounds 5]
 *
 * Discs lie at random (scene `uniform`), each overlapping one other on average. One thread. Timed: building
 * the index and writing every pair of ids (first < second) once into an array; the order of pairs is free
 * except where the row says sorted. Before anything is timed, both engines must agree on the number of pairs
 * and on a checksum that does not depend on their order. Engines take turns; the table shows medians.
 * The engine is bundled from the sources as they are, since a development server's modules run slower.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import KDBush from 'kdbush';
import { bundle, median, round } from './shared.mjs';

const SEED = 1;

/** How far particles have moved where the input is nearly in cell order, diameters: a fast step's worth. */
const DRIFT = 0.1;

/** Rounds that are thrown away, until the code is compiled. */
const WARM_UP = 2;

/** Discs in one timed sample at least: smaller sizes are repeated, and the time divided. */
const SAMPLE = 200_000;

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    sizes: { type: 'string', default: '10000,100000,1000000' },
    rounds: { type: 'string', default: '5' },
  },
});
const sizes = values.sizes.split(',').map(Number);
const rounds = Number(values.rounds);
if (!sizes.every((size) => Number.isInteger(size) && size > 0) || !(rounds >= 1)) {
  process.stderr.write('--sizes takes whole numbers separated by commas, --rounds a number of at least 1.\n');
  process.exit(2);
}

/** @typedef {{ count: number, pairs: Uint32Array }} Pairs */
/** @typedef {{ name: string, find: () => Pairs }} Contender */

/** @type {{ cpu: typeof import('../src/cpu'), scenes: typeof import('../src/scenes') }} */
const { cpu, scenes } = await bundle({ cpu: 'src/cpu/index.ts', scenes: 'src/scenes/index.ts' });
const results = [];
for (const size of sizes) results.push(...measureSize(size));
const report = {
  machine: cpus()[0]?.model ?? 'unknown',
  node: process.version,
  load: loadavg()[0],
  rounds,
  results,
};
process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : table());

/** @param {number} size */
function measureSize(size) {
  const scene = scenes.createScene('uniform', { dimensions: 2, count: size, seed: SEED });
  const diameter = 2 * scene.radius;
  const grid = cpu.createCpuGrid({
    dimensions: 2,
    min: scene.min,
    max: scene.max,
    diameter,
    capacity: size,
  });
  grid.build(scene.positions);
  const inOrder = permute(scene.positions, grid.ids());
  const inputs = [
    { input: 'random order', positions: scene.positions },
    { input: 'nearly in cell order', positions: drift(inOrder, scene) },
    { input: 'cell order', positions: inOrder },
  ];
  /** @type {Uint32Array} */
  let found = new Uint32Array(8 * size);
  /** @type {{ input: string, contender: Contender, times: number[], pairs: number }[]} */
  const rows = [];
  for (const { input, positions } of inputs) {
    /** @type {Contender[]} */
    const contenders = [
      {
        name: 'cellstorm/cpu',
        find: () => {
          grid.build(positions);
          return grid.collectPairs();
        },
      },
      {
        name: 'cellstorm/cpu, pairs sorted',
        find: () => {
          grid.build(positions);
          return grid.findPairs();
        },
      },
      {
        name: 'kdbush',
        find: () => {
          const list = findWithKdbush(positions, diameter, found);
          found = list.pairs;
          return list;
        },
      },
    ];
    /** @type {{ count: number, checksum: number } | undefined} */
    let expected;
    for (const contender of contenders) {
      const list = contender.find();
      const got = { count: list.count, checksum: checksum(list) };
      expected ??= got;
      if (got.count !== expected.count || got.checksum !== expected.checksum) {
        throw new Error(
          `${contender.name} disagrees at ${size}, ${input}: ${JSON.stringify(got)}, others ${JSON.stringify(expected)}.`,
        );
      }
      rows.push({ input, contender, times: [], pairs: got.count });
    }
  }
  for (let round = 0; round < WARM_UP + rounds; round++) {
    for (const row of rows) {
      // kdbush at a million takes over a second: it is warm after the check, and once is enough to warm it more.
      if (round < WARM_UP && row.contender.name === 'kdbush' && size > 100_000 && round > 0) continue;
      const repeats = Math.ceil(SAMPLE / size);
      const begin = performance.now();
      for (let repeat = 0; repeat < repeats; repeat++) row.contender.find();
      if (round >= WARM_UP) row.times.push((performance.now() - begin) / repeats);
    }
  }
  return rows.map(({ input, contender, times, pairs }) => {
    const peer = rows.find((row) => row.input === input && row.contender.name === 'kdbush');
    return {
      size,
      input,
      engine: contender.name,
      pairs,
      medianMs: round(median(times)),
      leastMs: round(Math.min(...times)),
      timesKdbush: round(median(peer?.times ?? []) / median(times)),
    };
  });
}

/**
 * As its author recommends: typed coordinates, one range query a point. `within` includes the distance
 * itself, so the exact test follows.
 *
 * @param {Float32Array} positions
 * @param {number} diameter
 * @param {Uint32Array} into
 * @returns {Pairs}
 */
function findWithKdbush(positions, diameter, into) {
  const count = positions.length / 2;
  const index = new KDBush(count, 64, Float32Array);
  for (let id = 0; id < count; id++) index.add(positions[2 * id] ?? 0, positions[2 * id + 1] ?? 0);
  index.finish();
  let pairs = into;
  let length = 0;
  for (let id = 0; id < count; id++) {
    const x = positions[2 * id] ?? 0;
    const y = positions[2 * id + 1] ?? 0;
    for (const other of index.within(x, y, diameter)) {
      if (other <= id) continue;
      const dx = (positions[2 * other] ?? 0) - x;
      const dy = (positions[2 * other + 1] ?? 0) - y;
      if (dx * dx + dy * dy >= diameter * diameter) continue;
      if (length + 2 > pairs.length) {
        const longer = new Uint32Array(2 * pairs.length + 2);
        longer.set(pairs);
        pairs = longer;
      }
      pairs[length++] = id;
      pairs[length++] = other;
    }
  }
  return { count: length / 2, pairs };
}

/**
 * @param {Float32Array} positions
 * @param {Uint32Array} order
 */
function permute(positions, order) {
  const permuted = new Float32Array(positions.length);
  order.forEach((source, slot) => {
    permuted[2 * slot] = positions[2 * source] ?? 0;
    permuted[2 * slot + 1] = positions[2 * source + 1] ?? 0;
  });
  return permuted;
}

/**
 * Every disc moved by up to DRIFT along each axis, still on multiples of 1/1024 and inside.
 *
 * @param {Float32Array} positions
 * @param {{ radius: number, min: readonly number[], max: readonly number[] }} scene
 */
function drift(positions, { radius, min, max }) {
  const random = new scenes.Random(SEED + 1);
  const reach = Math.floor(1024 * DRIFT * 2 * radius);
  return positions.map((position, index) => {
    const moved = position + random.between(-reach, reach) / 1024;
    return Math.min(Math.max(moved, (min[index % 2] ?? 0) + radius), (max[index % 2] ?? 0) - radius);
  });
}

/**
 * The same for the same set of pairs, in whatever order.
 *
 * @param {Pairs} list
 */
function checksum({ count, pairs }) {
  let sum = 0;
  for (let word = 0; word < 2 * count; word += 2) {
    const mixed = Math.imul((pairs[word] ?? 0) ^ 0x9e37_79b9, 0x85eb_ca6b) ^ (pairs[word + 1] ?? 0);
    sum = (sum + Math.imul(mixed ^ (mixed >>> 15), 0xc2b2_ae35)) >>> 0;
  }
  return sum;
}

function table() {
  const lines = [
    `All overlapping pairs of N discs, build + pairs, one thread: ${report.machine}, Node ${report.node}, ` +
      `load ${report.load?.toFixed(1)}, median of ${rounds}`,
    '',
    '| discs | input | engine | pairs | ms | least ms | kdbush takes |',
    '|---|---|---|---|---|---|---|',
    ...results.map(
      ({ size, input, engine, pairs, medianMs, leastMs, timesKdbush }) =>
        `| ${size} | ${input} | ${engine} | ${pairs} | ${medianMs} | ${leastMs} | ${timesKdbush} × |`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}
