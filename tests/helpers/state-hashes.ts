/**
 * The recorded state hashes: tests/hashes/cpu.json and gpu.json, for each case the hash after 10 and after 100 steps.
 * A hash may only change with a decision that changes bits; its commit says why.
 * `CELLSTORM_RECORD_HASHES=1 CELLSTORM_THOROUGH=1` writes the tables anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const RECORDS = process.env.CELLSTORM_RECORD_HASHES === '1';

export interface RecordedHashes {
  check(name: string, hashes: readonly string[]): void;
  /** Writes the table if CELLSTORM_RECORD_HASHES=1. Returns the names in the table, sorted. */
  finish(): string[];
}

export function checkRecorded(engine: 'cpu' | 'gpu'): RecordedHashes {
  const path = fileURLToPath(new URL(`../hashes/${engine}.json`, import.meta.url));
  const found: Record<string, readonly string[]> = {};
  const table: Record<string, readonly string[]> = RECORDS ? found : JSON.parse(readFileSync(path, 'utf8'));
  return {
    check(name, hashes) {
      found[name] = hashes;
      const expected = table[name]?.slice(0, hashes.length);
      expect(hashes, `${name}: the state differs from the one in tests/hashes/${engine}.json`).toEqual(
        expected,
      );
    },
    finish() {
      const names = Object.keys(table).toSorted();
      if (RECORDS) {
        const sorted = Object.fromEntries(names.map((name) => [name, table[name]]));
        writeFileSync(path, `${JSON.stringify(sorted, undefined, 2)}\n`);
      }
      return names;
    },
  };
}
