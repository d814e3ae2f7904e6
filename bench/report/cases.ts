/** Groups outcomes into cases, and puts counts and ranges into words. */
import { noiseOf } from '../harness/compare';
import type { Outcome } from '../harness/record';
import type { Statistics } from '../harness/statistics';
import { formatCount, formatCountOf } from './format';

export interface Timed extends Outcome {
  readonly total: Statistics;
}

/** A scene in 2D or in 3D, with counts ascending. */
export interface Group {
  /** "uniform 2D", for example. */
  readonly name: string;
  readonly cases: readonly Case[];
}

export interface Case {
  readonly count: number;
  readonly outcomes: readonly Outcome[];
  /** The fastest first. */
  readonly timed: readonly Timed[];
}

export function groupsOf(outcomes: readonly Outcome[]): Group[] {
  const groups = new Map<string, Map<number, Outcome[]>>();
  for (const outcome of outcomes) {
    const name = `${outcome.scene} ${outcome.dimensions}D`;
    const cases = groups.get(name) ?? new Map<number, Outcome[]>();
    groups.set(name, cases);
    cases.set(outcome.count, [...(cases.get(outcome.count) ?? []), outcome]);
  }
  return [...groups].map(([name, cases]) => ({
    name,
    cases: [...cases]
      .sort(([a], [b]) => a - b)
      .map(([count, all]) => ({ count, outcomes: all, timed: all.filter(isTimed).sort(byMedian) })),
  }));
}

export function isTimed(outcome: Outcome): outcome is Timed {
  return outcome.status === 'timed' && outcome.total !== undefined;
}

function byMedian(a: Timed, b: Timed): number {
  return a.total.median - b.total.median;
}

export function isFaster(one: Timed, other: Timed): boolean {
  return other.total.median / one.total.median > 1 + noiseOf(one.total, other.total);
}

export function spansOf<Value>(
  cases: readonly { readonly count: number; readonly value: Value }[],
  isSame: (a: Value, b: Value) => boolean,
): { readonly counts: readonly number[]; readonly values: readonly Value[] }[] {
  const spans: { counts: number[]; values: Value[] }[] = [];
  for (const { count, value } of cases) {
    const last = spans.at(-1);
    if (last && isSame(last.values[0] as Value, value)) {
      last.counts.push(count);
      last.values.push(value);
    } else spans.push({ counts: [count], values: [value] });
  }
  return spans;
}

/** Returns "at 1,000 bodies" or "from 1,000 to 100,000 bodies", for example. */
export function describeCounts(counts: readonly number[]): string {
  const [first = 0, last = first] = [counts[0], counts.at(-1)];
  return first === last
    ? `at ${formatCountOf(first, 'body', 'bodies')}`
    : `from ${formatCount(first)} to ${formatCount(last)} bodies`;
}

export function describeRange(values: readonly number[], format: (value: number) => string): string {
  const [low, high] = [format(Math.min(...values)), format(Math.max(...values))];
  return low === high ? low : `${low} to ${high}`;
}

export function unique(words: readonly string[]): string[] {
  return [...new Set(words)];
}
