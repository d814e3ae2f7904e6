/** Explains steps that are slow because there are too many particles in one cell. */

import { CROWDED } from '../base/constants';
import { ArgumentError } from '../base/errors';
import type { Measures, ParticleSimulation } from './simulation';

/** Returns a warning with advice if some cell holds more than 128 particles; otherwise undefined. */
export function crowdingWarning(
  measures: Pick<Measures, 'count' | 'crowded' | 'greatestOccupancy'>,
  simulation: Pick<ParticleSimulation, 'backend' | 'world'>,
): string | undefined {
  const { count, crowded, greatestOccupancy } = measures ?? {};
  if ([count, crowded, greatestOccupancy].some((figure) => typeof figure !== 'number')) {
    throw new ArgumentError('measures', measures, 'the result of `await simulation.measure()`');
  }
  const { backend, world } = simulation ?? {};
  if (typeof world?.crowds !== 'boolean') throw new ArgumentError('simulation', simulation, 'a simulation');
  if (crowded === 0) return undefined;
  const change = 'a smaller radius or a larger world';
  const advice =
    backend === 'gpu' && !world.crowds
      ? `Create the simulation with \`crowds: true\` to split this work among threads, or choose ${change}.`
      : `${change[0]?.toUpperCase()}${change.slice(1)} would make steps faster.`;
  return `${crowded} of ${count} particles are in cells with more than ${CROWDED} particles (the fullest has ${greatestOccupancy}). A step compares all particles of a cell with each other. ${advice}`;
}
