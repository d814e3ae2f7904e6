/**
 * Compares states with the recorded hashes. `CELLSTORM_RECORD_HASHES=1 npx vitest run --mode all state-hashes` writes
 * the tables anew; the commit must say why.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { runsAll } from './tiers';

const RECORDED_STEPS = [10, 100] as const;

/** Only the full tier also checks the later state. */
export const CHECKED_STEPS: readonly number[] = runsAll ? RECORDED_STEPS : RECORDED_STEPS.slice(0, 1);

type Table = Record<string, string[]>;

const RECORDS = process.env.CELLSTORM_RECORD_HASHES === '1';

export interface RecordedHashes {
  /** `hashes` are the hashes of the states after CHECKED_STEPS. */
  check(name: string, hashes: readonly string[]): void;
  /** Expects that the table has exactly these cases. Writes it if CELLSTORM_RECORD_HASHES=1. */
  finish(names: readonly string[]): void;
}

export function checkRecorded(engine: 'cpu' | 'gpu'): RecordedHashes {
  if (RECORDS && !runsAll) throw new Error('Record hashes with --mode all: the other tier leaves out steps.');
  const file = `tests/hashes/${engine}.json`;
  const path = fileURLToPath(new URL(`../../${file}`, import.meta.url));
  const table: Table = RECORDS ? {} : JSON.parse(readFileSync(path, 'utf8'));
  return {
    check(name, hashes) {
      if (RECORDS) table[name] = [...hashes];
      for (const [index, steps] of CHECKED_STEPS.entries()) {
        expect(hashes[index], `${name}: the state after ${steps} steps differs from the one in ${file}`).toBe(
          table[name]?.[index],
        );
      }
    },
    finish(names) {
      const complete = Object.keys(table).filter((name) =>
        RECORDED_STEPS.every((_, index) => table[name]?.[index]),
      );
      expect(complete.toSorted()).toEqual(names.toSorted());
      if (!RECORDS) return;
      // The format that `npm run format` keeps.
      const rows = names.toSorted().map((name) => {
        const hashes = table[name]?.map((hash) => `"${hash}"`);
        return `  "${name}": [${hashes?.join(', ')}]`;
      });
      writeFileSync(path, `{\n${rows.join(',\n')}\n}\n`);
    },
  };
}
