/**
 * The options in the page's address, which have the names of the flags of `cellstorm verify`:
 * `verify.html?scene=pile,gas&dimensions=2&count=257,4096&steps=12&seed=1`. With `exact`, the page only compares exact
 * simulations with their recorded hashes; the only other option allowed is `dimensions`. With `report`, the page posts
 * its answers to its server.
 */
import { CellstormError } from '../core/base/errors';
import type { Dimensions } from '../core/world/world';
import { PAGE_COUNTS } from '../verify/answers';
import type { VerifyOptions } from '../verify/verify';

const NAMES = ['scene', 'dimensions', 'count', 'steps', 'seed'] as const;
/** Parameters that are no options of the checks. */
const OTHERS: readonly string[] = ['report', 'appearance'];
const EXACT = 'exact';

export interface Address {
  readonly options: VerifyOptions;
  readonly reports: boolean;
}

/** Reads a query. The worker checks the names of scenes and the ranges of numbers. */
export function readAddress(search: string): Address {
  const parameters = new URLSearchParams(search);
  for (const name of parameters.keys()) {
    const known = [...NAMES, EXACT, ...OTHERS];
    if (!known.includes(name)) {
      throw new CellstormError(
        `The address has the parameter ${name}, but this page accepts ${known.join(', ')}.`,
      );
    }
    if (parameters.has(EXACT) && NAMES.some((option) => option === name && option !== 'dimensions')) {
      throw new CellstormError(`The address has exact and ${name}; leave one out.`);
    }
  }
  const list = (name: (typeof NAMES)[number]) => {
    const text = parameters.get(name)?.trim();
    return text ? text.split(',') : undefined;
  };
  const [steps] = list('steps') ?? [];
  const [seed] = list('seed') ?? [];
  return {
    options: {
      exact: parameters.has(EXACT) || undefined,
      scenes: list('scene'),
      dimensions: list('dimensions')?.map(dimensionOf),
      counts: list('count')?.map((text) => wholeNumber('count', text)) ?? PAGE_COUNTS,
      steps: steps === undefined ? undefined : wholeNumber('steps', steps),
      seed: seed === undefined ? undefined : wholeNumber('seed', seed),
    },
    reports: parameters.has('report'),
  };
}

/** Returns a query of the `values` that are not empty, and of the parameters in `others` that OTHERS names. */
export function addressOf(values: Readonly<Record<(typeof NAMES)[number], string>>, others: string): string {
  const kept = [...new URLSearchParams(others)].filter(([name]) => OTHERS.includes(name));
  const parameters = new URLSearchParams(kept);
  for (const name of NAMES) if (values[name] !== '') parameters.set(name, values[name]);
  // Commas need no escape in a query.
  return `?${parameters.toString().replaceAll('%2C', ',')}`;
}

function dimensionOf(text: string): Dimensions {
  if (text !== '2' && text !== '3')
    throw new CellstormError(`dimensions is ${text}, but it must be 2, 3 or 2,3.`);
  return text === '2' ? 2 : 3;
}

function wholeNumber(name: string, text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isInteger(value))
    throw new CellstormError(`${name} is ${text}, but it must be a whole number.`);
  return value;
}
