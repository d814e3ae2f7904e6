/**
 * `npm run bench:physics`: measures how contacts behave in cellstorm and in rigid-body engines. docs/bench-physics.md
 * describes the figures. Flags:
 *
 * - --engines cpu,gpu,box2d3,rapier: these four are the default, but `gpu` only if there is an adapter. A fifth engine
 *   is `exact`, for scenes with balls of one size
 * - --dimensions 2,3
 * - --only slope,standing,ratio,overlap,impact,bounce,pile
 * - --minutes 5: simulated time of the bodies that must stand, instead of 20 s
 * - --full: piles of 10,000 instead of 1,000
 * - --json FILE: also writes the figures
 *
 * Exits with 1 if a given engine is missing, an engine fails in a case or the file cannot be written, and with 2 if a
 * flag is wrong. Missed limits do not change the exit code.
 */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { CellstormError } from '../src/core/base/errors';
import { openEngines } from './physics/engines';
import { casesOf } from './physics/measures';
import { type PhysicsOptions, readOptions } from './physics/options';
import { type Row, runCase } from './physics/run';
import { tableOf } from './physics/table';
import { commitOf } from './shared.mjs';

const complain = (sentence: string) => process.stderr.write(`${sentence}\n`);

function readFlags(): PhysicsOptions {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof CellstormError)) throw error;
    complain(error.message);
    process.exit(2);
  }
}

async function measure({
  engines: names,
  groups,
  dimensions,
  sizes,
  json,
}: PhysicsOptions): Promise<boolean> {
  const engines = await openEngines(names, complain);
  const described = engines.map(({ name, about }) => ({ name, about }));
  const columns = engines.map(({ name }) => name);
  const processor = `${cpus()[0]?.model.trim()}, ${cpus().length} cores`;
  const machine = `${processor}, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`;
  process.stdout.write(
    `Steps of 1/60 s: ${machine}\n${engines.map(({ name, about }) => `  ${name}: ${about}\n`).join('')}` +
      'A value outside its limits ends in "!".\n',
  );
  const rows: Row[] = [];
  let isComplete = true;
  for (const group of groups) {
    const ofGroup: Row[] = [];
    for (const one of casesOf(group, dimensions, sizes)) {
      const result = await runCase(one, engines);
      ofGroup.push(...result.rows);
      for (const failure of result.failures) complain(failure);
      if (result.failures.length > 0) isComplete = false;
    }
    process.stdout.write(`\n${group}\n${tableOf(ofGroup, columns)}`);
    rows.push(...ofGroup);
    if (json === undefined) continue;
    // A run that is cut off keeps its finished groups.
    const record = { machine, commit: commitOf(), sizes, engines: described, rows };
    writeFileSync(json, `${JSON.stringify(record, undefined, 1)}\n`);
  }
  return isComplete;
}

const options = readFlags();
try {
  process.exit((await measure(options)) ? 0 : 1);
} catch (error) {
  if (!(error instanceof Error)) throw error;
  complain(error.message);
  process.exit(1);
}
