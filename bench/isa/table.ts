/** Formats the figures of kernels, and the changes since a record. */
import { formatTable } from '../../src/cli/output';
import { FAMILY_NAMES } from './families';
import { isHot, isPlain } from './kernels';
import { FIGURE_NAMES, type Figure } from './measure';
import type { Change, Changes, IsaRecord } from './record';

/** The figures of the table, with their heads; kernels that spill have a list of their own. */
const SHOWN = { registers: 'regs', waves: 'waves', instructions: 'instr', cycles: 'cycles' } as const;
const SHOWN_NAMES = Object.keys(SHOWN) as (keyof typeof SHOWN)[];

/** The figures whose changes are reported. */
const WATCHED: readonly Figure[] = [
  'registers',
  'spills',
  'scalarSpills',
  'scratch',
  'waves',
  'instructions',
];

const SPILLS: readonly Figure[] = ['spills', 'scalarSpills', 'scratch'];

const read = (numbers: readonly number[], figure: Figure) => numbers[FIGURE_NAMES.indexOf(figure)] as number;

export function formatKernels({ kernels }: IsaRecord, all: boolean): string {
  const rows = Object.entries(kernels)
    .filter(([name]) => all || isPlain(name))
    .map(([name, of]) => [
      name,
      ...FAMILY_NAMES.flatMap((family) =>
        SHOWN_NAMES.map((figure) => String(read(of[family] as readonly number[], figure))),
      ),
    ]);
  const families = ['', ...FAMILY_NAMES.flatMap((family) => [family, ...SHOWN_NAMES.slice(1).map(() => '')])];
  const heads = ['kernel', ...FAMILY_NAMES.flatMap(() => Object.values(SHOWN))];
  return formatTable([families, heads, ...rows], [false, ...heads.slice(1).map(() => true)]);
}

export function formatSpills({ kernels }: IsaRecord): string {
  const lines = Object.entries(kernels).flatMap(([name, of]) =>
    FAMILY_NAMES.flatMap((family) => {
      const numbers = of[family] as readonly number[];
      const shown = SPILLS.filter((figure) => read(numbers, figure) > 0).map(
        (figure) => `${figure} ${read(numbers, figure)}`,
      );
      return shown.length === 0 ? [] : [`  ${name}, ${family}: ${shown.join(', ')}`];
    }),
  );
  return lines.length === 0
    ? 'No kernel spills registers.'
    : `Kernels whose registers or arrays do not fit:\n${lines.join('\n')}`;
}

export function formatChanges({ added, gone, changed }: Changes, all: boolean): string {
  const watched = changed.filter((change) => WATCHED.some((figure) => differs(change, figure)));
  const shown = watched.filter(({ kernel }) => all || isHot(kernel));
  const rows = shown.map((change) => [
    change.kernel,
    change.family,
    ...WATCHED.map((figure) =>
      differs(change, figure) ? `${read(change.before, figure)} → ${read(change.after, figure)}` : '',
    ),
  ]);
  const names = (title: string, list: readonly string[]) =>
    list.length === 0 ? [] : [`${title}: ${list.join(', ')}`];
  const hidden = watched.length - shown.length;
  return [
    ...names('Added', added),
    ...names('Gone', gone),
    ...(rows.length === 0 ? [] : [formatTable([['changed', 'family', ...WATCHED], ...rows])]),
    ...(hidden === 0 ? [] : [`${hidden} changes of other kernels; --all shows them.`]),
    ...(added.length + gone.length + watched.length === 0 ? ['Nothing changed.'] : []),
  ].join('\n');
}

function differs({ before, after }: Change, figure: Figure): boolean {
  return read(before, figure) !== read(after, figure);
}
