/**
 * Purpose: a sentence for whoever wonders why a step takes so long: too many particles in one place.
 * Inputs: measures of a state, and whether its grid was made for crowds. Output: the sentence, or undefined.
 */
import { CROWDED } from './constants';
import type { Measures } from './simulation';
import type { World } from './world';

export function crowdingWarning(
  { count, crowded, greatestOccupancy }: Pick<Measures, 'count' | 'crowded' | 'greatestOccupancy'>,
  { crowds }: Pick<World, 'crowds'>,
): string | undefined {
  if (crowded === 0) return undefined;
  const way = crowds
    ? 'The work on them is split among threads; a smaller radius or a larger world would make it less.'
    : 'Create it with `crowds: true` to split the work on them among threads, or make the radius smaller or the world larger.';
  return `${crowded} of ${count} particles are in cells of more than ${CROWDED}, the fullest with ${greatestOccupancy}: a step compares all of a cell with each other. ${way}`;
}
