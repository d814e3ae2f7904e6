/**
 * `npm run bench:cells`: measures candidates and time per particle for several cell sizes and densities, on the CPU and
 * the GPU. Then fits the costs that src/core/world/cell-size.ts uses. CELLSTORM_DRIVER names a driver.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { openDawn } from '../src/node/dawn';
import { testPreference } from '../src/testing/environment';
import { type Costs, fitCosts } from './cell-size/fit';
import { type CellSizeRequest, type CellSizeRow, METHODS, type Method } from './cell-size/measure';
import { bundle, commitOf } from './shared.mjs';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '2e4' },
    dimensions: { type: 'string', default: '2,3' },
    densities: { type: 'string', default: '0.05,0.3,1' },
    sizes: { type: 'string', default: '0.5,0.75,1,1.25,1.5,2,3,4' },
    repeats: { type: 'string', default: '11' },
    methods: { type: 'string', default: METHODS.join(',') },
    json: { type: 'boolean', default: false },
  },
});

const isMethod = (name: string): name is Method => METHODS.some((known) => known === name);
const named = values.methods.split(',');
const methods = named.filter(isMethod);
if (methods.length < named.length) {
  process.stderr.write(`--methods is ${values.methods}, but each must be one of ${METHODS.join(', ')}.\n`);
  process.exit(2);
}

const requests = values.dimensions.split(',').flatMap((dimensions) =>
  values.densities.split(',').map((density): CellSizeRequest => {
    return {
      dimensions: dimensions === '3' ? 3 : 2,
      density: Number(density),
      sizes: values.sizes.split(',').map(Number),
      count: Number(values.count),
      repeats: Number(values.repeats),
      methods,
    };
  }),
);
const isFit = ({ density, sizes, count, repeats }: CellSizeRequest) =>
  density > 0 && sizes.every((size) => size > 0) && Number.isInteger(count) && count > 0 && repeats >= 1;
if (!requests.every(isFit)) {
  process.stderr.write(
    `--count is ${values.count}, --repeats ${values.repeats}, --densities ${values.densities} and --sizes ${values.sizes}; --count must be a whole number greater than 0, --repeats at least 1, and each of --densities and --sizes greater than 0.\n`,
  );
  process.exit(2);
}

const { measure } = await bundle<{ measure: typeof import('./cell-size/measure') }>({
  measure: 'bench/cell-size/measure.ts',
});
const dawn = await openDawn({ driver: testPreference() });
const rows: CellSizeRow[] = [];
for (const request of requests) rows.push(...(await measure.measureCellSizes(request, dawn.gpu)));
const fits = methods.flatMap((method) =>
  ([2, 3] as const).flatMap((dimensions): (Costs & { method: Method; dimensions: number })[] => {
    const some = rows.filter((row) => row.method === method && row.dimensions === dimensions);
    return some.length === 0 ? [] : [{ method, dimensions, ...fitCosts(some) }];
  }),
);

const machine = `${cpus()[0]?.model.trim()}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}, GPU: ${dawn.driver}`;
if (values.json) {
  process.stdout.write(`${JSON.stringify({ machine, commit: commitOf(), rows, fits }, undefined, 1)}\n`);
} else {
  process.stdout.write(
    `${values.count} particles, ${values.repeats} timed runs each: ${machine}\n\n${table(
      [
        '',
        'density',
        'method',
        'cell size',
        'cells',
        'ranges',
        'candidates',
        'contacts',
        'least ns',
        'median',
        '× best',
      ],
      rows.map((row) => {
        const others = rows.filter(
          ({ method, dimensions, density }) =>
            method === row.method && dimensions === row.dimensions && density === row.density,
        );
        const best = Math.min(...others.map(({ least }) => least));
        return [
          `${row.dimensions}D`,
          String(row.density),
          row.method,
          row.size.toFixed(2),
          ...[row.cells, row.ranges, row.candidates, row.contacts, row.least, row.median].map(short),
          (row.least / best).toFixed(2),
        ];
      }),
    )}\nCell sizes are in diameters. Cells, ranges (rows of cells that a search visits), candidates, contacts and times (in ns) are per particle. Costs fitted to the least times, in ns:\n\n${table(
      ['', 'method', 'per candidate', 'per cell', 'per range', 'error (rms)'],
      fits.map(({ method, dimensions, candidate, cell, range, error }) => [
        `${dimensions}D`,
        method,
        ...[candidate, cell, range].map(short),
        `${(100 * error).toFixed(0)}%`,
      ]),
    )}`,
  );
}
process.exit(0);

function short(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const all = [head, ...lines];
  const widths = head.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0)));
  const format = (line: readonly string[]) =>
    `| ${line.map((cell, column) => cell.padStart(widths[column] as number)).join(' | ')} |\n`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 1)).join(':|')}:|\n`;
  return `${format(head)}${rule}${lines.map(format).join('')}`;
}
