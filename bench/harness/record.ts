/** The record of a run: machine, settings, and an outcome per engine and case. */
import { type Curve, crossingOf, growthOf } from '../../src/core/base/curves';
import { ArgumentError } from '../../src/core/base/errors';
import type { Dimensions } from '../../src/core/world/world';
import {
  BACKENDS,
  type Backend,
  COUNTED,
  type Counted,
  type Found,
  type OwnDevice,
  type Work,
} from './engine';
import type { ClockSource } from './gpu-clock';
import type { Statistics } from './statistics';

export const FORMAT = 'cellstorm-bench';
export const FORMAT_VERSION = 2;

export const STATUSES = ['timed', 'wrong', 'failed', 'skipped', 'stopped', 'refused'] as const;
/**
 * - `timed`: the engine has times.
 * - `wrong`: the engine found wrong pairs.
 * - `failed`: the engine threw an error, or its device's clock ran backwards in all samples.
 * - `skipped`: the engine would have exceeded the time limit.
 * - `stopped`: the engine exceeded the time limit.
 * - `refused`: there are too many bodies, the engine does not accept the scene, or memory, a package, a program or a
 *   GPU is missing.
 */
export type Status = (typeof STATUSES)[number];

export interface CaseName {
  readonly scene: string;
  readonly dimensions: Dimensions;
  readonly count: number;
}

export interface CountedWork extends Work {
  /** The pairs that the counted query found. In a moving scene, other frames have other pairs. */
  readonly pairs: number;
}

export interface Outcome extends CaseName {
  readonly engine: string;
  readonly backend: Backend;
  readonly peer?: string | undefined;
  /** The name of a native engine's device; undefined for other engines. */
  readonly device?: string | undefined;
  readonly status: Status;
  /** Why the engine has no time, in sentences. */
  readonly reason?: string | undefined;
  readonly found?: Found | undefined;
  /** The oracle's answer, if it was compared. */
  readonly expected?: Found | undefined;
  readonly build?: Statistics | undefined;
  readonly query?: Statistics | undefined;
  readonly total?: Statistics | undefined;
  /** Builds and queries per sample. */
  readonly batch?: number | undefined;
  /** The clock's step as a share of the median sample. */
  readonly stepShare?: number | undefined;
  /** Samples in which the device's clock ran backwards. */
  readonly discarded?: number | undefined;
  /** True if the engine was timed alone: it did not fit into memory with the others, or its device was lost. */
  readonly apart?: boolean | undefined;
  readonly clock?: ClockSource | undefined;
  /** Median time × copy bandwidth ÷ number of bodies. */
  readonly bytesEquivalent?: number | undefined;
  /** Bytes, if the engine reports its memory. */
  readonly memoryPerBody?: number | undefined;
  /** Undefined if the engine cannot tell, and in older records. */
  readonly work?: CountedWork | undefined;
}

export function testsPerBody({ work, count }: Pick<Outcome, 'work' | 'count'>): number | undefined {
  return work && count > 0 ? work.tests / count : undefined;
}

/** Returns pairs ÷ tests; undefined without tests. */
export function hitRatio({ work }: Pick<Outcome, 'work'>): number | undefined {
  return work && work.tests > 0 ? work.pairs / work.tests : undefined;
}

/** False for older records. */
export function hasWork(outcomes: readonly Outcome[]): boolean {
  return outcomes.some(({ work }) => work !== undefined);
}

export interface Measured {
  /** Counts the bytes that one thread reads and the bytes that it writes. */
  readonly copyBytesPerMs: number;
  readonly copyBytes: number;
  /** Counts the bytes read and the bytes written. Undefined before an engine uses the GPU. */
  readonly gpuCopyBytesPerMs?: number | undefined;
  readonly gpuCopyBytes?: number | undefined;
  readonly gpuClock?: ClockSource | undefined;
  /** In nanoseconds: the timestamps' step or, with the wall clock, a submission's latency. */
  readonly gpuClockStep?: number | undefined;
  readonly devices?: readonly OwnDevice[] | undefined;
}

