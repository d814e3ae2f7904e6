import { ARRAYS, type ArrayName, arrayOf, type Stage } from './methods';
import type { Scene } from './scene';

/** A number is undefined until its first write. */
export type Values = readonly (number | undefined)[];

export type Arrays = Readonly<Record<ArrayName, Values>>;

export interface Entry {
  readonly array: ArrayName;
  readonly index: number;
}

/** `elsewhere`: the particle is in a bucket of the searched row, but in none of the row's cells. */
export type Verdict = 'contact' | 'apart' | 'elsewhere';

export interface Focus {
  readonly particle?: number | undefined;
  /** The cells that the picture highlights. */
  readonly cells: readonly number[];
  /** Verdicts by id of the tested particle. */
  readonly verdicts: ReadonlyMap<number, Verdict>;
  /** The slots of the row that the probe is visiting; empty in all other steps. */
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
  readonly detail: string;
}

export interface Trace {
  readonly scene: Scene;
  readonly steps: readonly Step[];
}

/** Records steps. Each step holds all arrays as they are after the step. */
export class Recorder {
  readonly steps: Step[] = [];
  private arrays: Arrays;

  constructor(readonly scene: Scene) {
    const { method, world, arrivals } = scene;
    const count = arrivals.length;
    const buckets = world.cellCount + 3;
    const lengths = { particle: count, entry: count, slot: count, cell: buckets, bucket: buckets };
    const names = Object.keys(ARRAYS) as ArrayName[];
    const empty = names.map((name) => {
      const { of, components } = arrayOf(method, name);
      return [name, new Array<number | undefined>(components * lengths[of]).fill(undefined)];
    });
    this.arrays = Object.fromEntries(empty) as Record<ArrayName, Values>;
    this.set('positions', scene.positions);
    // The scan of the previous simulation step has cleared the counts.
    this.set('counts', new Uint32Array(buckets));
  }

  set(name: ArrayName, values: ArrayLike<number>): void {
    this.arrays = { ...this.arrays, [name]: Array.from(values) };
  }

  /** Copies entry `index` of `output` into the array `name`. */
  take(name: ArrayName, index: number, output: ArrayLike<number>): Entry {
    const { components } = ARRAYS[name];
    const values = [...this.arrays[name]];
    for (let number = components * index; number < components * (index + 1); number++) {
      values[number] = output[number];
    }
    this.arrays = { ...this.arrays, [name]: values };
    return { array: name, index };
  }

  step(
    stage: Stage,
    text: string,
    detail: string,
    happens: Partial<Pick<Step, 'reads' | 'writes'> & Focus> = {},
  ): void {
    const { reads = [], writes = [], particle, cells = [], verdicts = new Map(), slots = [] } = happens;
    const index = this.steps.at(-1)?.stage === stage ? (this.steps.at(-1)?.index ?? 0) + 1 : 0;
    const focus = { particle, cells, verdicts, slots };
    this.steps.push({ stage, index, arrays: this.arrays, reads, writes, focus, text, detail });
  }
}

export function countContacts(verdicts: ReadonlyMap<number, Verdict>): number {
  return [...verdicts.values()].filter((verdict) => verdict === 'contact').length;
}
