/** Formats the output of `cellstorm bench`. */

import { formatCount, formatTable, formatWrapped, wrapText } from '../../src/cli/output';
import type { Engine } from '../harness/engine';
import {
  type BenchRecord,
  growthsOf,
  hasWork,
  hitRatio,
  type Machine,
  type Outcome,
  testsPerBody,
} from '../harness/record';
import { BENCH_SCENES } from '../harness/scenes';
import { type Case, groupsOf } from '../report/cases';
import {
  CANNOT_TELL,
  formatCopies,
  formatCountOf,
  formatFigure,
  formatRatio,
  formatShare,
} from '../report/format';
import { describeDevices, describeGpuClock } from '../report/machine';

export function describeChoices(offered: readonly Engine[], width: number): string {
  const engines = offered.map(({ name, backend, peer, about, absent, byDefault = true }) => [
    name,
    backend,
    peer ?? 'cellstorm',
    [
      about,
      ...(byDefault ? [] : ['Runs only if --only lists its name or "all".']),
      ...(absent ? [absent] : []),
    ].join(' '),
  ]);
  const scenes = BENCH_SCENES.map(({ name, about }) => [name, about]);
  return `Engines\n\n${formatWrapped(engines, width)}\n\nScenes\n\n${formatWrapped(scenes, width)}\n`;
}

const COLUMNS = [
  'engine',
  'build',
  'query',
  'total',
  'p95',
  'spread',
  'bytes-eq',
  'memory',
  'times',
] as const;
const RIGHT = COLUMNS.map((name) => name !== 'engine');
const INDENT = '  ';
const WORK_COLUMNS = ['engine', 'candidates', 'tests', 'per body', 'hits', 'counted by'] as const;
const WORK_RIGHT = WORK_COLUMNS.map((name) => name !== 'engine' && name !== 'counted by');
const WORK_LEGEND =
  'work of a query over all bodies; candidates: pairs that it looks at; tests: distances that it computes, or boxes that it compares; per body: tests ÷ bodies; hits: pairs ÷ tests. Work on a pair counts twice if the query does it from both bodies.';

