/**
 * `npm run bench:hashes`: compares three hash functions for cells, in tables of two sizes. Prints the percentage of
 * occupied cells that share a bucket, and the time per hash. For the times of whole searches, run
 * `npm run bench -- --only cpu-hash-teschner,cpu-hash-mix,cpu-hash-morton,cpu-teschner`.
 *
 *   npm run bench:hashes -- [--scene name,…] [--count n] [--dimensions 2,3] [--json]
 */
import { cpus, loadavg } from 'node:os';
import { HELP_FLAG, parseFlags, severalOf, UsageError, wholeNumber } from '../src/cli/arguments';
import { formatCount, formatTable } from '../src/cli/output';
import { HASHES } from './engines/cpu/hash-functions';
import { bucketsFor, FIXED_BUCKETS } from './engines/cpu/hash-tables';
import { BENCH_SCENE_NAMES, createBenchScene } from './harness/scenes';
import { cellsOf, countCollisions, describeHashes, type HashRow, timeHash } from './hashes/measure';
import { commitOf } from './shared.mjs';

const DEFAULT_COUNT = 100_000;
const DEFAULT_SCENES = ['uniform', 'clustered', 'line-x', 'line-y', 'huge'];

let total = 0;

function measure(argv: readonly string[]): {
  readonly rows: HashRow[];
  readonly json: boolean;
  readonly count: number;
} {
  const given = parseFlags(
    'bench:hashes',
    {
      scene: { value: 'name,…', help: '' },
      count: { value: 'n', help: '' },
      dimensions: { value: '2|3|2,3', help: '' },
      json: { help: '' },
      help: HELP_FLAG,
    },
    argv,
  );
  const count = wholeNumber(given, 'count', 1, 1e7) ?? DEFAULT_COUNT;
  const scenes = severalOf(given, 'scene', BENCH_SCENE_NAMES) ?? DEFAULT_SCENES;
  const dimensions = severalOf(given, 'dimensions', ['2', '3'] as const) ?? ['2', '3'];
  const rows = dimensions.flatMap((name) =>
    scenes.flatMap((scene) => {
      const is3D = name === '3';
      const cells = cellsOf(createBenchScene(scene, { dimensions: is3D ? 3 : 2, count }));
      return [bucketsFor(count), FIXED_BUCKETS].flatMap((buckets) =>
        HASHES.map((hash) => ({
          scene,
          dimensions: is3D ? 3 : 2,
          buckets,
          hash,
          ...countCollisions(cells, is3D, hash, buckets),
          nanoseconds: timeHash(cells, is3D, hash, buckets, (sum) => {
            total += sum;
          }),
        })),
      );
    }),
  );
  return { rows, json: given.has('json'), count };
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}

try {
  const { rows, json, count } = measure(process.argv.slice(2));
  const machine = `${cpus()[0]?.model.trim()}, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`;
  if (json) {
    process.stdout.write(`${JSON.stringify({ machine, commit: commitOf(), count, rows }, undefined, 1)}\n`);
  } else {
    const head = ['scene', 'buckets', 'hash', 'cells', 'share a bucket', 'at random', 'fullest', 'ns'];
    const lines = rows.map((row) => [
      `${row.scene} ${row.dimensions}D`,
      formatCount(row.buckets),
      row.hash,
      formatCount(row.cells),
      percent(row.sharing),
      percent(row.expected),
      String(row.fullest),
      row.nanoseconds.toFixed(1),
    ]);
    const right = head.map((_, column) => column > 2 || column === 1);
    const verdicts = describeHashes(rows).join('\n');
    process.stdout.write(
      `${formatCount(count)} bodies, ${machine}\n\n${formatTable([head, ...lines], right)}\n\n${verdicts}\n`,
    );
  }
  process.exitCode = total >= 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
