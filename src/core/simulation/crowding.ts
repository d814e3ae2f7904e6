/**
 * Purpose: a sentence for whoever wonders why a step takes so long: too many particles in one place.
 * Inputs: measures of a state, and the simulation that it is of. Output: the sentence, or undefined.
 */
import { CROWDED } from '../base/constants';
import type { Measures, ParticleSimulation } from './simulation';

export function crowdingWarning(
  { count, crowded, greatestOccupancy }: Pick<Measures, 'count' | 'crowded' | 'greatestOccupancy'>,
  { backend, world }: Pick<ParticleSimulation, 'backend' | 'world'>,
): string | undefined {
  if (crowded === 0) return undefined;
  const less = 'a smaller radius or a larger world';
  // One thread is all that the CPU engine has.
  const way =
    backend === 'gpu' && !world.crowds
      ? `Create it with \`crowds: true\` to split the work on them among threads, or choose ${less}.`
      : `${less[0]?.toUpperCase()}${less.slice(1)} would make it less.`;
  return `${crowded} of ${count} particles are in cells of more than ${CROWDED}, the fullest with ${greatestOccupancy}: a step compares all of a cell with each other. ${way}`;
}
