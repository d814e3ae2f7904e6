/**
 * The twin of tally.ts for the CPU engine: counts the neighbours of each particle, for colours. Contacts come from the
 * simulation's pairs. Density, and contacts of methods without pairs, come from the pairs of a second simulation at the
 * same positions; for density its particles are larger. This needs no code that the page has not loaded already.
 */
import type { ParticleArrays, SimulationOptions } from '../../core/simulation/simulation';
import { createCpuSimulation } from '../../cpu/solver/simulation';
import { DENSITY_REACH } from '../model/colour';
import type { SimulationView } from '../model/simulation-view';
import type { Counted } from './tally';

/** Returns the count of each particle, in the order of the arrays. */
export type CountNear = (particles: ParticleArrays) => Uint32Array;

export function createCpuTally(
  simulation: SimulationView,
  options: SimulationOptions,
  counted: Counted,
): CountNear {
  if (counted === 'contacts' && simulation.findPairs) return ({ ids }) => countEnds(simulation, ids);
  const { dimensions, capacity, radius, world } = simulation;
  const { min, max } = world;
  const bounds = world.kind === 'unbounded' ? { unbounded: true } : { min, max, periodic: options.periodic };
  const wide = createCpuSimulation({
    dimensions,
    capacity,
    radius: counted === 'density' ? DENSITY_REACH * radius : radius,
    ...bounds,
  });
  const empty = wide.checkpoint();
  return ({ ids, positions, velocities }) => {
    wide.restore({ ...empty, ids, positions, velocities });
    return countEnds(wide, ids);
  };
}

/** Counts the overlapping pairs of each particle. */
function countEnds(simulation: SimulationView, ids: Uint32Array): Uint32Array {
  const found = simulation.findPairs?.();
  const counts = new Uint32Array(ids.length);
  // The CPU engine answers at once.
  if (!found || found instanceof Promise) return counts;
  const indices = new Uint32Array(simulation.capacity);
  ids.forEach((id, index) => {
    indices[id] = index;
  });
  for (const id of found.pairs) {
    const index = indices[id] as number;
    counts[index] = (counts[index] as number) + 1;
  }
  return counts;
}
