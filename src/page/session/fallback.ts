/** Finds other choices if those of the visitor cannot run: fewer particles, or more usual settings. */
import { ArgumentError, GpuError, LimitError } from '../../index';
import { changedFields, defaultChoices, worldOf } from '../model/choices';
import { LEAST_LIMIT } from '../model/fields';
import type { Selection } from '../model/opened';
import { methodOf } from '../model/scenes';
import { isUnloaded } from '../support/chunk-errors';
import { formatCount } from '../support/format';
import { explain } from '../view/engine';

/** Each attempt has at least 1% fewer particles, which limits the attempts. */
const MOST_OF_REFUSED = 0.99;

export interface Fallback {
  /** Undefined if no choices are left to try. */
  readonly choices: Selection | undefined;
  readonly apology: string;
}

/**
 * Finds a number of particles below `tried`, the number that was refused: the number that fits according to the error,
 * otherwise half. Returns undefined for the CPU engine, for a file, or if fewer would not help.
 */
export function fewerThan(choices: Selection, tried: number, error: unknown): Fallback | undefined {
  const isMemory = error instanceof GpuError && error.reason === 'memory';
  const isLattice = error instanceof LimitError && methodOf(choices) !== 'collisions';
  // Try half: browsers hide how much memory there is, and a lattice's limit does not count particles.
  const half = isMemory || isLattice ? tried >> 1 : undefined;
  const fits = error instanceof LimitError ? (error.fits ?? half) : half;
  if (fits === undefined || fits < LEAST_LIMIT || choices.opened || choices.engine === 'cpu') {
    return undefined;
  }
  const count = Math.min(fits, Math.floor(MOST_OF_REFUSED * tried));
  const limit = error instanceof LimitError ? error.limit : 'memory';
  return {
    choices: { ...choices, count },
    apology: `This device cannot hold ${formatCount(tried)} particles of this scene (limit: ${limit}), so it starts with ${formatCount(count)}.`,
  };
}

/**
 * Finds other choices after an ArgumentError, or after a part of the page failed to load. Closes an open file. Takes
 * the first of these that changes anything: the scene's usual sizes and world, all its usual settings, the page's first
 * choices.
 */
export function moreUsual(choices: Selection, error: unknown): Fallback | undefined {
  if (!(error instanceof ArgumentError) && !isUnloaded(error)) return undefined;
  const { scene, dimensions, engine } = choices;
  const usual = { ...defaultChoices(scene, dimensions), engine };
  const { size, spread, boxWidth } = usual;
  const next = [
    { ...choices, size, spread, boxWidth, ...worldOf(usual), opened: undefined },
    usual,
    { ...defaultChoices(), engine },
  ].find((one) => choices.opened || changedFields(one, choices).length > 0);
  return { choices: next, apology: `${explain(error)} The scene starts with more usual settings instead.` };
}
