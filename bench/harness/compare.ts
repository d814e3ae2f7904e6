/** Compares two records: their settings, the times that both have, and the times that only one has. */
import type { BenchRecord, CaseName, Outcome, Status } from './record';
import type { Statistics } from './statistics';

export interface Change extends CaseName {
  readonly engine: string;
  /** Median milliseconds. */
  readonly before: number;
  readonly after: number;
  /** `after` ÷ `before`. */
  readonly ratio: number;
  readonly verdict: 'faster' | 'slower' | 'the same';
}

/** An engine's outcome that is in both records, but has a time only in the earlier record. */
export interface Loss extends CaseName {
  readonly engine: string;
  readonly status: Status;
  readonly reason: string | undefined;
}

export interface Comparison {
  /** One sentence per setting or machine property that differs. */
  readonly differences: readonly string[];
  readonly changes: readonly Change[];
  readonly losses: readonly Loss[];
  /** Earlier times that were not measured again. */
  readonly notRun: number;
  readonly added: number;
}

const LEAST_CHANGE = 0.05;
/** A change of less than this multiple of the sum of both spreads counts as noise. */
const SPREADS = 1.5;

/** Returns the share by which noise alone may make two medians differ. */
export function noiseOf(one: Statistics, other: Statistics): number {
  return Math.max(LEAST_CHANGE, SPREADS * (one.spread + other.spread));
}

export function compareRecords(before: BenchRecord, after: BenchRecord): Comparison {
  const old = new Map(before.outcomes.map((outcome) => [keyOf(outcome), outcome]));
  const now = new Set(after.outcomes.map(keyOf));
  const both = after.outcomes.flatMap((outcome) => {
    const earlier = old.get(keyOf(outcome));
    return earlier ? [{ earlier, outcome }] : [];
  });
  return {
    differences: differencesOf(before, after),
    changes: both.flatMap(({ earlier, outcome }) => changeOf(earlier, outcome) ?? []),
    losses: both.flatMap(({ earlier, outcome }) => {
      const { engine, scene, dimensions, count, status, reason } = outcome;
      return earlier.total && !outcome.total ? [{ engine, scene, dimensions, count, status, reason }] : [];
    }),
    notRun: before.outcomes.filter((outcome) => outcome.total && !now.has(keyOf(outcome))).length,
    added: after.outcomes.filter((outcome) => outcome.total && !old.get(keyOf(outcome))?.total).length,
  };
}

function keyOf({ engine, scene, dimensions, count }: Outcome): string {
  return `${engine}\n${scene}\n${dimensions}\n${count}`;
}

function changeOf({ total: old }: Outcome, outcome: Outcome): Change | undefined {
  const { total, engine, scene, dimensions, count } = outcome;
  if (!old || !total) return undefined;
  const ratio = total.median / old.median;
  const noise = noiseOf(old, total);
  const verdict = ratio > 1 + noise ? 'slower' : ratio < 1 / (1 + noise) ? 'faster' : 'the same';
  return { engine, scene, dimensions, count, before: old.median, after: total.median, ratio, verdict };
}

function differencesOf(before: BenchRecord, after: BenchRecord): string[] {
  const settings: readonly (readonly [string, (record: BenchRecord) => string | number | undefined])[] = [
    ['seed', ({ seed }) => seed],
    ['processor', ({ machine }) => machine.cpu],
    ['number of cores', ({ machine }) => machine.cores],
    ['runtime', ({ machine }) => machine.runtime],
    ['adapter', ({ machine }) => machine.adapter],
    ['driver', ({ machine }) => machine.driver],
    ['set of flags', ({ machine }) => machine.flags?.join(' ')],
    ['GPU clock', ({ machine }) => machine.gpuClock],
    ['device of native engines', ({ machine }) => machine.devices?.map(({ name }) => name).join(' and ')],
    ['number of rounds', ({ repeat }) => repeat],
    ['limit', ({ limit }) => `${limit} ms`],
  ];
  return settings.flatMap(([name, read]) => {
    const [old, now] = [read(before), read(after)];
    if (old === now) return [];
    const meaning = name === 'seed' ? ' The bodies differ, so the times are not comparable.' : '';
    return [`The ${name} was ${old ?? 'not recorded'} and is ${now ?? 'not recorded'} now.${meaning}`];
  });
}
