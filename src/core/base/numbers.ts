/** Resolves numeric settings: takes missing ones from the current settings, then checks the range of each. */
import { checkRange } from './checks';

export type NumberRanges<Name extends string> = Readonly<Record<Name, readonly [low: number, high: number]>>;

export function resolveNumbers<Name extends string>(
  given: Readonly<Partial<Record<NoInfer<Name>, number | undefined>>>,
  current: Readonly<Record<NoInfer<Name>, number>>,
  ranges: NumberRanges<Name>,
): Record<Name, number> {
  const names = Object.keys(ranges) as Name[];
  const numbers = names.map((name) => {
    const value = given[name] ?? current[name];
    const [low, high] = ranges[name];
    checkRange(name, value, low, high);
    return [name, value] as const;
  });
  return Object.fromEntries(numbers) as Record<Name, number>;
}