export interface Machine extends Measured {
  readonly cpu: string;
  readonly cores: number;
  /** "Node v20.19.0", for example, or the browser's user agent. */
  readonly runtime: string;
  /** The mean load in the minute before the run. */
  readonly load?: number | undefined;
  readonly adapter?: string | undefined;
  readonly driver?: string | undefined;
  readonly flags?: readonly string[] | undefined;
}

export interface BenchRecord {
  readonly format: typeof FORMAT;
  readonly formatVersion: typeof FORMAT_VERSION;
  readonly version: string;
  readonly commit: string | undefined;
  /** Time of the start, in ISO 8601. */
  readonly began: string;
  /** Undefined if the run was cut off or still runs. */
  readonly ended?: string | undefined;
  readonly seed: number;
  readonly repeat: number;
  /** The time limit of one build and query, in milliseconds. */
  readonly limit: number;
  readonly machine: Machine;
  readonly outcomes: readonly Outcome[];
}

/** How the times of one engine in one scene grow with the number of bodies. */
export interface Growth {
  readonly engine: string;
  readonly backend: Backend;
  readonly scene: string;
  readonly dimensions: Dimensions;
  readonly curve: Curve;
  /** Times grow with this power of the count; undefined if there are fewer than three counts. */
  readonly exponent: number | undefined;
  /**
   * The interpolated count from which the engine is faster than testing all pairs on the same backend. 0 if the engine
   * is never slower at a count at which both were timed. Infinity if the engine is slower at the largest such count.
   * Undefined if the engine was not compared with testing all pairs.
   */
  readonly crossover: number | undefined;
}

/** Yardsticks accept only scenes of one radius, and users cannot install them. */
export function isYardstick({ engine, device }: Outcome): boolean {
  return device !== undefined || engine === 'cpu-tight';
}

export const NAIVE: Readonly<Record<Backend, string>> = { gpu: 'gpu-naive', cpu: 'cpu-naive' };
export const DENSE_GRID: Readonly<Record<Backend, string>> = { gpu: 'gpu-grid', cpu: 'cpu-grid' };

export function growthsOf(outcomes: readonly Outcome[]): Growth[] {
  const curves = new Map<string, { first: Outcome; curve: { count: number; milliseconds: number }[] }>();
  for (const outcome of outcomes) {
    // Logarithmic axes cannot show zeros.
    if (!outcome.total || outcome.count === 0 || outcome.total.median === 0) continue;
    const key = `${outcome.engine}\n${outcome.scene}\n${outcome.dimensions}`;
    const known = curves.get(key) ?? { first: outcome, curve: [] };
    known.curve.push({ count: outcome.count, milliseconds: outcome.total.median });
    curves.set(key, known);
  }
  return [...curves.values()].map(({ first, curve }) => {
    const { engine, backend, scene, dimensions } = first;
    curve.sort((a, b) => a.count - b.count);
    // No engine tests all pairs on a native engine's device.
    const naive = first.device ? undefined : curves.get(`${NAIVE[backend]}\n${scene}\n${dimensions}`)?.curve;
    const crossing = naive && engine !== NAIVE[backend] ? crossingOf(naive, curve) : undefined;
    const crossover =
      crossing?.kind === 'at'
        ? crossing.count
        : crossing && (crossing.kind === 'first-always' ? Number.POSITIVE_INFINITY : 0);
    return { engine, backend, scene, dimensions, curve, exponent: growthOf(curve), crossover };
  });
}

