/**
 * The counts and sums of CpuSimulation.measure, in doubles. Numbers are added in the order of slots or of pairs, so the
 * sums have the same bits on every run.
 */
import type { Measures } from '../../core/simulation/simulation';
import type { World } from '../../core/world/world';
import { countCandidates } from '../equal/candidates';
import { takeOrderCensus } from '../equal/hashed';
import type { CellOrder } from '../equal/order';
import type { ParticleState } from '../shared/kernels';
import { minimumDistance } from '../shared/overlap';
import { NO_CONTACT } from './general-contact';
import type { Census, PairsInPortions } from './neighbours';
import type { OverlapTest } from './passes';

export function takeCensus(order: CellOrder): Census {
  const candidates = countCandidates(order);
  if (order.lattice.world.kind === 'unbounded') return { candidates, ...takeOrderCensus(order) };
  return { candidates, bucketCollisions: 0, ...order.census() };
}

type Overlaps = Pick<Measures, 'contacts' | 'deepestOverlap' | 'meanOverlap'>;

/**
 * Measures the overlaps of particles. `search` must name particles by their slots. `diameter` is for particles without
 * radii. `overlapOf` is given if the search also returns pairs that do not overlap.
 */
export function measureOverlaps(
  search: PairsInPortions,
  state: ParticleState,
  diameter: number,
  overlapOf?: OverlapTest,
): Overlaps {
  const { positions, radii } = state;
  const { task } = search;
  const { lattice } = task;
  const { dimensions } = lattice;
  const areEqual = radii.length === 0;
  let contacts = 0;
  let deepestOverlap = 0;
  let sum = 0;
  while (search.advance()) {
    for (let word = 0; word < task.length; word += 2) {
      const a = task.words[word] as number;
      const b = task.words[word + 1] as number;
      if (overlapOf) {
        const overlap = overlapOf(lattice, state, a, b);
        if (overlap === NO_CONTACT) continue;
        contacts++;
        sum += overlap;
        if (overlap > deepestOverlap) deepestOverlap = overlap;
        continue;
      }
      let squared = 0;
      for (let axis = 0; axis < dimensions; axis++) {
        const apart =
          (positions[dimensions * a + axis] as number) - (positions[dimensions * b + axis] as number);
        squared += minimumDistance(apart, lattice.periods[axis] as number) ** 2;
      }
      const reach = areEqual ? diameter : (radii[a] as number) + (radii[b] as number);
      const overlap = reach - Math.sqrt(squared);
      sum += overlap;
      if (overlap > deepestOverlap) deepestOverlap = overlap;
    }
    if (!overlapOf) contacts += task.length / 2;
  }
  return { contacts, deepestOverlap, meanOverlap: contacts === 0 ? 0 : sum / contacts };
}

type Sums = Pick<Measures, 'outside' | 'kineticEnergy' | 'momentum'>;

/**
 * Measures the particles that are not quarantined. A particle's weight is its mass, relative to that of the largest
 * ball.
 */
export function measureParticles(world: World, state: ParticleState, activeCount: number): Sums {
  const { dimensions, min, max } = world;
  const { positions, velocities, bulks } = state;
  const largest = world.diameter / 2;
  const areEqual = bulks.length === 0;
  const momentum = new Array<number>(dimensions).fill(0);
  let squares = 0;
  let outside = 0;
  for (let slot = 0; slot < activeCount; slot++) {
    const weight = areEqual ? 1 : ((bulks[slot] as number) / largest) ** dimensions;
    let isOutside = false;
    for (let axis = 0; axis < dimensions; axis++) {
      const position = positions[dimensions * slot + axis] as number;
      const velocity = velocities[dimensions * slot + axis] as number;
      if (position < (min[axis] as number) || position > (max[axis] as number)) isOutside = true;
      squares += weight * velocity * velocity;
      momentum[axis] = (momentum[axis] as number) + weight * velocity;
    }
    if (isOutside) outside++;
  }
  return { outside, kineticEnergy: squares / 2, momentum };
}
