/**
 * Purpose: fast particles put where their paths end (src/core/flight.ts), on the CPU: whom they can meet is found by the
 * boxes around the pieces of their paths.
 * Inputs: the canonical order of the ends of a substep's motion, obstacles if there are any. In place.
 */
import type { FlightSearch, Flights } from '../core/flight';
import { followPaths } from '../core/paths';
import type { Substep } from '../core/settings';
import type { World } from '../core/world';
import { CpuBoxPairs } from './box-pairs';
import { type ParticleState, sizesOf } from './kernels';
import { type Neighbours, WIDER } from './neighbours';
import type { Obstacles } from './obstacles';

export class Flight {
  private readonly pairs: CpuBoxPairs;

  constructor(
    private readonly world: World,
    private readonly neighbours: Pick<Neighbours, 'live' | 'visitAround'>,
    private readonly obstacles: Obstacles | undefined,
  ) {
    this.pairs = new CpuBoxPairs(world.dimensions, world.period);
  }

  fly(sorted: ParticleState, substep: Substep): Flights {
    const { neighbours, obstacles, pairs, world } = this;
    const { ids, positions, velocities } = sorted;
    const state = { ids, positions, velocities, live: neighbours.live, ...sizesOf(sorted) };
    const margin = (WIDER * substep.diameter) / 2;
    const search: FlightSearch = {
      particles: (low, high, visit) => neighbours.visitAround(low, high, visit),
      obstacles: obstacles?.sorted,
      visitObstacles: (low, high, visit) =>
        obstacles?.visitInBox(
          low.map((along) => along - margin),
          high.map((along) => along + margin),
          visit,
        ),
      meetings(boxes, visit) {
        pairs.build(boxes);
        pairs.forEachPair(visit);
      },
    };
    return followPaths(world, substep, state, search);
  }
}
