import { expect } from 'vitest';
import type {
  ParticleArrays,
  ParticleSimulation,
  SimulationOptions,
} from '../../../../src/core/simulation/simulation';
import { type CpuSimulation, createCpuSimulation } from '../../../../src/cpu';
import { ReferenceSimulation } from '../../../../src/reference/solve/simulation';

export const DT = 1 / 64;

export const ENGINES: readonly [string, (options: SimulationOptions) => ParticleSimulation][] = [
  ['CPU engine', createCpuSimulation],
  ['reference', (options) => new ReferenceSimulation(options)],
];

export const readNow = (simulation: ParticleSimulation) => simulation.read() as ParticleArrays;
export const hashOf = (simulation: ParticleSimulation) => (simulation.measure() as { hash: string }).hash;
export const overlapsOf = (simulation: ParticleSimulation) =>
  (simulation.measure() as { obstacleContacts: number }).obstacleContacts;

/**
 * Expects that 90 steps keep the energy. The overlaps with obstacles, counted after each step, must add up to more than
 * 20.
 */
export function expectEnergyKept(simulation: CpuSimulation): void {
  const before = simulation.measure().kineticEnergy;
  let touched = 0;
  for (let step = 0; step < 90; step++) {
    simulation.step(1 / 60);
    touched += overlapsOf(simulation);
  }
  // A contact with an obstacle lasts one substep. Most are over when their step ends, so this counts only a few.
  expect(touched).toBeGreaterThan(20);
  expect(simulation.measure().kineticEnergy / before).toBeCloseTo(1, 4);
}
