/**
 * Records the hashes of exact simulations in src/verify/golden-hashes.ts, with the CPU engine. Run it after a change of
 * the exact contact law. Arguments: the names of simulations to record, as in golden-hashes.ts; the others keep their
 * hashes. Without arguments, it records all, which takes one or two hours.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createCpuSimulation } from '../src/cpu';
import { LONG_HASHES } from '../src/verify/golden-hashes';
import { LONG_COUNTS, LONG_MARKS, LONG_SCENES, longHashes, longName } from '../src/verify/golden-long';

const TABLE = fileURLToPath(new URL('../src/verify/golden-hashes.ts', import.meta.url));
const CPU = { createCpu: createCpuSimulation };
const wanted = process.argv.slice(2);

const table: Record<string, readonly string[]> = { ...LONG_HASHES };
for (const count of LONG_COUNTS) {
  for (const scene of LONG_SCENES) {
    for (const dimensions of [2, 3] as const) {
      const name = longName(scene, dimensions, count);
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      const hashes = await longHashes(CPU, scene, dimensions, count);
      process.stdout.write(`${name}: ${hashes.join(', ')}\n`);
      table[name] = hashes;
      write();
    }
  }
}

function write(): void {
  const rows = Object.entries(table).map(
    ([name, hashes]) => `  '${name}': [${hashes.map((hash) => `'${hash}'`).join(', ')}],\n`,
  );
  writeFileSync(
    TABLE,
    `/** Written by scripts/record-exact.ts: the hashes after ${LONG_MARKS.join(', ')} steps. */
export const LONG_HASHES: Readonly<Record<string, readonly string[]>> = {
${rows.join('')}};
`,
  );
}
