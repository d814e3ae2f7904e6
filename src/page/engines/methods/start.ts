/**
 * Purpose: what a run starts from, whatever moves it. What a method needs is loaded when one is chosen.
 */
import type { Checkpoint, SimulationOptions } from '../../../core/simulation/simulation';
import type { Drive } from '../../../scenes';
import type { MethodStart } from '../../model/body';
import { type Chosen, startOf } from '../../model/opened';
import { methodOf } from '../../model/scenes';

export interface Start {
  /** Of a simulation; of a method, as one of its particles would begin. */
  readonly options: SimulationOptions;
  /** The state that it starts from, where that is a file's. */
  readonly checkpoint?: Checkpoint | undefined;
  readonly method?: MethodStart | undefined;
  /** What is not as it was asked for, in a sentence, else ''. */
  readonly note?: string | undefined;
  /** What changes in the scene as time passes. */
  readonly drive?: Drive | undefined;
}

export async function startFrom(chosen: Chosen, count: number): Promise<Start> {
  switch (methodOf(chosen)) {
    case 'liquid':
      return (await import('./liquid-start')).startLiquid(chosen, count);
    case 'flock':
      return (await import('./flock-start')).startFlock(chosen, count);
    default:
      return startOf(chosen, count);
  }
}
