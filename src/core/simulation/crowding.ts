/**
 * Explains slow steps: too many particles in one cell.
 * Inputs: measures of a state, and its simulation. Output: a sentence or two, or undefined if no cell is crowded.
 */
import { CROWDED } from '../base/constants';
import type { Measures, ParticleSimulation } from './simulation';

export function crowdingWarning(
  { count, crowded, greatestOccupancy }: Pick<Measures, 'count' | 'crowded' | 'greatestOccupancy'>,
  { backend, world }: Pick<ParticleSimulation, 'backend' | 'world'>,
): string | undefined {
  if (crowded === 0) return undefined;
  const less = 'a smaller radius or a larger world';
  // The CPU engine has only one thread.
  const way =
    backend === 'gpu' && !world.crowds
      ? `Create the simulation with \`crowds: true\` to split this work among threads, or choose ${less}.`
      : `${less[0]?.toUpperCase()}${less.slice(1)} would make steps faster.`;
  return `${crowded} of ${count} particles are in cells with more than ${CROWDED} particles (the fullest has ${greatestOccupancy}). A step compares all particles of a cell with each other. ${way}`;
}
