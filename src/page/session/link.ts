/**
 * Formats choices and view as the query of a URL, without values that equal the defaults, and reads them back. Reading
 * ignores unknown names and clamps numbers.
 */

import { changedFields, defaultChoices } from '../model/choices';
import { type Choices, clampValue, FIELD_NAMES, type FieldName } from '../model/fields';
import type { Appearance } from '../support/appearance';
import { CAMERA_RANGES, readCamera, writeCamera } from '../view/camera';

/** Raise this number if a name changes its meaning. Reading accepts any version. */
const VERSION = 1;
const VERSION_NAME = 'v';

export interface ViewState {
  readonly camera?: readonly number[] | undefined;
  readonly isPaused?: boolean | undefined;
  readonly inspected?: number | undefined;
  /** Undefined if the visitor chose an appearance on the page. */
  readonly appearance?: Appearance | undefined;
}

export const MOST_ID = 2 ** 32 - 1;

/** Returns the query without the question mark; '' if nothing differs from the defaults. */
export function writeLink(
  choices: Choices,
  { camera, isPaused, inspected, appearance }: ViewState = {},
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
  // Until a new run is shown, `camera` may have the old run's dimensions.
  if (camera && camera.length === CAMERA_RANGES[choices.dimensions].length)
    written.push(['camera', writeCamera(choices.dimensions, camera)]);
  if (isPaused) written.push(['paused', '1']);
  if (inspected !== undefined) written.push(['inspect', String(inspected)]);
  if (appearance) written.push(['appearance', appearance]);
  if (written.length === 0) return '';
  return new URLSearchParams([[VERSION_NAME, String(VERSION)], ...written]).toString();
}

/** True if the address leaves the choice of the first scene to the page. */
export function isBare(search: string): boolean {
  const given = new URLSearchParams(search);
  const names = [VERSION_NAME, 'camera', 'inspect', ...FIELD_NAMES, ...Object.values(OLD_NAMES)];
  return names.every((name) => !given.has(name));
}

/** The address of the page's usual scene, chosen by hand. */
export const USUAL_LINK = `${VERSION_NAME}=${VERSION}`;

export function readViewState(search: string): ViewState {
  const parameters = new URLSearchParams(search);
  const { dimensions } = readLink(search);
  return {
    camera: readCamera(dimensions, parameters.get('camera') ?? ''),
    isPaused: parameters.get('paused') === '1',
    inspected: readId(parameters.get('inspect')),
  };
}

function readId(text: string | null): number | undefined {
  const id = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isNaN(id) ? undefined : Math.round(Math.min(MOST_ID, Math.max(0, id)));
}

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
