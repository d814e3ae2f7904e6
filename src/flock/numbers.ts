/**
 * Purpose: settings that are numbers, each with what it may be. Inputs: what a caller gives, and what holds where it is
 * left out. Output: all of them, checked before anything changes.
 */
import { checkRange } from '../index';

/** What a number may be, by its name. */
export type Ranges<Name extends string> = Readonly<Record<Name, readonly [low: number, high: number]>>;

export function resolveNumbers<Name extends string>(
  given: Readonly<Partial<Record<NoInfer<Name>, number | undefined>>>,
  held: Readonly<Record<Name, number>>,
  ranges: Ranges<Name>,
): Record<Name, number> {
  const resolved: Record<Name, number> = { ...held };
  for (const name of Object.keys(ranges) as Name[]) {
    const value = given[name];
    if (value === undefined) continue;
    const [low, high] = ranges[name];
    checkRange(name, value, low, high);
    resolved[name] = value;
  }
  return resolved;
}

/** What was given of options that may be left out, without those that were. */
export function withoutMissing<Given extends object>(given: Given, names: readonly string[]): Partial<Given> {
  const found = Object.entries(given).filter(([name, value]) => names.includes(name) && value !== undefined);
  return Object.fromEntries(found) as Partial<Given>;
}
