/** Formats the traffic of cases, and what changed since a record. */
import { formatCount, formatTable } from '../../src/cli/output';
import { LARGE, type TrafficCase } from './measure';
import { paperFigure } from './paper';
import {
  type CaseRecord,
  type Changes,
  FIGURE_NAMES,
  type Figure,
  type Figures,
  figuresOf,
  isNear,
} from './record';
import { SUBGROUP } from './requests';

/** docs/bench.md explains the columns. `requests`, for example, counts the accesses of a thread. */
const HEADS = ['pass', 'requests', 'sectors', 'ideal', 'read', 'written', 'bytes', 'paper', 'ms', 'own L2'];
const WATCHED: readonly Figure[] = ['requests', 'sectors', 'read', 'written', 'ownRead', 'ownWritten'];

/**
 * Returns the name of a pass: the second part of its kernels' labels. The benchmark's query is a user's kernel, so its
 * label begins with `grid.kernel`.
 */
function passOf(label: string): string {
  const [, name = label] = label.split('.');
  return name === 'kernel' ? 'query' : name;
}

/** `bandwidth` is in bytes per second. */
export function formatCase(one: CaseRecord, bandwidth: number): string {
  const entries = Object.entries(one.kernels).map(([label, numbers]) => [label, figuresOf(numbers)] as const);
  const row = (name: string, figures: Figures, paper: string) => {
    const { requests, sectors, ideal, read, written, ownRead, ownWritten } = figures;
    const bytes = read + written;
    const shown = [(sectors / requests).toFixed(1), (ideal / requests).toFixed(1)];
    const memory = [read, written, bytes].map((value) => value.toFixed(0));
    const time = ((1e3 * bytes * LARGE) / bandwidth).toFixed(2);
    const own = (ownRead + ownWritten).toFixed(0);
    return [name, (SUBGROUP * requests).toFixed(1), ...shown, ...memory, paper, time, own];
  };
  const passes = [...new Set(entries.map(([label]) => passOf(label)))];
  const rows = passes.flatMap((pass) => {
    const kernels = entries.filter(([label]) => passOf(label) === pass);
    const total = row(pass, sumOf(kernels.map(([, figures]) => figures)), paperFigure(one, pass));
    const parts = kernels.length === 1 ? [] : kernels;
    return [total, ...parts.map(([label, figures]) => row(`  ${label}`, figures, ''))];
  });
  const all = row('all', sumOf(entries.map(([, figures]) => figures)), paperFigure(one, 'all'));
  const { program, scene, dimensions, count, order, lost } = one;
  const title = `${program}, ${scene}, ${dimensions}D, ${formatCount(count)} particles in ${order} order`;
  const warning = lost === 0 ? [] : [`${lost} accesses are missing, because the trace was full.`];
  return [
    title,
    formatTable(
      [HEADS, ...rows, all],
      HEADS.map((_, column) => column > 0),
    ),
    ...warning,
  ].join('\n');
}

/** Lists the accesses of each kernel, those with the most sectors first. */
export function formatSites({ kernels, count }: TrafficCase): string {
  const rows = kernels.flatMap(({ label, sites }) =>
    sites
      .filter(({ requests }) => requests > 0)
      .sort((a, b) => b.sectors - a.sectors)
      .map(({ buffer, kind, requests, sectors, ideal }) => [
        label,
        buffer,
        kind,
        ((SUBGROUP * requests) / count).toFixed(2),
        ...[sectors, ideal].map((value) => (value / requests).toFixed(1)),
        (sectors / count).toFixed(2),
      ]),
  );
  const heads = ['kernel', 'buffer', 'kind', 'requests', 'sectors', 'ideal', 'sectors per particle'];
  return formatTable(
    [heads, ...rows],
    heads.map((_, column) => column > 2),
  );
}

export function formatChanges({ added, changed }: Changes): string {
  const shown = added.length === 0 ? [] : [`Cases that the record lacks: ${added.join(', ')}`];
  if (changed.length === 0)
    return [...shown, added.length === 0 ? 'Nothing changed.' : 'Nothing else changed.'].join('\n');
  const rows = changed.map(({ name, kernel, before, after }) => [
    name,
    kernel,
    ...WATCHED.map((figure) => {
      const [then, now] = [before?.[figure], after?.[figure]];
      if (then !== undefined && now !== undefined && isNear(then, now)) return '';
      return `${then?.toFixed(1) ?? 'none'} → ${now?.toFixed(1) ?? 'none'}`;
    }),
  ]);
  return [...shown, formatTable([['case', 'kernel', ...WATCHED], ...rows])].join('\n');
}

function sumOf(parts: readonly Figures[]): Figures {
  const sums = FIGURE_NAMES.map((name) => [name, parts.reduce((sum, part) => sum + part[name], 0)]);
  return Object.fromEntries(sums) as Figures;
}
