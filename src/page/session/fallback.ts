/**
 * What to start where what is chosen cannot be: fewer particles, or more usual settings, and in words why. Pure.
 */
import { ArgumentError, GpuError, LimitError } from '../../core/base/errors';
import { changedFields, defaultChoices } from '../model/choices';
import { FEWEST_PARTICLES } from '../model/fields';
import type { Chosen } from '../model/opened';
import { methodOf } from '../model/scenes';
import { isUnloaded } from '../support/chunk-errors';
import { formatCount } from '../support/format';
import { explain } from '../view/engine';

/** Of a number of particles that was refused, so that not many more are. */
const MOST_OF_REFUSED = 0.99;

export interface Fallback {
  /** Undefined where nothing is left to be tried. */
  readonly choices: Chosen | undefined;
  readonly apology: string;
}

/** As many as fit the device, where that is why it refused so many. */
export function fewerThan(choices: Chosen, tried: number, error: unknown): Fallback | undefined {
  const isMemory = error instanceof GpuError && error.reason === 'memory';
  // Browsers do not reveal how much memory there is.
  const isLattice = error instanceof LimitError && methodOf(choices) !== 'collisions';
  const half = isMemory || isLattice ? tried >> 1 : undefined;
  const fits = error instanceof LimitError ? (error.fits ?? half) : half;
  if (fits === undefined || fits < FEWEST_PARTICLES || choices.opened || choices.engine === 'cpu') {
    return undefined;
  }
  const count = Math.min(fits, Math.floor(MOST_OF_REFUSED * tried));
  const ending = error instanceof LimitError ? `by its ${error.limit}` : 'by its memory';
  return {
    choices: { ...choices, count },
    apology: `This device does not hold ${formatCount(tried)} particles of this scene: ${ending}, ${formatCount(count)} fit.`,
  };
}

/** Where values that each can be cannot be together, or a part does not come: more and more of them as they usually are. */
export function moreUsual(choices: Chosen, error: unknown): Fallback | undefined {
  if (!(error instanceof ArgumentError) && !isUnloaded(error)) return undefined;
  const { scene, dimensions, engine } = choices;
  const usual = { ...defaultChoices(scene, dimensions), engine };
  const { size, spread, boxWidth } = usual;
  const next = [
    { ...choices, size, spread, boxWidth, opened: undefined },
    usual,
    { ...defaultChoices(), engine },
  ].find((one) => choices.opened || changedFields(one, choices).length > 0);
  return { choices: next, apology: `${explain(error)} The scene starts with more usual settings instead.` };
}
