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
}

export interface SceneChoice extends Choice {
  readonly dimensions: readonly Dimensions[];
}

/** A plan with engines given by name. */
export type NamedPlan = Omit<BenchPlan, 'engines'> & { readonly engines: readonly string[] };

export type Question = { readonly kind: 'run'; readonly plan: NamedPlan } | { readonly kind: 'stop' };

/** The measured machine, as far as the worker knows it by then. */
export type MeasuredMachine = Omit<Machine, 'cpu' | 'cores' | 'runtime' | 'flags'>;

export type Answer =
  | {
      readonly kind: 'choices';
      readonly engines: readonly EngineChoice[];
      readonly scenes: readonly SceneChoice[];
      /** Why there is no GPU; undefined if there is one. */
      readonly missingGpu: string | undefined;
    }
  | { readonly kind: 'progress'; readonly done: number; readonly total: number; readonly what: string }
  | { readonly kind: 'outcome'; readonly outcome: Outcome; readonly machine: MeasuredMachine }
  | { readonly kind: 'ended'; readonly stopped: boolean }
  | { readonly kind: 'failed'; readonly reason: string };
