/** The record of `npm run bench:traffic`, and the differences between two records. */
import { parseFigures } from '../figures';
import type { KernelFigures, Order, Program, TrafficCase } from './measure';

/** The figures of a kernel, per particle. */
const FIGURES = {
  /** Accesses of a subgroup. */
  requests: ({ requests }) => requests,
  /** Sectors of 32 bytes that the requests touch. */
  sectors: ({ sectors }) => sectors,
  /** Sectors that the requests would touch if the bytes of each request were contiguous. */
  ideal: ({ ideal }) => ideal,
  /** Bytes from and to memory, for a state far larger than the L2. */
  read: ({ large }) => large.read,
  written: ({ large }) => large.written,
  /** Bytes from and to memory, with the L2 of the record, which keeps its content between dispatches. */
  ownRead: ({ own }) => own.read,
  ownWritten: ({ own }) => own.written,
} as const satisfies Record<string, (figures: KernelFigures) => number>;

export type Figure = keyof typeof FIGURES;
export const FIGURE_NAMES = Object.keys(FIGURES) as Figure[];
export type Figures = Readonly<Record<Figure, number>>;

const DIGITS = 4;
/** Relative differences up to this are ignored: atomics run in another order each time. */
const NOTED = 0.01;
/** Differences of up to this many bytes, sectors or requests per particle are ignored, too. */
const LEAST = 0.005;

export interface CaseRecord {
  readonly program: Program;
  readonly scene: string;
  readonly dimensions: number;
  readonly count: number;
  readonly order: Order;
  /** The number of accesses, over all kernels, that did not fit into the trace. They are not counted. */
  readonly lost: number;
  /** Per kernel, the figures in the order of `TrafficRecord.figures`. */
  readonly kernels: Readonly<Record<string, readonly number[]>>;
}

export interface TrafficRecord {
  readonly commit: string | undefined;
  readonly driver: string;
  readonly l2Bytes: number;
  readonly steps: number;
  readonly figures: readonly string[];
  readonly cases: readonly CaseRecord[];
}

export function recordOf(
  cases: readonly TrafficCase[],
  head: Omit<TrafficRecord, 'figures' | 'cases'>,
): TrafficRecord {
  return {
    ...head,
    figures: FIGURE_NAMES,
    cases: cases.map(({ kernels, program, scene, dimensions, count, order, lost }) => {
      const numbersOf = (figures: KernelFigures) =>
        FIGURE_NAMES.map((name) => Number((FIGURES[name](figures) / count).toPrecision(DIGITS)));
      const entries = kernels.map((figures) => [figures.label, numbersOf(figures)] as const);
      return { program, scene, dimensions, count, order, lost, kernels: Object.fromEntries(entries) };
    }),
  };
}

export function figuresOf(numbers: readonly number[]): Figures {
  return Object.fromEntries(FIGURE_NAMES.map((name, index) => [name, numbers[index]])) as Figures;
}

export function nameOfCase({ program, scene, dimensions, count, order }: CaseRecord): string {
  return `${program} ${scene} ${dimensions}D ${count} ${order}`;
}

/** Writes a line per kernel, so that a small change of a record changes few lines. */
export function formatRecord({ cases, ...head }: TrafficRecord): string {
  const texts = cases.map(({ kernels, ...of }) => {
    const lines = Object.entries(kernels).map(
      ([label, numbers]) => `   ${JSON.stringify(label)}: ${JSON.stringify(numbers)}`,
    );
    return `  ${JSON.stringify(of).slice(0, -1)},"kernels":{\n${lines.join(',\n')}\n  }}`;
  });
  return `${JSON.stringify(head, undefined, 1).slice(0, -2)},\n "cases": [\n${texts.join(',\n')}\n ]\n}\n`;
}

/** Reads a record. Throws an ArgumentError that names `source` if `text` is no record with today's figures. */
export function parseRecord(source: string, text: string): TrafficRecord {
  return parseFigures(source, text, { command: 'bench:traffic', names: FIGURE_NAMES, content: 'cases' });
}

export interface Change {
  readonly name: string;
  readonly kernel: string;
  /** `before` is undefined if the kernel was added, `after` if it is gone. */
  readonly before: Figures | undefined;
  readonly after: Figures | undefined;
}

export interface Changes {
  /** The cases that only the later record has. */
  readonly added: readonly string[];
  /** Covers the cases that both records have. */
  readonly changed: readonly Change[];
}

export function compareRecords(before: TrafficRecord, after: TrafficRecord): Changes {
  const old = new Map(before.cases.map((one) => [nameOfCase(one), one.kernels]));
  const added: string[] = [];
  const changed = after.cases.flatMap((one) => {
    const name = nameOfCase(one);
    const kernels = old.get(name);
    if (!kernels) {
      added.push(name);
      return [];
    }
    const labels = new Set([...Object.keys(kernels), ...Object.keys(one.kernels)]);
    return [...labels].flatMap((kernel): Change[] => {
      const [then, now] = [kernels[kernel], one.kernels[kernel]].map(
        (numbers) => numbers && figuresOf(numbers),
      );
      const isSame = then && now && FIGURE_NAMES.every((figure) => isNear(then[figure], now[figure]));
      return isSame ? [] : [{ name, kernel, before: then, after: now }];
    });
  });
  return { added, changed };
}

export function isNear(before: number, after: number): boolean {
  return Math.abs(after - before) <= Math.max(LEAST, NOTED * before);
}
