/**
 * The address of the page as a record of what is chosen: only what differs from what the scene brings, with the
 * version of the record; and of how a visitor looks at it, where that is not as at first. Whatever is in an address is taken
 * as far as it makes sense: unknown names are ignored, numbers are brought into their range.
 */

import { changedFields, defaultChoices } from '../model/choices';
import { type Choices, clampValue, FIELD_NAMES, type FieldName } from '../model/fields';
import type { Appearance } from '../support/appearance';
import { LOOK_RANGES, readLook, writeLook } from '../view/camera';

/** Raised where a name comes to mean something else; records of later versions are read as far as they are known. */
const VERSION = 1;
const VERSION_NAME = 'v';

/** The view of the run, as an address records it. */
export interface ViewState {
  /** See camera.ts; of other dimensions than those that are chosen it is left out. */
  readonly look?: readonly number[] | undefined;
  readonly isPaused?: boolean | undefined;
  /** Id of a particle that the inspector tells of. */
  readonly inspected?: number | undefined;
  /** Light or dark, where the address that was opened says so; what a visitor chooses goes into no link. */
  readonly appearance?: Appearance | undefined;
}

export const MOST_ID = 2 ** 32 - 1;

/** The part of an address behind the question mark, or ''. */
export function writeLink(
  choices: Choices,
  { look, isPaused, inspected, appearance }: ViewState = {},
): string {
  const usual = defaultChoices(choices.scene, choices.dimensions);
  const first = defaultChoices();
  const names = new Set(changedFields(usual, choices));
  if (choices.scene !== first.scene) names.add('scene');
  if (choices.dimensions !== first.dimensions) names.add('dimensions');
  const written = FIELD_NAMES.filter((name) => names.has(name)).map((name) => {
    const value = choices[name];
    return [name, String(typeof value === 'boolean' ? Number(value) : value)];
  });
  // What runs may still be of other dimensions than those that are chosen.
  if (look && look.length === LOOK_RANGES[choices.dimensions].length)
    written.push(['camera', writeLook(choices.dimensions, look)]);
  if (isPaused) written.push(['paused', '1']);
  if (inspected !== undefined) written.push(['inspect', String(inspected)]);
  if (appearance) written.push(['appearance', appearance]);
  if (written.length === 0) return '';
  return new URLSearchParams([[VERSION_NAME, String(VERSION)], ...written]).toString();
}

export function readViewState(search: string): ViewState {
  const parameters = new URLSearchParams(search);
  const { dimensions } = readLink(search);
  return {
    look: readLook(dimensions, parameters.get('camera') ?? ''),
    isPaused: parameters.get('paused') === '1',
    inspected: readId(parameters.get('inspect')),
  };
}

function readId(text: string | null): number | undefined {
  const id = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isNaN(id) ? undefined : Math.round(Math.min(MOST_ID, Math.max(0, id)));
}

/** Names of fields in older links. */
const OLD_NAMES: Readonly<Partial<Record<FieldName, string>>> = { fluidAs: 'liquidAs' };

export function readLink(search: string): Choices {
  const parameters = new URLSearchParams(search);
  const values = Object.fromEntries(
    FIELD_NAMES.flatMap((name) => {
      const text = parameters.get(name) ?? parameters.get(OLD_NAMES[name] ?? name);
      const value = text === null ? undefined : clampValue(name, text);
      return value === undefined ? [] : [[name, value]];
    }),
  ) as Partial<Choices>;
  return { ...defaultChoices(values.scene, values.dimensions), ...values };
}
