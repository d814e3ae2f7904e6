/** Makes the tables of docs/structures.md: which structure suits which bodies, from records of the benchmark. */
import type { BenchRecord } from '../harness/record';
import { type Group, groupsOf, type Timed } from './cases';
import { formatCount, formatFigure, formatRatio } from './format';

export interface WhichRecord {
  readonly path: string;
  /** The command that made the record, if it is known. */
  readonly command: string | undefined;
  readonly record: BenchRecord;
}

/** Names in the tables, for engines whose own name is not shown. */
const STRUCTURES: Readonly<Record<string, string>> = {
  'cpu-grid': '`createCpuGrid`',
  'cpu-rows': 'plain grid, rows',
  'cpu-morton': 'plain grid, Morton order',
  'cpu-teschner': "Teschner's hash, fixed table",
  'cpu-hash-teschner': "Teschner's hash",
  'cpu-hash-mix': 'hash, mixing all bits',
  'cpu-hash-morton': 'hash, Morton code',
  'cpu-sweep': 'sweep along x',
  'cpu-sweep-widest': 'sweep, widest axis',
  'cpu-sweep-coherent': 'sweep, coherent sort',
  'cpu-chunks': '`createCpuBoxChunks`',
  'cpu-quadtree': 'quadtree (octree)',
  'cpu-loose-quadtree': 'loose quadtree (octree)',
  'cpu-kd-tree': 'k-d tree',
  'cpu-bvh': 'BVH',
  'cpu-boxes': '`createCpuBoxPairs`',
  'cpu-box-cells': 'grid of boxes',
};

/** A structure counts as equally fast if it takes at most this many times as long as the fastest one. */
const WITHIN = 1.1;

/** Engines that only find all pairs at once, so few queries cost them as much as many. */
const ALL_AT_ONCE = /sweep|-boxes$|chunks|box-intersect/;

/** Queries per body and build. */
const QUERIES = [0.01, 1, 100] as const;

interface Column {
  readonly name: string;
  readonly timed: readonly Timed[];
}

export function nameOf(engine: string): string {
  return STRUCTURES[engine] ?? `\`${engine}\``;
}

/**
 * Returns the timed outcomes of each scene at its greatest count. Sorts them by least times, because other work on a
 * machine makes medians longer. Leaves out scenes with at most one timed outcome. If several records have a scene, the
 * newest record counts.
 */
export function columnsOf(records: readonly WhichRecord[]): Column[] {
  const ordered = records.toSorted((a, b) => (a.record.began < b.record.began ? -1 : 1));
  const groups = new Map<string, Group>();
  for (const { record } of ordered)
    for (const group of groupsOf(record.outcomes)) groups.set(group.name, group);
  const greatest = [...groups.values()].map(({ cases }) => cases.at(-1)?.count);
  const isOneCount = new Set(greatest).size === 1;
  return [...groups.values()].flatMap(({ name, cases }) => {
    const { timed: all = [], count = 0 } = cases.at(-1) ?? {};
    const timed = all.toSorted((a, b) => a.total.least - b.total.least);
    return timed.length > 1 ? [{ name: isOneCount ? name : `${name}, ${formatCount(count)}`, timed }] : [];
  });
}

function enginesOf(columns: readonly Column[]): string[] {
  return [...new Set(columns.flatMap(({ timed }) => timed.map(({ engine }) => engine)))];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(head),
    `|---|${head
      .slice(1)
      .map(() => '---:|')
      .join('')}`,
    ...rows.map(line),
  ];
}

function relativeTimes(columns: readonly Column[]): string[] {
  const cellOf = (engine: string, { timed }: Column) => {
    const outcome = timed.find((each) => each.engine === engine);
    const fastest = timed[0];
    return outcome && fastest ? formatRatio(outcome.total.least / fastest.total.least) : '';
  };
  const rows = enginesOf(columns).map((engine) => {
    const cells = columns.map((column) => cellOf(engine, column));
    const ratios = cells.flatMap((cell) => (cell === '' ? [] : [Math.log(Number(cell.replaceAll(',', '')))]));
    const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
    return { mean, cells: [nameOf(engine), ...cells] };
  });
  rows.sort((a, b) => a.mean - b.mean);
  return table(
    ['structure', ...columns.map(({ name }) => name)],
    rows.map(({ cells }) => cells),
  );
}

function costs({ timed }: Column): string[] {
  const rows = timed.map(({ engine, build, query, memoryPerBody, work, count }) => [
    nameOf(engine),
    formatFigure(build?.least),
    formatFigure(query?.least),
    memoryPerBody === undefined ? '' : formatCount(memoryPerBody),
    work ? formatFigure(work.tests / count) : '',
  ]);
  return table(['structure', 'build, ms', 'query, ms', 'bytes per body', 'tests per body'], rows);
}

/** Lists, for several numbers of queries per build, the structures whose time is within a tenth of the least. */
function fewOrMany(columns: readonly Column[]): string[] {
  const rows = columns.map(({ name, timed }) => {
    const cells = QUERIES.map((share) => {
      const costed = timed
        .flatMap((outcome) => {
          const { build, query } = outcome;
          const isPossible = share >= 1 || !ALL_AT_ONCE.test(outcome.engine);
          return isPossible && build && query ? [{ outcome, time: build.least + share * query.least }] : [];
        })
        .sort((a, b) => a.time - b.time);
      const best = costed[0];
      const equal = costed.filter(({ time }) => best && time <= WITHIN * best.time);
      return equal.map(({ outcome }) => nameOf(outcome.engine)).join('; ');
    });
    return [name, ...cells];
  });
  return table(['bodies', ...QUERIES.map((share) => `${share} per body`)], rows);
}

/** Returns the generated part of docs/structures.md. */
export function whichStructure(records: readonly WhichRecord[]): string {
  const columns = columnsOf(records);
  const isKind = (...kinds: readonly string[]) =>
    columns.filter(({ name }) => kinds.some((kind) => name.startsWith(kind)));
  const boxes = isKind('boxes');
  const bodies = columns.filter((column) => !boxes.includes(column));
  const detailed = [...isKind('uniform 2D'), ...isKind('clustered 2D')];
  return [
    '### Build and a query for each body, as multiples of the fastest',
    '',
    'Compares the least totals of one build and one query for each body.',
    '',
    ...relativeTimes(bodies),
    ...(boxes.length > 0 ? ['', 'Bodies that are boxes:', '', ...relativeTimes(boxes)] : []),
    '',
    '### Few or many queries per build',
    '',
    'Structures at most a tenth slower than the fastest. Time for q queries per body: least build time + q × least query time. The column `0.01 per body` leaves out structures that only find all pairs at once: sweeps, box pairs, chunks and `box-intersect`.',
    '',
    ...fewOrMany(columns),
    '',
    ...detailed.flatMap((column) => [
      `### Costs: ${column.name}`,
      '',
      'The least build time and the least query time.',
      '',
      ...costs(column),
      '',
    ]),
    '### Where the numbers come from',
    '',
    ...records.map(({ path, command, record: { machine, commit, began } }) => {
      const load = machine.load === undefined ? '' : `, load ${machine.load.toFixed(0)}`;
      const ran = command ? `: \`${command}\`` : '';
      return `- \`${path}\`${ran} (${machine.cores} cores of ${machine.cpu}, ${machine.runtime}${load}, ${began.slice(0, 10)}, commit ${commit ?? 'unknown'})`;
    }),
  ].join('\n');
}
