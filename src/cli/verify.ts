/**
 * `cellstorm verify`: compares the GPU or the CPU engine with the reference. VERIFY_FLAGS lists other checks. The
 * exit code is 1 if a check fails or the GPU reports an error.
 */

import { version } from '../../package.json';
import { createCpuSimulation } from '../cpu';
import { BROWSER_NAMES, type NamedBrowser } from '../node/browsers';
import { sceneNames } from '../scenes';
import { conclusionOf, PAGE_COUNTS, type VerifyAnswer, type VerifyReport } from '../verify/answers';
import { verifyFluid } from '../verify/fluid';
import { verifyExact } from '../verify/golden';
import { verifyExactLong } from '../verify/golden-long';
import { verifyGuarantees } from '../verify/guarantees';
import type { OnCheckStep } from '../verify/progress';
import { reportOf } from '../verify/report';
import { FEWER_STEPS, MOST_QUICK, REPEATED_STEPS } from '../verify/simulations';
import {
  DEFAULT_COUNTS,
  describeCaps,
  largestVerified,
  MOST_STEPS,
  type VerifyCase,
  type VerifyOptions,
  verify as verifyCases,
} from '../verify/verify';
import {
  type Flags,
  type Given,
  HELP_FLAG,
  oneOf,
  parseFlags,
  SEED_FLAG,
  severalOf,
  UsageError,
  wholeNumber,
  wholeNumbers,
} from './arguments';
import { BACKEND_FLAG, BACKENDS, type Backend, describeAdapter, describeCpu, openGpu } from './backend';
import {
  formatCount,
  formatSeconds,
  formatTable,
  formatWrapped,
  Progress,
  Progresses,
  widthOf,
} from './output';
import { browserOf, requireChecked, verifyInBrowser } from './verify-browser';

/** The numbers of particles for --long, if --count is not given. */
const LONG_COUNTS: readonly number[] = [...DEFAULT_COUNTS, 1_000_000];

/** Seconds that the browser may report nothing. Some checks of 65,537 particles take minutes on a software GPU. */
const DEFAULT_LIMIT = 600;

export const VERIFY_FLAGS: Flags = {
  scene: { value: 'a,b', help: `scenes to check (default all): ${sceneNames().join(', ')}` },
  dimensions: { value: '2,3', help: 'dimensions to check (default both)' },
  count: {
    value: 'n,m',
    help: `numbers of particles, each 0 or more (default ${DEFAULT_COUNTS.join(', ')}; with --browser ${PAGE_COUNTS.join(', ')})`,
  },
  steps: {
    value: 'n',
    help: `steps of the check "repeats", 1 or more (default ${REPEATED_STEPS}; ${FEWER_STEPS} above ${formatCount(MOST_QUICK)} particles or with continuous motion)`,
  },
  seed: SEED_FLAG,
  long: { help: 'also check a million particles, the guarantees over a thousand steps, and the fluid' },
  exact: {
    help: 'only compare exact simulations with their recorded hashes (valid for every device); with --long also simulations of up to 20,000 particles and 5,000 steps',
  },
  backend: BACKEND_FLAG,
  browser: {
    value: 'name|path',
    isOptional: true,
    help: `check the GPU in a browser without a window: ${BROWSER_NAMES.join(', ')} or the path of one; without a value, the first browser found`,
  },
  limit: {
    value: 'seconds',
    help: `with --browser: how long the browser may report nothing, 1 or more (default ${DEFAULT_LIMIT})`,
  },
  json: {
    help: 'print { version, runtime, adapter, options, cases, complaints, notes, seconds, hash, pass } as JSON',
  },
  help: HELP_FLAG,
};

export async function verify(argv: readonly string[]): Promise<number> {
  const given = parseFlags('verify', VERIFY_FLAGS, argv);
  const isLong = given.has('long');
  if (given.has('exact')) refuseWithExact(given);
  const options: VerifyOptions = {
    scenes: severalOf(given, 'scene', sceneNames()),
    dimensions: severalOf(given, 'dimensions', ['2', '3'])?.map((text) => (text === '2' ? 2 : 3)),
    counts: wholeNumbers(given, 'count', 0, 100_000_000) ?? (isLong ? LONG_COUNTS : undefined),
    seed: wholeNumber(given, 'seed', 0, 2 ** 32 - 1),
    steps: wholeNumber(given, 'steps', 1, MOST_STEPS),
    exact: given.has('exact') || undefined,
  };
  const backend = oneOf(given, 'backend', BACKENDS) ?? 'gpu';
  const limit = wholeNumber(given, 'limit', 1, 86_400);
  const printer = new Printer(given.has('json'));
  const browser = browserIn(given);
  const report = browser
    ? await verifyInBrowser({
        browser,
        options,
        limit: 1000 * (limit ?? DEFAULT_LIMIT),
        onAnswer: (answer) => printer.show(answer),
      })
    : await verifyHere(backend, options, isLong, printer);
  printer.end();
  if (browser) requireChecked(report, browser);
  printer.print(report);
  return report.pass ? 0 : 1;
}

