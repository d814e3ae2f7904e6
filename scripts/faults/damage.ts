/**
 * Tries damaged state files, particle tables, page addresses and options. Each must give a valid result or a
 * CellstormError of one sentence, within a second of processor time and 1 GiB of memory. Child processes run the cases,
 * so that this process notices an endless case.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Figures, Part } from '../trust/results';
import type { Report } from './damaged/run';

const RUN = fileURLToPath(new URL('../run.mjs', import.meta.url));
const CASES = fileURLToPath(new URL('damaged/run.ts', import.meta.url));

/** Cases per process. */
const BATCH = 2500;
/** A case that runs longer counts as endless. */
const PATIENCE_MS = 60_000;

export async function runDamage(part: Part, files: number, seed: number): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'cellstorm-damage-'));
  const counts: Record<string, { accepted: number; rejected: number }> = {};
  let [peak, slowest] = [0, 0];
  for (let begin = 0; begin < files; ) {
    const end = Math.min(files, begin + BATCH);
    const faults: string[] = [];
    const outcome = await runBatch(begin, end, seed, join(folder, 'progress'), faults);
    for (const fault of faults) part.fail(fault);
    if ('stuck' in outcome) {
      part.fail(`case ${outcome.stuck} (seed ${seed}): ${outcome.reason}`);
      part.pass(outcome.stuck - begin - faults.length);
      begin = outcome.stuck + 1;
      continue;
    }
    const { report } = outcome;
    part.pass(end - begin - faults.length);
    for (const [kind, [accepted, rejected]] of Object.entries(report.counts)) {
      const sum = counts[kind] ?? { accepted: 0, rejected: 0 };
      counts[kind] = { accepted: sum.accepted + accepted, rejected: sum.rejected + rejected };
    }
    peak = Math.max(peak, report.peak);
    slowest = Math.max(slowest, report.slowest);
    part.say(`${end} cases, ${JSON.stringify(counts)}`);
    begin = end;
  }
  rmSync(folder, { recursive: true });
  return {
    files,
    seed,
    counts,
    peakMiB: Math.round(peak),
    slowestSeconds: Math.round(1000 * slowest) / 1000,
  };
}

type Outcome = { readonly report: Report } | { readonly stuck: number; readonly reason: string };

/**
 * Runs the cases `begin` to `end` − 1. Returns their report, or the number of a case that does not end or that kills
 * the process. Adds a sentence per fault to `faults`.
 */
function runBatch(
  begin: number,
  end: number,
  seed: number,
  progress: string,
  faults: string[],
): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = fork(RUN, [CASES, ...[begin, end, seed].map(String), progress], {
      serialization: 'advanced',
    });
    let last = -1;
    let since = Date.now();
    const current = () => {
      try {
        return Number(readFileSync(progress, 'utf8'));
      } catch {
        return begin;
      }
    };
    const watch = setInterval(() => {
      const now = current();
      if (now !== last) [last, since] = [now, Date.now()];
      if (Date.now() - since < PATIENCE_MS) return;
      finish({ stuck: now, reason: `does not end within ${PATIENCE_MS / 1000} s` });
      child.kill('SIGKILL');
    }, 1000);
    let isDone = false;
    const finish = (outcome: Outcome) => {
      if (isDone) return;
      isDone = true;
      clearInterval(watch);
      resolve(outcome);
    };
    child.on('message', (message) => {
      if (typeof message === 'string') faults.push(message);
      else finish({ report: message as Report });
    });
    child.once('exit', (code) => finish({ stuck: current(), reason: `the process ended with ${code}` }));
  });
}
