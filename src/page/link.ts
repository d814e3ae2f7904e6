/**
 * Purpose: the address of the page as a record of what is chosen: only what differs from what the scene brings, with the
 * version of the record. Whatever is in an address is taken as far as it makes sense: unknown names are ignored, numbers
 * are brought into their range.
 */
import { changedFields, defaultChoices } from './choices';
import { type Choices, clampValue, FIELD_NAMES } from './fields';

/** Raised where a name comes to mean something else; records of later versions are read as far as they are known. */
const VERSION = 1;
const VERSION_NAME = 'v';

/** The part of an address behind the question mark, or ''. */
export function writeLink(choices: Choices): string {
  const usual = defaultChoices(choices.scene, choices.dimensions);
  const first = defaultChoices();
  const names = new Set(changedFields(usual, choices));
  if (choices.scene !== first.scene) names.add('scene');
  if (choices.dimensions !== first.dimensions) names.add('dimensions');
  if (names.size === 0) return '';
  const written = FIELD_NAMES.filter((name) => names.has(name)).map((name) => {
    const value = choices[name];
    return [name, String(typeof value === 'boolean' ? Number(value) : value)];
  });
  return new URLSearchParams([[VERSION_NAME, String(VERSION)], ...written]).toString();
}

export function readLink(search: string): Choices {
  const parameters = new URLSearchParams(search);
  const values = Object.fromEntries(
    FIELD_NAMES.flatMap((name) => {
      const text = parameters.get(name);
      const value = text === null ? undefined : clampValue(name, text);
      return value === undefined ? [] : [[name, value]];
    }),
  ) as Partial<Choices>;
  return { ...defaultChoices(values.scene, values.dimensions), ...values };
}
