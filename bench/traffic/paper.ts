/** Bytes per particle to compare with: counted by hand for gpu-grid (bench/NOTES.md), and goals for a substep. */
import type { Order, Program } from './measure';

/** Bytes per body and pass for 100 million bodies of the scene `uniform`. */
const GRID: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  '2D random': { count: 76, scan: 50, scatter: 76, gather: 69, query: 29, all: 300 },
  '2D sorted': { count: 37, scan: 50, scatter: 33, gather: 45, query: 29, all: 193 },
  '3D random': { count: 84, scan: 67, scatter: 84, gather: 81, query: 41, all: 357 },
  '3D sorted': { count: 54, scan: 67, scatter: 45, gather: 65, query: 41, all: 271 },
};

const GOALS: Readonly<Record<string, number>> = {
  '2D random': 250,
  '2D sorted': 150,
  '3D random': 600,
  '3D sorted': 350,
};

/** Returns the figure to show beside a pass; '' if there is none. */
export function paperFigure(
  { program, dimensions, order }: { program: Program; dimensions: number; order: Order },
  pass: string,
): string {
  const key = `${dimensions}D ${order}`;
  if (program === 'grid') return String(GRID[key]?.[pass] ?? '');
  return pass === 'all' ? `goal ${GOALS[key]}` : '';
}
