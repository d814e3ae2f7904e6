/** Prepares what is chosen to start, whichever method runs it. The code of a method is loaded when it is chosen. */
import type { Checkpoint, SimulationOptions } from '../../../core/simulation/simulation';
import type { Drive } from '../../../scenes';
import { type Chosen, startOf } from '../../model/opened';
import { methodOf } from '../../model/scenes';
import type { MethodStart } from '../../model/simulation-view';

export interface Start {
  /** Options of a simulation; for another method, those of a simulation of its particles. */
  readonly options: SimulationOptions;
  /** The state to start from, if it comes from a file. */
  readonly checkpoint?: Checkpoint | undefined;
  readonly method?: MethodStart | undefined;
  /** A sentence that says what differs from the request; '' if nothing does. */
  readonly note?: string | undefined;
  /** The scene's drive, if it has one. */
  readonly drive?: Drive | undefined;
}

export async function startFrom(chosen: Chosen, count: number): Promise<Start> {
  switch (methodOf(chosen)) {
    case 'fluid':
      return (await import('./fluid-start')).startFluid(chosen, count);
    case 'flock':
      return (await import('./flock-start')).startFlock(chosen, count);
    default:
      return startOf(chosen, count);
  }
}
