/**
 * Fast particles put where their paths end (src/core/ccd/law.ts), on the CPU: whom they can meet is found by the
 * boxes around the pieces of their paths.
 * Inputs: the canonical order of the ends of a substep's motion, obstacles if there are any. In place.
 */
import type { CcdSearch, ContinuousCounts } from '../../core/ccd/law';
import { followPaths } from '../../core/ccd/paths';
import type { Substep } from '../../core/contact/settings';
import type { World } from '../../core/world/world';
import { CpuBoxPairs } from '../boxes/pairs';
import { type ParticleState, sizesOf } from '../shared/kernels';
import type { Neighbours } from './neighbours';
import type { ObstacleSearch } from './obstacle-search';

export class CcdSolver {
  private readonly pairs: CpuBoxPairs;

  constructor(
    private readonly world: World,
    private readonly neighbours: Pick<Neighbours, 'live' | 'visitAround'>,
    private readonly obstacles: Pick<ObstacleSearch, 'bodies' | 'visitInBox'> | undefined,
  ) {
    this.pairs = new CpuBoxPairs(world.dimensions, world.period);
  }

  fly(sorted: ParticleState, substep: Substep): ContinuousCounts {
    const { neighbours, obstacles, pairs, world } = this;
    const { ids, positions, velocities } = sorted;
    const state = { ids, positions, velocities, live: neighbours.live, ...sizesOf(sorted) };
    const search: CcdSearch = {
      particles: (low, high, visit) => neighbours.visitAround(low, high, visit),
      obstacles: obstacles?.bodies,
      visitObstacles: (low, high, visit) => obstacles?.visitInBox(low, high, visit),
      meetings(boxes, visit) {
        pairs.build(boxes);
        pairs.forEachPair(visit);
      },
    };
    return followPaths(world, substep, state, search);
  }
}
