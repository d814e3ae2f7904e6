/**
 * Purpose: settings that are numbers, each with what it may be. Inputs: what a caller gives, perhaps among other options,
 * and what holds where a number is left out. Output: all of them, checked before anything changes.
 */
import { checkRange } from './checks';

/** What each number may be, by its name. */
export type NumberRanges<Name extends string> = Readonly<Record<Name, readonly [low: number, high: number]>>;

export function resolveNumbers<Name extends string>(
  given: Readonly<Partial<Record<NoInfer<Name>, number | undefined>>>,
  held: Readonly<Record<NoInfer<Name>, number>>,
  ranges: NumberRanges<Name>,
): Record<Name, number> {
  const names = Object.keys(ranges) as Name[];
  const numbers = names.map((name) => {
    const value = given[name] ?? held[name];
    const [low, high] = ranges[name];
    checkRange(name, value, low, high);
    return [name, value] as const;
  });
  return Object.fromEntries(numbers) as Record<Name, number>;
}
