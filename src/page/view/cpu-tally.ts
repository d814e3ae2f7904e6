/** Counts neighbours on the CPU, for colours. If the run does not find the pairs to count, a second simulation does. */
import { createSimulation } from '../../cpu/solver/simulation';
import type { ParticleArrays, SimulationOptions } from '../../index';
import { DENSITY_REACH } from '../model/colour';
import type { SimulationView } from '../model/simulation-view';
import type { Counted } from './tally';

/** Returns each particle's number of neighbours, in the order of `particles`. */
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
  const second = createSimulation({
    dimensions,
    capacity,
    radius: counted === 'density' ? DENSITY_REACH * radius : radius,
    ...bounds,
  });
  const empty = second.checkpoint();
  return ({ ids, positions, velocities }) => {
    second.restore({ ...empty, ids, positions, velocities });
    return countEnds(second, ids);
  };
}

function countEnds(simulation: SimulationView, ids: Uint32Array): Uint32Array {
  const found = simulation.findPairs?.();
  const counts = new Uint32Array(ids.length);
  // Narrows the type: the CPU engine returns no promise.
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
