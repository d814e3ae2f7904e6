/** Compares each structure with the dense grid. Also compares pairs of engines that differ in one thing. */
import { BACKENDS } from '../harness/engine';
import { DENSE_GRID, isYardstick, NAIVE } from '../harness/record';
import { describeCounts, describeRange, type Group, isFaster, spansOf, type Timed } from './cases';
import { formatList, formatRatio, formatTime } from './format';

interface Variant {
  readonly engine: string;
  /** The engine without the change. */
  readonly plain: string;
  readonly change: string;
}

const VARIANTS: readonly Variant[] = [
  { engine: 'cpu-morton', plain: 'cpu-rows', change: 'cells in Morton order instead of row order' },
  { engine: 'gpu-morton', plain: 'gpu-rows', change: 'cells in Morton order instead of row order' },
  {
    engine: 'cpu-sweep-widest',
    plain: 'cpu-sweep',
    change: 'a sweep along the axis of greatest variance instead of x',
  },
  {
    engine: 'cpu-sweep-coherent',
    plain: 'cpu-sweep',
    change: 'a sort that begins with the last order instead of a new one',
  },
  { engine: 'cpu-loose-quadtree', plain: 'cpu-quadtree', change: 'loose cells instead of plain ones' },
  {
    engine: 'cpu-teschner',
    plain: 'cpu-hash-teschner',
    change: 'a table of fixed size instead of one that grows with the bodies',
  },
  {
    engine: 'cpu-hash-teschner',
    plain: 'cpu-hash-mix',
    change: "Teschner's hash instead of one that mixes all bits",
  },
  {
    engine: 'cpu-hash-morton',
    plain: 'cpu-hash-mix',
    change: 'the Morton code as a hash instead of one that mixes all bits',
  },
];

/** Judges every structure at the greatest count at which it and the grid were timed. */
export function describeStructures({ name, cases }: Group): string[] {
  return BACKENDS.flatMap((backend) => {
    const grid = DENSE_GRID[backend];
    const judged = new Set<string>([grid, NAIVE[backend]]);
    return cases.toReversed().flatMap(({ count, timed }) => {
      const own = timed.find(({ engine }) => engine === grid);
      if (!own) return [];
      const others = timed.filter(
        (outcome) =>
          outcome.backend === backend &&
          outcome.peer === undefined &&
          !isYardstick(outcome) &&
          !judged.has(outcome.engine),
      );
      if (others.length === 0) return [];
      for (const { engine } of others) judged.add(engine);
      const parts = others.map((other) => `${other.engine} ${compare(other, own)}`);
      return [
        `${name} ${describeCounts([count])}, compared with ${grid} (${formatTime(own.total.median)}): ${formatList(parts)}.`,
      ];
    });
  });
}

function compare(one: Timed, other: Timed): string {
  const ratio = one.total.median / other.total.median;
  return describeVerdict(verdictOf(one, other), [ratio]);
}

type Verdict = 'faster' | 'slower' | 'equal';

function verdictOf(one: Timed, other: Timed): Verdict {
  if (isFaster(one, other)) return 'faster';
  return isFaster(other, one) ? 'slower' : 'equal';
}

function describeVerdict(verdict: Verdict, ratios: readonly number[]): string {
  if (verdict === 'equal') return 'is as fast within the noise';
  if (verdict === 'slower') return `takes ${describeRange(ratios, formatRatio)} times as long`;
  const inverse = ratios.map((ratio) => 1 / ratio);
  return `is ${describeRange(inverse, formatRatio)} times as fast`;
}

export function describeVariants({ name, cases }: Group): string[] {
  return VARIANTS.flatMap(({ engine, plain, change }) => {
    const compared = cases.flatMap(({ count, timed }) => {
      const one = timed.find((outcome) => outcome.engine === engine);
      const other = timed.find((outcome) => outcome.engine === plain);
      if (!one || !other) return [];
      const ratio = one.total.median / other.total.median;
      return [{ count, value: { verdict: verdictOf(one, other), ratio } }];
    });
    if (compared.length === 0) return [];
    const parts = spansOf(compared, (a, b) => a.verdict === b.verdict).map(({ counts, values }) => {
      const ratios = values.map(({ ratio }) => ratio);
      return `${describeVerdict(values[0]?.verdict ?? 'equal', ratios)} ${describeCounts(counts)}`;
    });
    return [`${name}, ${change}: compared with ${plain}, ${engine} ${formatList(parts)}.`];
  });
}