const CSV_COLUMNS: readonly (readonly [string, (outcome: Outcome) => string | number | undefined])[] = [
  ['scene', ({ scene }) => scene],
  ['dimensions', ({ dimensions }) => dimensions],
  ['count', ({ count }) => count],
  ['engine', ({ engine }) => engine],
  ['backend', ({ backend }) => backend],
  ['package', ({ peer }) => peer],
  ['status', ({ status }) => status],
  ['pairs', ({ found }) => found?.pairs],
  ['build_ms', ({ build }) => build?.median],
  ['query_ms', ({ query }) => query?.median],
  ['total_ms', ({ total }) => total?.median],
  ['total_p95_ms', ({ total }) => total?.p95],
  ['total_least_ms', ({ total }) => total?.least],
  ['spread', ({ total }) => total?.spread],
  ['samples', ({ total }) => total?.samples],
  ['clock', ({ clock }) => clock],
  ['device', ({ device }) => device],
  ['step_share', ({ stepShare }) => stepShare],
  ['discarded', ({ discarded }) => discarded],
  ['apart', ({ apart }) => (apart ? 'yes' : undefined)],
  ['bytes_equivalent', ({ bytesEquivalent }) => bytesEquivalent],
  ['memory_per_body', ({ memoryPerBody }) => memoryPerBody],
  ['candidates', ({ work }) => work?.candidates],
  ['tests', ({ work }) => work?.tests],
  ['tests_per_body', testsPerBody],
  ['hit_ratio', hitRatio],
  ['counted', ({ work }) => work?.counted],
  ['reason', ({ reason }) => reason],
];

/** Formats outcomes as CSV. Cells are quoted as in RFC 4180, but lines end with a line feed only. */
export function toCsv(outcomes: readonly Outcome[]): string {
  const cell = (value: string | number | undefined) => {
    const text = value === undefined ? '' : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = outcomes.map((outcome) => CSV_COLUMNS.map(([, read]) => cell(read(outcome))).join(','));
  return `${[CSV_COLUMNS.map(([name]) => name).join(','), ...lines].join('\n')}\n`;
}

/** Reads a record. Throws an ArgumentError that names `source`. */
export function parseRecord(source: string, text: string): BenchRecord {
  const refuse = (got: unknown) =>
    new ArgumentError(source, got, `a record of "cellstorm bench --json", format version ${FORMAT_VERSION}`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw refuse('not JSON');
  }
  const record = parsed as Partial<BenchRecord> | null;
  if (record?.format !== FORMAT) throw refuse('another kind of JSON');
  if (record.formatVersion !== FORMAT_VERSION) throw refuse(`format version ${record.formatVersion}`);
  if (!Array.isArray(record.outcomes) || !record.outcomes.every(isOutcome)) {
    throw refuse('a record whose outcomes are missing or malformed');
  }
  if (typeof record.began !== 'string' || !Number.isFinite(record.machine?.copyBytesPerMs)) {
    throw refuse('a record that lacks its date or its machine');
  }
  return record as BenchRecord;
}

function isOutcome(value: unknown): boolean {
  const outcome = value as Partial<Outcome> | null;
  return (
    typeof outcome?.engine === 'string' &&
    typeof outcome.scene === 'string' &&
    BACKENDS.includes(outcome.backend as Backend) &&
    (outcome.dimensions === 2 || outcome.dimensions === 3) &&
    isMeasure(outcome.count) &&
    STATUSES.includes(outcome.status as Status) &&
    (outcome.work === undefined || isWork(outcome.work)) &&
    (outcome.status !== 'timed' || (isMeasure(outcome.total?.median) && isMeasure(outcome.total?.spread)))
  );
}

function isWork(value: unknown): boolean {
  const { candidates, tests, pairs, counted } = (value ?? {}) as Partial<CountedWork>;
  return (
    (candidates === undefined || isMeasure(candidates)) &&
    isMeasure(tests) &&
    isMeasure(pairs) &&
    COUNTED.includes(counted as Counted)
  );
}

function isMeasure(value: unknown): boolean {
  return Number.isFinite(value) && (value as number) >= 0;
}
