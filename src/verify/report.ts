/** Completes a report with its verdict and one hash of all states. */
import { StateHash } from '../core/state/hash';
import type { VerifyReport } from './answers';
import type { VerifyCase } from './verify';

export function reportOf(found: Omit<VerifyReport, 'hash' | 'pass'>): VerifyReport {
  const { cases, complaints, error } = found;
  const pass = cases.every((one) => one.pass) && complaints.length === 0 && error === undefined;
  return { ...found, hash: hashOfAll(cases), pass };
}

/** Hashes the state hashes in their order. */
export function hashOfAll(cases: readonly VerifyCase[]): string {
  const all = new StateHash();
  const hashes = cases.flatMap(({ hash }) => hash ?? []);
  for (const [index, hash] of hashes.entries()) {
    const words = [hash.slice(0, 8), hash.slice(8)].map((digits) => Number.parseInt(digits, 16));
    all.addParticle(index, Uint32Array.from(words));
  }
  return all.toString();
}
