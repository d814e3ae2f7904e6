/**
 * The report of `cellstorm verify` and of the page verify.html, and the page's answers. The page's worker posts answers
 * to the page. If the page's address has the parameter `report`, the page posts them on to its server.
 */
import type { VerifyCase, VerifyOptions } from './verify';

export interface VerifyReport {
  readonly version: string;
  /** The runtime of the checks: Node with its version, or a browser's user agent. */
  readonly runtime: string;
  readonly adapter: string;
  readonly options: VerifyOptions;
  readonly cases: readonly VerifyCase[];
  /** Errors of the GPU that no error scope caught. */
  readonly complaints: readonly string[];
  /** Sentences about checks that were left out for large numbers of particles. */
  readonly notes: readonly string[];
  readonly seconds: number;
  /** One hash over the hashes of all cases; see hashOfAll. */
  readonly hash: string;
  /** True if every check passed, the GPU reported nothing, and nothing ended the run early. */
  readonly pass: boolean;
  /** The reason, if the run ended before its last check. */
  readonly error?: string | undefined;
}

export type VerifyAnswer =
  /** The names of all collision scenes, before the run begins. */
  | { readonly kind: 'scenes'; readonly scenes: readonly string[] }
  | { readonly kind: 'began'; readonly adapter: string }
  /** `what` begins; `done` of `total` starting states are finished. */
  | { readonly kind: 'progress'; readonly what: string; readonly done: number; readonly total: number }
  | { readonly kind: 'case'; readonly found: VerifyCase }
  | { readonly kind: 'ended'; readonly report: VerifyReport };

/** The name of the checks that compare an exact simulation with its recorded hash (golden.ts). */
export const EXACT_CHECK = 'exact';

/** The page checks only this number of particles by default: one more than a workgroup has threads. */
export const PAGE_COUNTS: readonly number[] = [257];

/** The path, relative to the page, to which the page posts its answers one by one. */
export const REPORT_PATH = 'report';

/** Returns the last line of a report, which both the command and the page print. */
export function conclusionOf({ cases, hash, error }: VerifyReport): string {
  if (error !== undefined) return error;
  const passed = cases.filter(({ pass }) => pass).length;
  const exact = cases.filter(({ check }) => check === EXACT_CHECK);
  const given = exact.filter(({ pass }) => pass).length;
  const device = exact.length > 0 ? ` This device: ${given} of ${exact.length} recorded hashes.` : '';
  return `${passed} of ${cases.length} checks passed. Hash of all states: ${hash}.${device}`;
}
