/** Prepares the choices to start, with any method. The code of a method is loaded when it is chosen. */
import { type Chosen, startOf } from '../../model/opened';
import { methodOf } from '../../model/scenes';
import type { Start } from '../../model/simulation-view';

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
