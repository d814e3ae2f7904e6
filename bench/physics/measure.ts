/** The interface of the measures. A case is a scene with one or several starts; its run gives figures. */
import type { Dimensions } from '../../src/core/world/world';
import type { PhysicsEngine } from './engine';

/** The limits of a figure. A limit that is left out does not apply. */
export interface Bar {
  readonly least?: number;
  readonly most?: number;
}

export interface Figure {
  readonly name: string;
  readonly unit: string;
  /** Left out if only the comparison with other engines matters. */
  readonly bar?: Bar | undefined;
}

export interface Case {
  readonly group: GroupName;
  readonly dimensions: Dimensions;
  readonly scene: string;
  readonly figures: readonly Figure[];
  /** Returns a number per figure; NaN if the run has no such figure. */
  run(engine: PhysicsEngine): Promise<readonly number[]>;
}

export const GROUP_NAMES = ['slope', 'standing', 'ratio', 'overlap', 'impact', 'bounce', 'pile'] as const;
export type GroupName = (typeof GROUP_NAMES)[number];

export interface Sizes {
  readonly standing: number;
  readonly pile: number;
  readonly gas: number;
  readonly gasSteps: number;
}

export const DEFAULT_SIZES: Sizes = { standing: 20, pile: 1000, gas: 200, gasSteps: 5000 };

/** The limits of piles hold only for this number of particles. */
export const FULL_PILE = 10_000;

export function meetsBar(value: number, { least = -Infinity, most = Infinity }: Bar): boolean {
  return value >= least && value <= most;
}

/** Returns the end of a scene's name. */
export function withRestitution(restitution: number): string {
  return restitution > 0 ? `, restitution ${restitution}` : '';
}
