/**
 * Shows the arrays of a stage. Entries that a step only reads get a dashed outline and an R. Entries that it writes are
 * filled and get a W, or RW if it also reads them. An array with an entry per cell is laid out like the cells; the
 * three entries after the last cell have a row of their own.
 */
import { make } from './dom';
import { ARRAYS, type ArrayName, arrayOf, shownArrays } from './methods';
import type { Scene } from './scene';
import type { Step, Trace, Values } from './trace-recorder';
import { formatNumber, withSign } from './words';

interface Shown {
  readonly figure: HTMLElement;
  readonly entries: readonly { readonly box: HTMLElement; readonly value: HTMLElement }[];
}

const MARKS = { r: 'read', w: 'written', rw: 'both' } as const;

export class ArrayView {
  private shown = new Map<ArrayName, Shown>();
  private built = '';

  constructor(private readonly parent: HTMLElement) {}

  show({ scene }: Trace, step: Step): void {
    const { method, arrivals } = scene;
    const kind = `${method} ${arrivals.length}`;
    if (kind !== this.built) {
      this.built = kind;
      const names = Object.keys(ARRAYS) as ArrayName[];
      this.shown = new Map(names.map((name) => [name, this.build(name, scene, step)]));
      this.parent.dataset.method = method;
      this.parent.replaceChildren(...[...this.shown.values()].map(({ figure }) => figure));
    }
    const marksCells = step.stage === 'scatter' || step.stage === 'order' || this.isSorted(step);
    for (const [name, { figure, entries }] of this.shown) {
      const isShown = shownArrays(method, step.stage).includes(name);
      figure.hidden = !isShown;
      if (!isShown) continue;
      const marks = new Map<number, string>();
      for (const [list, mark] of [
        [step.reads, 'r'],
        [step.writes, 'w'],
      ] as const) {
        for (const { array, index } of list) {
          if (array !== name) continue;
          const before = marks.get(index) ?? '';
          // A step may read an entry twice.
          if (!before.includes(mark)) marks.set(index, before + mark);
        }
      }
      for (const [index, { box, value }] of entries.entries()) {
        const text = entryText(step.arrays[name], name, index);
        if (value.textContent !== text) value.textContent = text;
        const mark = marks.get(index) as keyof typeof MARKS | undefined;
        if (mark) box.dataset.mark = MARKS[mark];
        else delete box.dataset.mark;
        const { of } = arrayOf(method, name);
        if (of === 'entry' || of === 'slot')
          box.classList.toggle('begins', marksCells && this.begins(step, index));
        // In the arrays that the probe reads, mark the slots that it visits.
        const isInput = name === 'ids' || name === 'sorted' || name === 'lattices';
        if (isInput) box.classList.toggle('around', step.focus.slots.includes(index));
      }
    }
  }

  private isSorted({ stage }: Step): boolean {
    return stage === 'probe' || stage === 'push';
  }

  /** Returns whether a cell begins at the slot. The first slot needs no mark. */
  private begins({ arrays }: Step, slot: number): boolean {
    return slot > 0 && arrays.start.includes(slot);
  }

  private build(name: ArrayName, { method, world }: Scene, { arrays }: Step): Shown {
    const { of, components, holds } = arrayOf(method, name);
    const length = arrays[name].length / components;
    const entries = Array.from({ length }, (_, index) => {
      const value = make('span', { class: 'value' });
      const box = make('li', { 'data-index': index }, make('span', { class: 'index' }, String(index)), value);
      if ((of === 'cell' || of === 'bucket') && index === world.cellCount) box.classList.add('behind');
      return { box, value };
    });
    const list = make('ol', {
      class: `list by-${of}`,
      'data-array': name,
      'aria-label': name,
    });
    list.append(...entries.map(({ box }) => box));
    const title = make('figcaption', {}, make('code', {}, `${name}[${of}]`), ` ${holds}`);
    return { figure: make('figure', { class: `array of-${of}` }, title, list), entries };
  }
}

export function entryText(values: Values, name: ArrayName, index: number): string {
  const { components, digits = 0 }: ReturnType<typeof arrayOf> = ARRAYS[name];
  const numbers = values.slice(components * index, components * (index + 1));
  return numbers.map((value) => (value === undefined ? '' : withSign(value.toFixed(digits)))).join('\n');
}

export function describeEntries({ reads, writes, arrays, index }: Step): string {
  const parts: string[] = [];
  if (reads.length > 0) parts.push(`Reads ${names(reads)}.`);
  if (writes.length > 0) {
    const written = (name: ArrayName, [index = 0, ...others]: readonly number[]) =>
      others.length === 0 && ARRAYS[name].components === 1
        ? ` = ${formatNumber(arrays[name][index] ?? 0)}`
        : '';
    parts.push(`Writes ${names(writes, written)}.`);
  }
  return parts.join(' ') || `Nothing is read or written${index === 0 ? ' yet' : ''}.`;
}

/** Names entries, for example `start[3, 6], ids[0 to 3]`. `more` returns text to append to an array's entries. */
function names(
  entries: Step['reads'],
  more: (name: ArrayName, indices: readonly number[]) => string = () => '',
): string {
  const byArray = new Map<ArrayName, number[]>();
  for (const { array, index } of entries) byArray.set(array, [...(byArray.get(array) ?? []), index]);
  return [...byArray].map(([name, indices]) => `${name}[${runs(indices)}]${more(name, indices)}`).join(', ');
}

function runs(indices: readonly number[]): string {
  const found: [number, number][] = [];
  for (const index of indices.toSorted((a, b) => a - b)) {
    const last = found.at(-1);
    if (last && index <= last[1] + 1) last[1] = index;
    else found.push([index, index]);
  }
  return found.map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`)).join(', ');
}
