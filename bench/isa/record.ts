/** The record of `npm run bench:isa`, and the differences between two records. */
import { parseFigures } from '../figures';
import { FAMILY_NAMES, type Family } from './families';
import { FIGURE_NAMES, type Figures, type Isa } from './measure';

export interface IsaRecord {
  readonly commit: string | undefined;
  readonly driver: string;
  /** The version of the package webgpu, which translates WGSL to SPIR-V for the driver. */
  readonly webgpu: string;
  /** Names of the numbers in `kernels`, in the same order. */
  readonly figures: readonly string[];
  /** The numbers of each kernel for each family of GPUs. */
  readonly kernels: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;
}

export function recordOf(
  { driver, families }: Isa,
  versions: Pick<IsaRecord, 'commit' | 'webgpu'>,
): IsaRecord {
  const names = [...families[FAMILY_NAMES[0] as Family].keys()];
  const numbersOf = (name: string) =>
    FAMILY_NAMES.map((family) => {
      const figures = families[family].get(name) as Figures;
      return [family, FIGURE_NAMES.map((figure) => figures[figure])] as const;
    });
  const kernels = Object.fromEntries(names.map((name) => [name, Object.fromEntries(numbersOf(name))]));
  return { ...versions, driver, figures: FIGURE_NAMES, kernels };
}

/** Writes a line per kernel, so that diffs of records are short. */
export function formatRecord({ kernels, ...head }: IsaRecord): string {
  const lines = Object.entries(kernels).map(
    ([name, of]) => `  ${JSON.stringify(name)}: ${JSON.stringify(of)}`,
  );
  return `${JSON.stringify(head, undefined, 1).slice(0, -2)},\n "kernels": {\n${lines.join(',\n')}\n }\n}\n`;
}

/** Reads a record. Throws an ArgumentError that names `source` if `text` is no record with today's figures. */
export function parseRecord(source: string, text: string): IsaRecord {
  return parseFigures(source, text, { command: 'bench:isa', names: FIGURE_NAMES, content: 'kernels' });
}

export interface Change {
  readonly kernel: string;
  readonly family: string;
  readonly before: readonly number[];
  readonly after: readonly number[];
}

export interface Changes {
  readonly added: readonly string[];
  readonly gone: readonly string[];
  readonly changed: readonly Change[];
}

export function compareRecords(before: IsaRecord, after: IsaRecord): Changes {
  const missingIn = (record: IsaRecord, name: string) => !Object.hasOwn(record.kernels, name);
  const names = Object.keys(after.kernels);
  const changed = names.flatMap((kernel) =>
    FAMILY_NAMES.flatMap((family): Change[] => {
      const [old, now] = [before, after].map((record) => record.kernels[kernel]?.[family]);
      return !old || !now || String(old) === String(now) ? [] : [{ kernel, family, before: old, after: now }];
    }),
  );
  return {
    added: names.filter((name) => missingIn(before, name)),
    gone: Object.keys(before.kernels).filter((name) => missingIn(after, name)),
    changed,
  };
}
