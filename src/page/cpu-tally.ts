/** Purpose: the twin of tally.ts for the CPU engine: how many others are near each particle, for colours. */
import type { ParticleArrays, ParticleSimulation, SimulationOptions } from '../core/simulation';
import { createCpuGrid } from '../cpu/grid';
import { DENSITY_REACH } from './colour';
import type { Counted } from './tally';

/** Counts of each particle, in the order of what was read. */
export type CountNear = (particles: ParticleArrays) => Uint32Array;

export function createCpuTally(
  simulation: ParticleSimulation,
  options: SimulationOptions,
  counted: Counted,
): CountNear {
  const { dimensions, capacity, radiusRange, radius, world } = simulation;
  const { min, max } = world;
  const place = world.kind === 'unbounded' ? { unbounded: true } : { min, max, periodic: options.periodic };
  const count = (ids: Uint32Array, build: () => { forEachPair(visit: Visit): void }) => {
    const counts = new Uint32Array(ids.length);
    build().forEachPair((first, second) => {
      counts[first] = (counts[first] as number) + 1;
      counts[second] = (counts[second] as number) + 1;
    });
    return counts;
  };
  if (radiusRange) {
    const grid = createCpuGrid({ dimensions, capacity, ...place, radii: radiusRange });
    return ({ positions, radii, ids }) =>
      count(ids, () => {
        grid.build(positions, radii as Float32Array, ids.length);
        return grid;
      });
  }
  const diameter = 2 * radius * (counted === 'density' ? DENSITY_REACH : 1);
  const grid = createCpuGrid({ dimensions, capacity, ...place, diameter });
  return ({ positions, ids }) =>
    count(ids, () => {
      grid.build(positions, ids.length);
      return grid;
    });
}

type Visit = (first: number, second: number) => void;
