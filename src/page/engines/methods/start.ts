/** Makes the particles of a choice and, unless they only collide, the method that moves them. */
import { type Selection, startOf } from '../../model/opened';
import { methodOf } from '../../model/scenes';
import type { Start } from '../../model/simulation-view';

export async function startFrom(chosen: Selection, count: number): Promise<Start> {
  switch (methodOf(chosen)) {
    case 'fluid':
      return (await import('./fluid-start')).startFluid(chosen, count);
    case 'pbf':
      return (await import('./pbf-start')).startPositionFluid(chosen, count);
    case 'flock':
      return (await import('./flock-start')).startFlock(chosen, count);
    case 'life':
      return (await import('./life-start')).startLife(chosen, count);
    default:
      return startOf(chosen, count);
  }
}
