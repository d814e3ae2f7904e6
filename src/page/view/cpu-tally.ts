/**
 * The twin of tally.ts for the CPU engine: how many others are near each particle, for colours. Contacts are the
 * simulation's own pairs; density, and contacts of methods that have no pairs, are pairs of a second simulation, of larger particles at the same places, which is no code
 * that the page has not loaded already.
 */
import type { ParticleArrays, SimulationOptions } from '../../core/simulation/simulation';
import { createCpuSimulation } from '../../cpu/solver/simulation';
import { DENSITY_REACH } from '../model/colour';
import type { SimulationView } from '../model/simulation-view';
import type { Counted } from './tally';

/** Counts of each particle, in the order of what was read. */
export type CountNear = (particles: ParticleArrays) => Uint32Array;

export function createCpuTally(
  simulation: SimulationView,
  options: SimulationOptions,
  counted: Counted,
): CountNear {
  if (counted === 'contacts' && simulation.findPairs) return ({ ids }) => countEnds(simulation, ids);
  const { dimensions, capacity, radius, world } = simulation;
  const { min, max } = world;
  const place = world.kind === 'unbounded' ? { unbounded: true } : { min, max, periodic: options.periodic };
  const wide = createCpuSimulation({
    dimensions,
    capacity,
    radius: counted === 'density' ? DENSITY_REACH * radius : radius,
    ...place,
  });
  const empty = wide.checkpoint();
  return ({ ids, positions, velocities }) => {
    wide.restore({ ...empty, ids, positions, velocities });
    return countEnds(wide, ids);
  };
}

/** In how many overlapping pairs each is. */
function countEnds(simulation: SimulationView, ids: Uint32Array): Uint32Array {
  const found = simulation.findPairs?.();
  const counts = new Uint32Array(ids.length);
  // The CPU engine answers at once.
  if (!found || found instanceof Promise) return counts;
  const places = new Uint32Array(simulation.capacity);
  ids.forEach((id, index) => {
    places[id] = index;
  });
  for (const id of found.pairs) {
    const index = places[id] as number;
    counts[index] = (counts[index] as number) + 1;
  }
  return counts;
}
