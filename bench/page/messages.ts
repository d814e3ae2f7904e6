/** Messages between the benchmark page and its worker. */

import type { Dimensions } from '../../src/core/world/world';
import type { Backend } from '../harness/engine';
import type { Machine, Outcome } from '../harness/record';
import type { BenchPlan } from '../harness/run';

export interface Choice {
  readonly name: string;
  readonly about: string;
}

export interface EngineChoice extends Choice {
  readonly backend: Backend;
  readonly byDefault: boolean;
}

export interface SceneChoice extends Choice {
  readonly dimensions: readonly Dimensions[];
}

export type NamedPlan = Omit<BenchPlan, 'engines' | 'scenes'> & {
  readonly engines: readonly string[];
  readonly scenes: readonly string[];
};

export type Question = { readonly kind: 'run'; readonly plan: NamedPlan } | { readonly kind: 'stop' };

/** The worker's part of the machine's description. The page adds the rest. */
export type MeasuredMachine = Omit<Machine, 'cpu' | 'cores' | 'runtime' | 'flags'>;

export type Answer =
  /** The worker holds a Web Lock with its own name until it ends, so the page can notice that. */
  | { readonly kind: 'locked' }
  | {
      readonly kind: 'choices';
      readonly engines: readonly EngineChoice[];
      readonly scenes: readonly SceneChoice[];
      /** Says why no GPU can be used; undefined if one can. */
      readonly missingGpu: string | undefined;
    }
  | { readonly kind: 'progress'; readonly done: number; readonly total: number; readonly what: string }
  | { readonly kind: 'outcome'; readonly outcome: Outcome; readonly machine: MeasuredMachine }
  | { readonly kind: 'ended'; readonly stopped: boolean }
  | { readonly kind: 'failed'; readonly reason: string };
