/** Records the steps of a trace. */
import type { Substep } from '../../core/contact/settings';
import type { World } from '../../index';

export const STAGES = [
  { name: 'hash', title: 'Hash' },
  { name: 'count', title: 'Count' },
  { name: 'sum', title: 'Prefix sum' },
  { name: 'scatter', title: 'Scatter' },
  { name: 'order', title: 'Canonical order' },
  { name: 'probe', title: 'Probe' },
  { name: 'push', title: 'Push apart' },
] as const;

export type Stage = (typeof STAGES)[number]['name'];

interface ArrayKind {
  /** The kind of thing that has an entry. An array with an entry per cell has three more entries after the cells. */
  readonly of: 'particle' | 'cell' | 'entry' | 'slot';
  /** Numbers per entry. */
  readonly components: 1 | 2;
  readonly holds: string;
}

/** The names counts, ranks, start, entries and ids are the engine's. */
export const ARRAYS = {
  positions: { of: 'particle', components: 2, holds: 'positions, x above y' },
  cells: { of: 'particle', components: 1, holds: 'the cell of each particle' },
  ranks: { of: 'particle', components: 1, holds: 'particles that entered its cell earlier' },
  counts: { of: 'cell', components: 1, holds: 'particles in each cell' },
  start: { of: 'cell', components: 1, holds: 'where each cell begins' },
  entries: { of: 'entry', components: 1, holds: 'ids by cell, in order of arrival' },
  ids: { of: 'slot', components: 1, holds: 'ids by cell, ascending' },
  sorted: { of: 'slot', components: 2, holds: 'positions by slot, x above y' },
  candidates: { of: 'slot', components: 1, holds: 'other particles in its nine cells' },
  contacts: { of: 'slot', components: 1, holds: 'particles that overlap it' },
  moved: { of: 'slot', components: 2, holds: 'positions after the push' },
} as const satisfies Record<string, ArrayKind>;

export type ArrayName = keyof typeof ARRAYS;

/** A number is undefined until a step writes it. */
export type Values = readonly (number | undefined)[];

export type Arrays = Readonly<Record<ArrayName, Values>>;

export const SHOWN: Readonly<Record<Stage, readonly ArrayName[]>> = {
  hash: ['positions', 'cells'],
  count: ['cells', 'ranks', 'counts'],
  sum: ['counts', 'start'],
  scatter: ['cells', 'ranks', 'start', 'entries'],
  order: ['positions', 'start', 'entries', 'ids', 'sorted'],
  probe: ['start', 'ids', 'sorted', 'candidates', 'contacts'],
  push: ['ids', 'sorted', 'contacts', 'moved'],
};

export interface Entry {
  readonly array: ArrayName;
  readonly index: number;
}

export type Verdict = 'contact' | 'apart';

export interface Focus {
  /** Id of the particle that the step is about. */
  readonly particle?: number | undefined;
  /** Cells written, entered or probed. */
  readonly cells: readonly number[];
  /** Verdicts by id of the tested particle. */
  readonly verdicts: ReadonlyMap<number, Verdict>;
  /** The slots of `cells` while the probe visits them one by one. */
  readonly slots: readonly number[];
}

export interface Step {
  readonly stage: Stage;
  /** Index in the stage; step 0 introduces the stage. */
  readonly index: number;
  readonly arrays: Arrays;
  readonly reads: readonly Entry[];
  readonly writes: readonly Entry[];
  readonly focus: Focus;
  readonly text: string;
}

export interface Scene {
  readonly world: World;
  readonly diameter: number;
  readonly positions: Float32Array;
  /** The ids, in the order in which the particles are counted. */
  readonly arrivals: Uint32Array;
  readonly substep: Substep;
}

export interface Trace {
  readonly scene: Scene;
  readonly steps: readonly Step[];
}

export const PARTICLES = 30;
/** Columns without the ring of empty cells. */
export const COLUMNS = 6;
export const ROWS = 5;

/** Records steps. Each step holds all arrays as they are after the step. */
export class Recorder {
  readonly steps: Step[] = [];
  private arrays: Arrays;

  constructor(readonly scene: Scene) {
    const { world } = scene;
    const lengths = { particle: PARTICLES, entry: PARTICLES, slot: PARTICLES, cell: world.cellCount + 3 };
    const names = Object.keys(ARRAYS) as ArrayName[];
    const empty = names.map((name) => {
      const { of, components } = ARRAYS[name];
      return [name, new Array<number | undefined>(components * lengths[of]).fill(undefined)];
    });
    this.arrays = Object.fromEntries(empty) as Record<ArrayName, Values>;
    this.set('positions', scene.positions);
    // The scan of the previous simulation step has cleared the counts.
    this.set('counts', new Uint32Array(lengths.cell));
  }

  set(name: ArrayName, values: ArrayLike<number>): void {
    this.arrays = { ...this.arrays, [name]: Array.from(values) };
  }

  /** Copies one entry of a reference pass's output. */
  take(name: ArrayName, index: number, output: ArrayLike<number>): Entry {
    const { components } = ARRAYS[name];
    const values = [...this.arrays[name]];
    for (let number = components * index; number < components * (index + 1); number++) {
      values[number] = output[number];
    }
    this.arrays = { ...this.arrays, [name]: values };
    return { array: name, index };
  }

  step(stage: Stage, text: string, happens: Partial<Omit<Step, 'focus'> & Focus> = {}): void {
    const { reads = [], writes = [], particle, cells = [], verdicts = new Map(), slots = [] } = happens;
    const index = this.steps.at(-1)?.stage === stage ? (this.steps.at(-1)?.index ?? 0) + 1 : 0;
    const focus = { particle, cells, verdicts, slots };
    this.steps.push({ stage, index, arrays: this.arrays, reads, writes, focus, text });
  }
}

export function formatNumber(value: number): string {
  return String(Number(value.toFixed(3)));
}

export function describe(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

export function countContacts(verdicts: ReadonlyMap<number, Verdict>): number {
  return [...verdicts.values()].filter((verdict) => verdict === 'contact').length;
}

export function positionOf(positions: ArrayLike<number>, index: number): number[] {
  return [positions[2 * index] as number, positions[2 * index + 1] as number];
}

export function distanceBetween(positions: Float32Array, first: number, second: number): number {
  const [a, b] = [positionOf(positions, first), positionOf(positions, second)];
  return Math.hypot((a[0] as number) - (b[0] as number), (a[1] as number) - (b[1] as number));
}

export function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

export function range(first: number, end: number): number[] {
  return Array.from({ length: end - first }, (_, index) => first + index);
}
