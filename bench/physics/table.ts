/** Formats rows as a table. A value that misses its limits ends in "!". */
import { formatTable } from '../../src/cli/output';
import type { Bar } from './measure';
import { isGood, type Row } from './run';

const HEAD = ['scene', 'figure', 'unit', 'bar'];

export function tableOf(rows: readonly Row[], engines: readonly string[]): string {
  let last = '';
  const cells = rows.map((row) => {
    const { dimensions, scene, figure, unit, bar } = row;
    const name = `${dimensions}D ${scene}`;
    const shown = name === last ? '' : name;
    last = name;
    return [
      shown,
      figure,
      unit,
      bar ? describeBar(bar) : '',
      ...engines.map((engine) => describeValue(row, engine)),
    ];
  });
  const head = [...HEAD, ...engines];
  const right = head.map((_, column) => column >= HEAD.length);
  return `${formatTable([head, ...cells], right)}\n`;
}

/** Returns "≤ 0.0001" or "0.98 to 1.02", for example. */
export function describeBar({ least, most }: Bar): string {
  if (least === undefined) return `≤ ${short(most as number)}`;
  return most === undefined ? `≥ ${short(least)}` : `${short(least)} to ${short(most)}`;
}

function describeValue(row: Row, engine: string): string {
  const value = row.values[engine];
  if (value === undefined) return '– ';
  return `${value === null ? 'none' : short(value)}${isGood(row, engine) === false ? '!' : ' '}`;
}

/** Formats a number with three significant digits, without trailing zeros. */
export function short(value: number): string {
  const rounded = Number(value.toPrecision(3));
  const size = Math.abs(rounded);
  if (size !== 0 && (size < 1e-4 || size >= 1e5)) return rounded.toExponential().replace('e+', 'e');
  return String(rounded);
}
