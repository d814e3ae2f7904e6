/**
 * Moves fast particles to the ends of their paths (src/core/ccd/law.ts). Finds the bodies near a path by searching
 * boxes around the pieces of the path. The state must be in canonical order, and changes in place.
 */
import type { CcdSearch, ContinuousCounts } from '../../core/ccd/law';
import { followPaths } from '../../core/ccd/paths';
import type { Substep } from '../../core/contact/settings';
import type { World } from '../../core/world/world';
import { CpuBoxPairs } from '../boxes/pairs';
import { type ParticleState, sizesOf } from '../shared/kernels';
import type { Neighbours } from './neighbours';
import type { ObstacleSearch } from './obstacle-search';

/** Thrown to end a search for pairs. */
const ENOUGH = new Error('enough');

export class CcdSolver {
  private readonly pairs: CpuBoxPairs;

  constructor(
    private readonly world: World,
    private readonly neighbours: Pick<Neighbours, 'activeCount' | 'visitAround'>,
    private readonly obstacles: Pick<ObstacleSearch, 'bodies' | 'visitInBox'> | undefined,
  ) {
    this.pairs = new CpuBoxPairs(world.dimensions, world.period);
  }

  fly(sorted: ParticleState, substep: Substep): ContinuousCounts {
    const { neighbours, obstacles, pairs, world } = this;
    const { ids, positions, velocities } = sorted;
    const state = { ids, positions, velocities, activeCount: neighbours.activeCount, ...sizesOf(sorted) };
    const search: CcdSearch = {
      particles: (low, high, visit) => neighbours.visitAround(low, high, visit),
      obstacles: obstacles?.bodies,
      visitObstacles: (low, high, visit) => obstacles?.visitInBox(low, high, visit),
      meetings(boxes, visit) {
        pairs.build(boxes);
        try {
          pairs.forEachPair((first, second) => {
            if (!visit(first, second)) throw ENOUGH;
          });
        } catch (error) {
          if (error === ENOUGH) return false;
          throw error;
        }
        return true;
      },
    };
    return followPaths(world, substep, state, search);
  }
}
