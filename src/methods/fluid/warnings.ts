/** Warnings for users of a fluid. */
import { ArgumentError } from '../../core/base/errors';
import { MOST_CELLS } from './constants';
import type { FluidPlan } from './options';
import type { FluidMeasures } from './reference/measure';

/** The measures that `fluidWarnings` reads. */
export type WarningFigures = Pick<
  FluidMeasures,
  'count' | 'missed' | 'nonFinite' | 'substeps' | 'tooFast' | 'unconverged'
>;

/** Returns one text per problem that a fluid's measures show. */
export function fluidWarnings(
  measures: WarningFigures,
  fluid: { readonly plan: Pick<FluidPlan, 'capacity' | 'emitters' | 'mostIterations' | 'tolerance'> },
): string[] {
  const { count, missed, nonFinite, substeps, tooFast, unconverged } = measures ?? {};
  if (
    [count, missed, nonFinite, substeps, tooFast, unconverged].some((figure) => typeof figure !== 'number')
  ) {
    throw new ArgumentError('measures', measures, 'the result of `await fluid.measure()`');
  }
  const plan = fluid?.plan;
  if (!Array.isArray(plan?.emitters)) throw new ArgumentError('fluid', fluid, 'a fluid');
  const { capacity, emitters, mostIterations, tolerance } = plan;
  const sentences: string[] = [];
  if (count === 0 && emitters.length === 0) {
    sentences.push('There is no fluid and no emitter. A region of `fill` adds particles only in free cells.');
  }
  if (missed > 0) {
    sentences.push(
      `Emitters could not add ${missed} particles, because the fluid holds at most ${capacity}. Create it with a larger \`capacity\`, or let drains remove as much as comes in.`,
    );
  }
  if (tooFast > 0) {
    sentences.push(
      `${tooFast} of ${count} particles are faster than ${MOST_CELLS} cells per substep, so their moves may be cut short. Use more substeps, or call advance, which chooses their number, at most \`most\` (default: 16).`,
    );
  }
  if (unconverged > 0) {
    sentences.push(
      `In ${unconverged} of ${substeps} substeps, the pressure solver left more than \`tolerance\` (${tolerance}) of the surplus flow into cells. A larger \`mostIterations\` than ${mostIterations} may help; fluid that is enclosed and squeezed by solids has no solution.`,
    );
  }
  if (nonFinite > 0) {
    sentences.push(`${nonFinite} of ${count} particles are not finite; the fluid ignores them.`);
  }
  return sentences;
}