/** Refuses flags that --exact would ignore: the recorded cases have their own scenes, counts, steps and seeds. */
function refuseWithExact(given: Given): void {
  for (const name of ['scene', 'count', 'steps', 'seed']) {
    if (given.has(name)) throw new UsageError(`--exact cannot be given with --${name}; leave one out.`);
  }
}

/** Returns the browser that --browser selects, if any. Rejects flags that do not go with it. */
function browserIn(given: Given): NamedBrowser | undefined {
  const wanted = given.get('browser');
  if (wanted === undefined) {
    if (given.has('limit')) throw new UsageError('--limit needs --browser; add it or leave --limit out.');
    return undefined;
  }
  for (const name of ['backend', 'long']) {
    if (given.has(name)) throw new UsageError(`--browser cannot be given with --${name}; leave one out.`);
  }
  const browser = browserOf(wanted);
  if (browser && wanted === '') process.stderr.write(`The first browser found is ${browser.command}.\n`);
  if (browser) return browser;
  throw new UsageError(
    `--browser is ${wanted}, but it must be one of ${BROWSER_NAMES.join(', ')} or the path of a browser.`,
  );
}

async function verifyHere(
  backend: Backend,
  options: VerifyOptions,
  isLong: boolean,
  printer: Printer,
): Promise<VerifyReport> {
  const began = performance.now();
  const largest = largestVerified(options);
  const host =
    backend === 'gpu' ? await openGpu(largest.particles, largest.cells, largest.dimensions) : undefined;
  const adapter = host ? describeAdapter(host) : describeCpu();
  const subject = host ? { gpu: host.gpu } : { createCpu: createCpuSimulation };
  const cases: VerifyCase[] = [];
  const complaints: string[] = [];
  host?.gpu.device.addEventListener('uncapturederror', (event) => complaints.push(event.error.message));
  printer.show({ kind: 'began', adapter });
  const onCheckStep: OnCheckStep = (check, done, total) => printer.showStep(check, done, total);
  const take = (found: VerifyCase) => {
    cases.push(found);
    printer.show({ kind: 'case', found });
  };
  const dimensions = options.dimensions ?? [2, 3];
  if (options.exact) {
    for await (const one of verifyExact(subject, dimensions)) take(one);
    if (isLong) for await (const one of verifyExactLong(subject, dimensions, onCheckStep)) take(one);
  } else {
    const onStart = (what: string, done: number, total: number) =>
      printer.show({ kind: 'progress', what, done, total });
    for await (const one of verifyCases(subject, options, onStart)) take(one);
    if (isLong) {
      for await (const one of verifyGuarantees(subject, dimensions, onCheckStep)) take(one);
      for await (const one of verifyFluid(host?.gpu, dimensions, onCheckStep)) {
        take({ scene: 'fluid', ...one });
      }
    }
  }
  host?.gpu.destroy();
  return reportOf({
    version,
    runtime: `Node ${process.version}`,
    adapter,
    options,
    cases,
    complaints,
    notes: options.exact ? [] : describeCaps(options),
    seconds: (performance.now() - began) / 1000,
  });
}

/** Prints a table to stdout while the checks run, or with --json only the report. Progress goes to stderr. */
class Printer {
  private scenes: Progress | undefined;
  private readonly steps = new Progresses('steps');

  constructor(private readonly isJson: boolean) {}

  show(answer: VerifyAnswer): void {
    if (answer.kind === 'progress') {
      this.scenes ??= new Progress('starting states', answer.total);
      this.scenes.show(answer.done, answer.what);
    } else if (answer.kind === 'began' && !this.isJson) {
      process.stdout.write(`${answer.adapter}\n\n${tableRow(HEAD)}\n`);
    } else if (answer.kind === 'case') {
      this.end();
      const { scene, dimensions, count, check, pass, detail } = answer.found;
      const cells = [pass ? 'ok' : 'FAIL', scene, `${dimensions}D`, formatCount(count), check, detail];
      if (!this.isJson) process.stdout.write(`${tableRow(cells)}\n`);
    }
  }

  showStep(check: string, done: number, total: number): void {
    this.steps.show(check, done, total);
  }

  end(): void {
    this.scenes?.end();
    this.steps.end();
  }

  print(report: VerifyReport): void {
    if (this.isJson) {
      process.stdout.write(`${JSON.stringify(report, undefined, 1)}\n`);
      return;
    }
    for (const complaint of report.complaints) process.stdout.write(`the GPU reported: ${complaint}\n`);
    process.stdout.write(`\n${conclusionOf(report)} Took ${formatSeconds(report.seconds)}.\n`);
    for (const note of report.notes) process.stdout.write(`${note}\n`);
  }
}

const HEAD = ['', 'scene', '', 'particles', 'check', 'found'] as const;
const WIDTHS = [4, 20, 2, 9, 14, 0] as const;

/** Formats a row of the table. Rows are printed one by one, so column widths are fixed. */
function tableRow(cells: readonly string[]): string {
  const row = cells.map((cell, column) => {
    const width = WIDTHS[column] ?? 0;
    return column === 3 ? cell.padStart(width) : cell.padEnd(width);
  });
  const { stdout } = process;
  return stdout.isTTY ? formatWrapped([row], widthOf(stdout)) : formatTable([row]);
}
