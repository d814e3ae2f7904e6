/**
 * `npm run bench:traffic`: counts the memory traffic of the engine's passes on real states, without a GPU. Counts
 * requests, their sectors, and bytes from and to memory through a modelled L2. Compares them with
 * bench/results/traffic.json.
 *
 * --count, --scene, --dimensions: lists. The scene `grid` counts the benchmark's gpu-grid, the others substeps. --l2:
 * the size of the L2 in MB. --steps: steps before the counting. --bandwidth: TB/s, for the predicted times. --sites
 * lists each access of each kernel; --json FILE writes a record; --baseline FILE compares with that record instead.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CellstormError } from '../src/core/base/errors';
import { openDawn } from '../src/node/dawn';
import { testPreference } from '../src/testing/environment';
import { commitOf } from './shared.mjs';
import { measureTraffic, type TrafficCase } from './traffic/measure';
import { readOptions } from './traffic/options';
import { compareRecords, formatRecord, parseRecord, recordOf } from './traffic/record';
import { formatCase, formatChanges, formatSites } from './traffic/table';

const RECORD = fileURLToPath(new URL('results/traffic.json', import.meta.url));

try {
  const options = readOptions(process.argv.slice(2));
  const { bandwidth, l2Bytes, steps, baseline = RECORD } = options;
  const before = parseRecord(baseline, readFileSync(baseline, 'utf8'));
  const { gpu, driver } = await openDawn({ driver: testPreference() });
  const head = { commit: commitOf(), driver, l2Bytes, steps };
  const cases: TrafficCase[] = [];
  for (const request of options.requests) {
    for (const one of await measureTraffic(request, gpu)) {
      cases.push(one);
      const [shown] = recordOf([one], head).cases;
      if (shown) process.stdout.write(`${formatCase(shown, bandwidth)}\n\n`);
      if (options.sites) process.stdout.write(`${formatSites(one)}\n\n`);
    }
    // A run that is cut off keeps its finished cases.
    if (options.json !== undefined) writeFileSync(options.json, formatRecord(recordOf(cases, head)));
  }
  const after = recordOf(cases, head);
  process.stdout.write(`Since commit ${before.commit}:\n${formatChanges(compareRecords(before, after))}\n`);
  process.exit(0);
} catch (error) {
  if (!(error instanceof CellstormError || (error as NodeJS.ErrnoException).code === 'ENOENT')) throw error;
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
