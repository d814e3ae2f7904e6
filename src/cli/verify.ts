/**
 * `cellstorm verify`: compares an engine with the reference on every collision scene. With --long, also checks
 * guarantees over long runs, and the fluid. Exits with 1 if a check fails or the GPU reports an error.
 */

import { createCpuSimulation } from '../cpu';
import { sceneNames } from '../scenes';
import { verifyFluid } from '../verify/fluid';
import { verifyGuarantees } from '../verify/guarantees';
import type { OnCheckStep } from '../verify/progress';
import {
  DEFAULT_COUNTS,
  describeCaps,
  largestVerified,
  type VerifyCase,
  verify as verifyCases,
} from '../verify/verify';
import { type Flags, oneOf, parseFlags, severalOf, wholeNumber, wholeNumbers } from './arguments';
import { BACKEND_FLAG, BACKENDS, describeAdapter, describeCpu, openGpu } from './backend';
import { formatCount, formatSeconds, formatTable, formatWrapped, Progresses, widthOf } from './output';

/** With --long and without --count. A million takes minutes on a software GPU. */
const LONG_COUNTS: readonly number[] = [...DEFAULT_COUNTS, 1_000_000];

export const VERIFY_FLAGS: Flags = {
  scene: { value: 'a,b', help: `scenes to check (default all): ${sceneNames().join(', ')}` },
  dimensions: { value: '2,3', help: 'dimensions to check (default both)' },
  count: { value: 'n,m', help: `numbers of particles (default ${DEFAULT_COUNTS.join(', ')})` },
  seed: { value: 'n', help: 'seed of the scenes (default 1)' },
  long: { help: 'also check a million particles, the guarantees over a thousand steps, and the fluid' },
  backend: BACKEND_FLAG,
  json: { help: 'print { adapter, cases, pass, complaints } as JSON' },
  help: { help: 'print this help' },
};

export async function verify(argv: readonly string[]): Promise<number> {
  const given = parseFlags('verify', VERIFY_FLAGS, argv);
  const dimensions = severalOf(given, 'dimensions', ['2', '3'])?.map((text) => (text === '2' ? 2 : 3));
  const options = {
    scenes: severalOf(given, 'scene', sceneNames()),
    dimensions,
    counts:
      wholeNumbers(given, 'count', 0, 100_000_000) ?? (given.has('long') ? LONG_COUNTS : DEFAULT_COUNTS),
    seed: wholeNumber(given, 'seed', 0, 2 ** 32 - 1),
  };
  const backend = oneOf(given, 'backend', BACKENDS) ?? 'gpu';
  const largest = largestVerified(options);
  const host =
    backend === 'gpu' ? await openGpu(largest.particles, largest.cells, largest.dimensions) : undefined;
  const adapter = host ? describeAdapter(host) : describeCpu();
  const subject = host ? { gpu: host.gpu } : { createCpu: createCpuSimulation };
  const json = given.has('json');
  const cases: VerifyCase[] = [];
  const began = performance.now();
  const complaints: string[] = [];
  host?.gpu.device.addEventListener('uncapturederror', (event) => complaints.push(event.error.message));
  if (!json) process.stdout.write(`${adapter}\n\n${tableRow(HEAD)}\n`);
  const progress = new Progresses('steps');
  const onCheckStep: OnCheckStep = (check, done, total) => progress.show(check, done, total);
  const take = (found: VerifyCase) => {
    progress.end();
    cases.push(found);
    if (json) return;
    const { scene, count, check, pass, detail } = found;
    process.stdout.write(
      `${tableRow([pass ? 'ok' : 'FAIL', scene, `${found.dimensions}D`, formatCount(count), check, detail])}\n`,
    );
  };
  for await (const found of verifyCases(subject, options)) take(found);
  if (given.has('long')) {
    for await (const found of verifyGuarantees(subject, dimensions ?? [2, 3], onCheckStep)) take(found);
    for await (const found of verifyFluid(host?.gpu, dimensions ?? [2, 3], onCheckStep))
      take({ scene: 'fluid', ...found });
  }
  const failed = cases.filter((found) => !found.pass).length;
  const pass = failed === 0 && complaints.length === 0;
  if (json) process.stdout.write(`${JSON.stringify({ adapter, cases, pass, complaints }, undefined, 1)}\n`);
  else {
    for (const complaint of complaints) process.stdout.write(`the GPU reported: ${complaint}\n`);
    process.stdout.write(
      `\n${cases.length - failed} of ${cases.length} checks passed in ${formatSeconds((performance.now() - began) / 1000)}.\n`,
    );
  }
  if (!json) for (const note of describeCaps(options)) process.stdout.write(`${note}\n`);
  host?.gpu.destroy();
  return pass ? 0 : 1;
}

const HEAD = ['', 'scene', '', 'particles', 'check', 'found'] as const;
const WIDTHS = [4, 15, 2, 9, 14, 0] as const;

/** Rows are printed one by one, so column widths are fixed. */
function tableRow(cells: readonly string[]): string {
  const row = cells.map((cell, column) => {
    const width = WIDTHS[column] ?? 0;
    return column === 3 ? cell.padStart(width) : cell.padEnd(width);
  });
  const { stdout } = process;
  return stdout.isTTY ? formatWrapped([row], widthOf(stdout)) : formatTable([row]);
}
