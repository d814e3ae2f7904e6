/**
 * Purpose: sentences for whoever wonders what a liquid does: what it goes on with, though not as it should be.
 * Inputs: measures of a liquid, and its plan. Output: a sentence for each, none where all is well.
 */
import type { FluidPlan } from './options';
import type { FluidMeasures } from './reference/measure';
import { MOST_CELLS } from './reference/particles';

export type WarningFigures = Pick<
  FluidMeasures,
  'count' | 'missed' | 'nonFinite' | 'substeps' | 'tooFast' | 'unconverged'
>;

export function fluidWarnings(
  { count, missed, nonFinite, substeps, tooFast, unconverged }: WarningFigures,
  { plan }: { readonly plan: Pick<FluidPlan, 'capacity' | 'emitters' | 'mostIterations' | 'tolerance'> },
): string[] {
  const { capacity, emitters, mostIterations, tolerance } = plan;
  const sentences: string[] = [];
  if (count === 0 && emitters.length === 0) {
    sentences.push(
      'There is no liquid: no region of `fill` left a particle in a free cell, and nothing brings any.',
    );
  }
  if (missed > 0) {
    sentences.push(
      `${missed} particles of emitters found no room, since the liquid holds at most ${capacity}. Create it with a larger \`capacity\`, or let drains take as much as comes.`,
    );
  }
  if (tooFast > 0) {
    sentences.push(
      `${tooFast} of ${count} particles would have gone farther than ${MOST_CELLS} cells in a substep and were held back. Take more substeps, or call advance, which takes as many as the fastest needs.`,
    );
  }
  if (unconverged > 0) {
    sentences.push(
      `${unconverged} of ${substeps} substeps ended with more than ${tolerance} of what flowed in too much. More \`mostIterations\` than ${mostIterations} may do; liquid that solids close off and squeeze has no solution.`,
    );
  }
  if (nonFinite > 0) {
    sentences.push(`${nonFinite} of ${count} particles are not finite: they are left alone.`);
  }
  return sentences;
}
