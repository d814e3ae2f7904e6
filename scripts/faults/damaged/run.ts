/**
 * Opens damaged inputs in a process that scripts/faults/damage.ts watches. Sends a message per fault, then a report.
 * Arguments, in order:
 *
 * - the first case
 * - the number after the last case
 * - the seed
 * - a file for the number of the case in progress
 */
import { openSync, readFileSync, writeSync } from 'node:fs';
import { CellstormError, GpuError } from '../../../src/core/base/errors';
import { createNoise } from '../../../src/testing/noise';
import { describeError } from '../../trust/time-limit';
import { openAddress, openStateFile, openTable } from './files';
import { damagedCall } from './options';

/** Limits of the processor time per case, in seconds, and of the memory of the process, in KiB. */
const MOST_SECONDS = 1;
const MOST_MEMORY = 2 ** 20;

/** Cases between two returns to the event loop, which sends the messages. */
const CASES_PER_TURN = 16;

export interface Report {
  readonly counts: Readonly<Record<string, readonly [accepted: number, rejected: number]>>;
  /** Peak memory of the process, in MiB. */
  readonly peak: number;
  /** Greatest processor time of a case, in seconds. */
  readonly slowest: number;
}

const KINDS = ['state file', 'particle table', 'page address', 'options'] as const;
type Kind = (typeof KINDS)[number];

const [begin = 0, end = 0, seed = 0] = process.argv.slice(2, 5).map(Number);
const progress = openSync(process.argv[5] as string, 'w');
const counts: Record<string, [number, number]> = Object.fromEntries(KINDS.map((kind) => [kind, [0, 0]]));
const send = (message: string | Report) => process.send?.(message);
let slowest = 0;
let isLarge = false;

for (let index = begin; index < end; index++) {
  writeSync(progress, String(index).padStart(12), 0);
  const kind = KINDS[index % KINDS.length] as Kind;
  const noise = createNoise(seed * 1_000_003 + index);
  // Skip the first numbers, which are similar for close seeds.
  for (let round = 0; round < 8; round++) noise();
  const call =
    kind === 'options' ? await damagedCall(noise) : { name: kind, run: () => openFile(kind, noise) };
  const where = `case ${index} (seed ${seed}), ${call.name}`;
  // Measure processor time, which other work on the machine disturbs less than elapsed time.
  const before = process.cpuUsage();
  try {
    await call.run();
    (counts[kind] as [number, number])[0]++;
  } catch (error) {
    (counts[kind] as [number, number])[1]++;
    const isSentence =
      error instanceof CellstormError && (isOfDevice(error) || /^[^\n]+\.$/.test(error.message));
    if (!isSentence) {
      const stack = error instanceof Error ? (error.stack ?? '').split('\n').slice(1, 4).join(' ') : '';
      send(`${where}: ${describeError(error)}${stack}`);
    }
  }
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  slowest = Math.max(slowest, seconds);
  if (seconds > MOST_SECONDS) send(`${where}: takes ${seconds.toFixed(1)} s of processor time`);
  if (!isLarge && peakMemory() > MOST_MEMORY) {
    isLarge = true;
    send(`${where}: the process takes more than 1 GiB`);
  }
  if (index % CASES_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
}
const report: Report = { counts, peak: peakMemory() / 1024, slowest };
process.send?.(report, () => process.exit(0));

/**
 * Returns the peak memory in KiB. Does not use maxRSS on Linux, because maxRSS may count memory of the parent process.
 */
function peakMemory(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS;
  const peak = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  if (peak === undefined) throw new Error('/proc/self/status has no VmHWM');
  return Number(peak);
}

/** True for the device's own messages, which may have several lines. */
function isOfDevice(error: CellstormError): boolean {
  return error instanceof GpuError && error.reason === 'memory';
}

function openFile(kind: Exclude<Kind, 'options'>, noise: () => number): boolean {
  return { 'state file': openStateFile, 'particle table': openTable, 'page address': openAddress }[kind](
    noise,
  );
}
