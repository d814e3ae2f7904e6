/**
 * `npm run bench:isa`: compiles every kernel with the shader compiler of Mesa's driver for AMD GPUs. Needs no GPU.
 * Prints registers, occupancy and instructions, and compares them with the last record.
 *
 * --all shows all kernels in all variants; --json FILE writes a record; --baseline FILE compares with another record.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { devDependencies } from '../package.json';
import { CellstormError } from '../src/core/base/errors';
import { measureIsa } from './isa/measure';
import { compareRecords, formatRecord, parseRecord, recordOf } from './isa/record';
import { formatChanges, formatKernels, formatSpills } from './isa/table';
import { commitOf } from './shared.mjs';

const RECORD = fileURLToPath(new URL('results/epyc-2-cores-swiftshader/isa.json', import.meta.url));

const { values } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    json: { type: 'string' },
    baseline: { type: 'string', default: RECORD },
  },
});

try {
  const before = parseRecord(values.baseline, readFileSync(values.baseline, 'utf8'));
  const after = recordOf(await measureIsa(), { commit: commitOf(), webgpu: devDependencies.webgpu });
  if (values.json !== undefined) writeFileSync(values.json, formatRecord(after));
  const versions = ({ driver, webgpu, commit }: typeof before) =>
    `${driver}, webgpu ${webgpu}, commit ${commit}`;
  process.stdout.write(
    `${versions(after)}\n\n${formatKernels(after, values.all)}\n\n${formatSpills(after)}\n\nSince ${versions(before)}:\n${formatChanges(compareRecords(before, after), values.all)}\n`,
  );
} catch (error) {
  if (!(error instanceof CellstormError || (error as NodeJS.ErrnoException).code === 'ENOENT')) throw error;
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
