/**
 * `npm run test:fuzz -- --minutes 30`: runs the property tests with new seeds until the time is up. For each failure,
 * prints a command that replays it. Exits with 1 if a test failed. With `--seed`, makes one run with that seed; --file,
 * --test and --path then select one case.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string' },
    file: { type: 'string' },
    test: { type: 'string' },
    path: { type: 'string' },
  },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) stop(`--minutes is ${values.minutes}, but it must be a number greater than 0.`);
if (values.seed !== undefined && !Number.isInteger(Number(values.seed))) {
  stop(`--seed is ${values.seed}, but it must be an integer.`);
}
if (values.seed === undefined && (values.file ?? values.test ?? values.path) !== undefined) {
  stop('--file, --test and --path need the --seed that the failing run printed.');
}

interface Result {
  readonly status: string;
  readonly fullName: string;
  readonly failureMessages: readonly string[];
}

const files = values.file
  ? [values.file]
  : execFileSync('git', ['grep', '-lE', 'helpers/properties', '--', 'tests/unit', 'tests/gpu'], {
      encoding: 'utf8',
    })
      .trim()
      .split('\n')
      .filter((file) => file.endsWith('.test.ts'));
const folder = mkdtempSync(join(tmpdir(), 'cellstorm-fuzz-'));
const end = Date.now() + 60_000 * minutes;
let passed = 0;
let failed = 0;
do {
  const seed = values.seed ?? String(Math.floor(Math.random() * 2 ** 31));
  const counts = runOnce(seed);
  passed += counts.passed;
  failed += counts.failed;
  process.stdout.write(`seed ${seed}: ${counts.passed} passed, ${counts.failed} failed\n`);
} while (values.seed === undefined && Date.now() < end);
rmSync(folder, { recursive: true });
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exit(failed > 0 ? 1 : 0);

function runOnce(seed: string): { passed: number; failed: number } {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const filter = values.test ? ['--testNamePattern', `^${escapePattern(values.test)}$`] : [];
  const vitest = [join('node_modules', 'vitest', 'vitest.mjs'), 'run', '--mode', 'all', ...filter, ...files];
  const output = ['--reporter=json', `--outputFile=${report}`];
  const env = { ...process.env, CELLSTORM_SEED: seed, CELLSTORM_PATH: values.path };
  const run = spawnSync(process.execPath, [...vitest, ...output], { env, encoding: 'utf8' });
  let modules: { name: string; status: string; message: string; assertionResults: Result[] }[];
  try {
    modules = JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch {
    stop(`The tests did not run:\n${run.stdout}${run.stderr}`);
  }
  let failures = 0;
  let passes = 0;
  for (const { name, status, message, assertionResults } of modules) {
    const file = name.replaceAll('\\', '/').replace(/^.*\/(?=tests\/)/, '');
    const wrong = assertionResults.filter((test) => test.status === 'failed');
    if (status === 'failed' && wrong.length === 0) {
      failures++;
      process.stdout.write(`${file} did not load:\n${message}\n`);
    }
    passes += assertionResults.filter((test) => test.status === 'passed').length;
    failures += wrong.length;
    for (const { fullName, failureMessages } of wrong) {
      const text = failureMessages.join('\n');
      // fast-check prints the path with the counterexample.
      const path = /path: "([^"]+)"/.exec(text)?.[1];
      process.stdout.write(`\n${file}: ${fullName}\n${text}\nTo replay the failure:\n`);
      process.stdout.write(
        `npm run test:fuzz -- --seed ${seed} --file ${file} --test ${JSON.stringify(fullName)}${path ? ` --path ${path}` : ''}\n\n`,
      );
    }
  }
  return { passed: passes, failed: failures };
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function stop(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
