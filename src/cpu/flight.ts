/**
 * Purpose: fast particles put where their paths end (src/core/flight.ts), on the CPU: whom they can meet is found by the
 * boxes around the pieces of their paths.
 * Inputs: the canonical order of the ends of a substep's motion, obstacles if there are any. In place.
 */
import type { FlightSearch, Flights } from '../core/flight';
import { followPaths } from '../core/paths';
import type { Substep } from '../core/settings';
import { visitInBox } from './box';
import { CpuBoxPairs } from './box-pairs';
import type { ParticleState } from './kernels';
import type { Obstacles } from './obstacles';
import type { CellOrder } from './order';

export class Flight {
  private readonly pairs: CpuBoxPairs;

  constructor(
    private readonly order: CellOrder,
    private readonly obstacles: Obstacles | undefined,
  ) {
    const { dimensions, world } = order.lattice;
    this.pairs = new CpuBoxPairs(dimensions, world.period);
  }

  fly({ ids, positions, velocities }: ParticleState, substep: Substep): Flights {
    const { order, obstacles, pairs } = this;
    const state = { ids, positions, velocities, live: order.live };
    const search: FlightSearch = {
      particles: (low, high, visit) => visitInBox(order, positions, low, high, visit),
      obstacles: obstacles?.sorted,
      visitObstacles: (low, high, visit) => obstacles?.visitInBox(low, high, visit),
      meetings(boxes, visit) {
        pairs.build(boxes);
        pairs.forEachPair(visit);
      },
    };
    return followPaths(order.lattice.world, substep, state, search);
  }
}