export function describeRecord(record: BenchRecord, width: number): string {
  const { machine, outcomes, repeat } = record;
  const legend = `milliseconds, medians of ${repeat} rounds in which the engines take turns; bytes-eq: time × copy bandwidth ÷ bodies; memory: bytes per body; times: total ÷ the least total of the case`;
  const parts = [
    [...describeMachine(machine), ...describeNatives(record), legend]
      .map((line) => wrapText(line, width, INDENT))
      .join('\n'),
    describeTimes(outcomes),
    describeWork(outcomes, width),
    describeMissing(outcomes, width),
    describeGrowths(outcomes),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function describeMachine(machine: Machine): string[] {
  const { cpu, cores, load, runtime, copyBytesPerMs, copyBytes, adapter } = machine;
  const processor = `${cpu}, ${cores} cores, load ${load?.toFixed(1)}, ${runtime}, copies ${formatCopies(copyBytesPerMs, copyBytes)}`;
  if (!adapter) return [processor];
  const { gpuCopyBytesPerMs = Number.NaN, gpuCopyBytes = 0 } = machine;
  const copies = formatCopies(gpuCopyBytesPerMs, gpuCopyBytes);
  return [processor, `${adapter}, copies ${copies}, timed by ${describeGpuClock(machine)}`];
}

function describeNatives({ machine, outcomes }: BenchRecord): string[] {
  return describeDevices(machine, outcomes).map(([engines, device]) => `${engines} on ${device}`);
}

function describeTimes(outcomes: readonly Outcome[]): string {
  return describeCases(outcomes, COLUMNS, RIGHT, rowsOf);
}

function describeWork(outcomes: readonly Outcome[], width: number): string {
  if (!hasWork(outcomes)) return '';
  return `${wrapText(WORK_LEGEND, width, INDENT)}\n\n${describeCases(outcomes, WORK_COLUMNS, WORK_RIGHT, workRowsOf)}`;
}

/** Lists the timed engines of each case. `rowsOfCase` returns one row per timed engine. */
function describeCases(
  outcomes: readonly Outcome[],
  columns: readonly string[],
  right: readonly boolean[],
  rowsOfCase: (one: Case) => string[][],
): string {
  const cases = groupsOf(outcomes).flatMap(({ name, cases: groupCases }) =>
    groupCases.filter(({ timed }) => timed.length > 0).map((one) => ({ name, one })),
  );
  if (cases.length === 0) return '';
  // One table aligns the columns of all cases.
  const [head, ...rows] = formatTable([columns, ...cases.flatMap(({ one }) => rowsOfCase(one))], right).split(
    '\n',
  );
  let next = 0;
  const blocks = cases.map(({ name, one }) => {
    const pairs = formatCountOf(one.timed[0]?.found?.pairs ?? 0, 'pair');
    const headline = `${name}, ${formatCountOf(one.count, 'body', 'bodies')}, ${pairs}`;
    const own = rows.slice(next, next + one.timed.length);
    next += own.length;
    return [headline, ...own.map((row) => `${INDENT}${row}`)].join('\n');
  });
  return [`${INDENT}${head}`, ...blocks].join('\n\n');
}

function workRowsOf({ timed }: Case): string[][] {
  return timed.map((outcome) => {
    const { engine, work } = outcome;
    if (!work) return [engine, CANNOT_TELL, CANNOT_TELL, '', '', ''];
    return [
      engine,
      work.candidates === undefined ? CANNOT_TELL : formatCount(work.candidates),
      formatCount(work.tests),
      formatFigure(testsPerBody(outcome)),
      formatShare(hitRatio(outcome)),
      work.counted,
    ];
  });
}

function rowsOf({ timed }: Case): string[][] {
  const best = timed[0]?.total.median ?? Number.NaN;
  return timed.map(({ engine, build, query, total, bytesEquivalent, memoryPerBody }) => [
    engine,
    ...[build, query, total].map((times) => formatFigure(times?.median)),
    formatFigure(total.p95),
    `${Math.round(100 * total.spread)}%`,
    bytesEquivalent === undefined ? '' : formatCount(bytesEquivalent),
    memoryPerBody === undefined ? CANNOT_TELL : formatCount(memoryPerBody),
    formatRatio(total.median / best),
  ]);
}

/** Lists each reason for missing times of a scene once, with the engines and counts that it applies to. */
function describeMissing(outcomes: readonly Outcome[], width: number): string {
  const reasons = new Map<string, { engines: Set<string>; counts: Set<string>; first: Outcome }>();
  for (const outcome of outcomes) {
    if (outcome.status === 'timed') continue;
    const { scene, dimensions, status, reason = '', engine, count } = outcome;
    const key = `${scene}\n${dimensions}\n${status}\n${reason}`;
    const known = reasons.get(key) ?? { engines: new Set(), counts: new Set(), first: outcome };
    reasons.set(key, known);
    known.engines.add(engine);
    known.counts.add(formatCount(count));
  }
  return [...reasons.values()]
    .map(({ engines, counts, first: { scene, dimensions, status, reason = '' } }) => {
      const where = `${scene} ${dimensions}D, ${[...counts].join(' and ')}`;
      return wrapText(`${where}: ${[...engines].join(', ')} ${status}. ${reason}`.trimEnd(), width, INDENT);
    })
    .join('\n');
}

function describeGrowths(outcomes: readonly Outcome[]): string {
  const rows = growthsOf(outcomes)
    .filter(({ exponent, crossover }) => exponent !== undefined || crossover !== undefined)
    .map(({ engine, scene, dimensions, exponent, crossover }) => [
      `${scene} ${dimensions}D`,
      engine,
      exponent === undefined ? '' : `N^${exponent.toFixed(2)}`,
      describeCrossover(crossover),
    ]);
  if (rows.length === 0) return '';
  return formatTable(
    [['scene', 'engine', 'grows like', 'faster than all pairs'], ...rows],
    [false, false, true],
  );
}

function describeCrossover(crossover: number | undefined): string {
  if (crossover === undefined) return '';
  if (crossover === 0) return 'at every count here';
  if (!Number.isFinite(crossover)) return 'at no count here';
  return `from about ${formatCount(Number(crossover.toPrecision(2)))} bodies on`;
}
