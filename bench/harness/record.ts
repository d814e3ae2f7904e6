/**
 * Purpose: what a run of the benchmark leaves: one record that says on what it was measured, and an outcome for each
 * engine and case; as JSON, as CSV, and beside an earlier one.
 */
import { type Curve, crossingOf, growthOf } from '../../src/core/base/curves';
import { ArgumentError } from '../../src/core/base/errors';
import type { Dimensions } from '../../src/core/world/world';
import { BACKENDS, type Backend, type Found, type OwnDevice } from './engine';
import type { ClockSource } from './gpu-clock';
import type { Statistics } from './statistics';

export const FORMAT = 'cellstorm-bench';
export const FORMAT_VERSION = 2;

export const STATUSES = ['timed', 'wrong', 'failed', 'skipped', 'stopped', 'refused'] as const;
/**
 * `wrong`: other pairs than there are. `skipped`: it would have taken too long. `stopped`: it did take too long. `refused`:
 * the engine does not take the scene.
 */
export type Status = (typeof STATUSES)[number];

export interface CaseName {
  readonly scene: string;
  readonly dimensions: Dimensions;
  readonly count: number;
}

export interface Outcome extends CaseName {
  readonly engine: string;
  readonly backend: Backend;
  /** Whose it is, where it is not ours. */
  readonly peer?: string | undefined;
  /** What it was timed on, where that is neither the adapter nor the processor's one thread. */
  readonly device?: string | undefined;
  readonly status: Status;
  /** Why there is no time. */
  readonly reason?: string | undefined;
  readonly found?: Found | undefined;
  /** What the oracle found. */
  readonly expected?: Found | undefined;
  readonly build?: Statistics | undefined;
  readonly query?: Statistics | undefined;
  readonly total?: Statistics | undefined;
  /** Builds and queries in one sample. */
  readonly batch?: number | undefined;
  /** Of a typical sample: how large a part of it the step of the clock is. */
  readonly stepShare?: number | undefined;
  /** Samples thrown away, since the device's clock ran backwards in them. */
  readonly discarded?: number | undefined;
  /** It was timed by itself: beside the others of its case there was no room for it. */
  readonly apart?: boolean | undefined;
  readonly clock?: ClockSource | undefined;
  /** Time × copy bandwidth of the same device ÷ bodies. */
  readonly bytesEquivalent?: number | undefined;
  readonly memoryPerBody?: number | undefined;
}

/** What a run measures of the machine beside engines. */
export interface Measured {
  /** Bytes a millisecond that copying moves on one thread, reads and writes both counted. */
  readonly copyBytesPerMs: number;
  /** Of each of these copies. */
  readonly copyBytes: number;
  /** The same of the GPU; undefined until an engine needed it. */
  readonly gpuCopyBytesPerMs?: number | undefined;
  readonly gpuCopyBytes?: number | undefined;
  readonly gpuClock?: ClockSource | undefined;
  /** Nanoseconds that all of the GPU's timestamps were multiples of, or by the wall, that a submission of nothing takes. */
  readonly gpuClockStep?: number | undefined;
  /** What engines ran on that are neither JavaScript nor WebGPU, as they say themselves. */
  readonly devices?: readonly OwnDevice[] | undefined;
}

export interface Machine extends Measured {
  readonly cpu: string;
  readonly cores: number;
  /** "Node v20.19.0", or what the browser calls itself. */
  readonly runtime: string;
  /** Of the last minute when the run began. */
  readonly load?: number | undefined;
  readonly adapter?: string | undefined;
  readonly driver?: string | undefined;
  /** Of the browser, as far as it or the visitor tells, or of Dawn. */
  readonly flags?: readonly string[] | undefined;
}

export interface BenchRecord {
  readonly format: typeof FORMAT;
  readonly formatVersion: typeof FORMAT_VERSION;
  readonly version: string;
  readonly commit: string | undefined;
  /** ISO 8601. */
  readonly began: string;
  /** Undefined of a run that was cut off, or is still under way: cases are missing. */
  readonly ended?: string | undefined;
  readonly seed: number;
  /** Timed rounds. */
  readonly repeat: number;
  /** Milliseconds that a build and query may take. */
  readonly limit: number;
  readonly machine: Machine;
  readonly outcomes: readonly Outcome[];
}

/** Engine, scene and dimensions: what a curve over counts is of. */
export interface Growth {
  readonly engine: string;
  readonly backend: Backend;
  readonly scene: string;
  readonly dimensions: Dimensions;
  readonly curve: Curve;
  /** Undefined of fewer than three sizes in the last decade. */
  readonly exponent: number | undefined;
  /** Below so many bodies all pairs of the same backend are faster; 0 if they never were, infinity if they always were. */
  readonly crossover: number | undefined;
}

/**
 * Whether an engine is only there for the public grids to be measured by: it takes no other scenes than these, and nobody
 * can install it. On the GPU those are who run on a device of their own.
 */
export function isYardstick({ engine, device }: Outcome): boolean {
  return device !== undefined || engine === 'cpu-tight';
}

/** Who looks at all pairs. */
export const NAIVE: Readonly<Record<Backend, string>> = { gpu: 'gpu-naive', cpu: 'cpu-naive' };
/** The dense grid that cellstorm is made around. */
export const DENSE_GRID: Readonly<Record<Backend, string>> = { gpu: 'gpu-grid', cpu: 'cpu-grid' };

export function growthsOf(outcomes: readonly Outcome[]): Growth[] {
  const curves = new Map<string, { first: Outcome; curve: { count: number; milliseconds: number }[] }>();
  for (const outcome of outcomes) {
    // Nobody has no place on a logarithm, nor what took less than the clock can tell.
    if (!outcome.total || outcome.count === 0 || outcome.total.median === 0) continue;
    const key = `${outcome.engine}\n${outcome.scene}\n${outcome.dimensions}`;
    const known = curves.get(key) ?? { first: outcome, curve: [] };
    known.curve.push({ count: outcome.count, milliseconds: outcome.total.median });
    curves.set(key, known);
  }
  return [...curves.values()].map(({ first, curve }) => {
    const { engine, backend, scene, dimensions } = first;
    curve.sort((a, b) => a.count - b.count);
    // On a device of its own an engine has nobody beside it who looks at all pairs.
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
  ['reason', ({ reason }) => reason],
];

/** RFC 4180: a head, then a line an outcome. */
export function toCsv(outcomes: readonly Outcome[]): string {
  const cell = (value: string | number | undefined) => {
    const text = value === undefined ? '' : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = outcomes.map((outcome) => CSV_COLUMNS.map(([, of]) => cell(of(outcome))).join(','));
  return `${[CSV_COLUMNS.map(([name]) => name).join(','), ...lines].join('\n')}\n`;
}

/** A record read from a file; whatever is not one is refused in a sentence that names `source`. */
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
    throw refuse('a record without outcomes');
  }
  if (typeof record.began !== 'string' || !Number.isFinite(record.machine?.copyBytesPerMs)) {
    throw refuse('a record that does not say when and on what it was made');
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
    (outcome.status !== 'timed' || (isMeasure(outcome.total?.median) && isMeasure(outcome.total?.spread)))
  );
}

function isMeasure(value: unknown): boolean {
  return Number.isFinite(value) && (value as number) >= 0;
}
