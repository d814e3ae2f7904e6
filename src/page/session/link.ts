/**
 * Writes choices and view as the query of a URL, without defaults, and reads them back. Reading ignores unknown names
 * and clamps numbers; `describeRefused` says which values were not accepted.
 */

import { changedFields, defaultChoices } from '../model/choices';
import {
  type Choices,
  clampValue,
  FIELD_NAMES,
  type FieldName,
  fieldOf,
  formatNumber,
  refusalOf,
} from '../model/fields';
import type { Appearance } from '../support/appearance';
import { CAMERA_RANGES, readCamera, writeCamera } from '../view/camera';

/** Raise this number if a name changes its meaning. Reading accepts any version. */
const VERSION = 1;
const VERSION_NAME = 'v';

export interface ViewState {
  readonly camera?: readonly number[] | undefined;
  readonly isPaused?: boolean | undefined;
  readonly inspected?: number | undefined;
  /** See appearanceInAddress(). */
  readonly appearance?: Appearance | undefined;
}

export const MOST_ID = 2 ** 32 - 1;

/** Returns the query without the question mark; '' if all values are defaults. */
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

/** Returns whether the URL leaves the choice of the first scene to the page. */
export function isBare(search: string): boolean {
  const given = new URLSearchParams(search);
  const names = [VERSION_NAME, 'camera', 'inspect', ...FIELD_NAMES, ...Object.values(OLD_NAMES)];
  return names.every((name) => !given.has(name));
}

/** The query of the default choices. Without any query, the page would choose a scene itself. */
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

function textIn(parameters: URLSearchParams, name: FieldName): string | null {
  return parameters.get(name) ?? parameters.get(OLD_NAMES[name] ?? name);
}

export function readLink(search: string): Choices {
  const parameters = new URLSearchParams(search);
  const values = Object.fromEntries(
    FIELD_NAMES.flatMap((name) => {
      const text = textIn(parameters, name);
      const value = text === null ? undefined : clampValue(name, text);
      return value === undefined ? [] : [[name, value]];
    }),
  ) as Partial<Choices>;
  return { ...defaultChoices(values.scene, values.dimensions), ...values };
}

/** The message describes this many refused values, and only counts the others. */
const MOST_DESCRIBED = 3;
/** Messages cut longer texts short, and leave out longer lists of options. */
const MOST_LETTERS = 24;
const MOST_OPTIONS = 6;

/** Says which values of a link were not accepted, what is accepted, and what is shown instead. */
export function describeRefused(search: string): string {
  const parameters = new URLSearchParams(search);
  const choices = readLink(search);
  const sentences = FIELD_NAMES.flatMap((name) => {
    const text = textIn(parameters, name);
    const value = text === null ? undefined : clampValue(name, text);
    const field = fieldOf(name);
    if (text === null || (value !== undefined && (field.kind !== 'number' || value === Number(text)))) {
      return [];
    }
    const isLong = field.kind === 'choice' && field.options.length > MOST_OPTIONS;
    const accepted = isLong
      ? `${field.label} must be one of the names in its list.`
      : refusalOf(name, field.kind === 'number' ? Number(text) : text);
    const given = text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text;
    return [
      `The link says ${name}=${given}. ${accepted?.slice(0, -1)}, so it is ${shownIn(name, choices)} now.`,
    ];
  });
  const others = sentences.length - MOST_DESCRIBED;
  const rest = others > 0 ? [`${others} more ${others === 1 ? 'value is' : 'values are'} not accepted.`] : [];
  return [...sentences.slice(0, MOST_DESCRIBED), ...rest].join(' ');
}

function shownIn(name: FieldName, choices: Choices): string {
  const [field, value] = [fieldOf(name), choices[name]];
  if (field.kind === 'switch') return value ? 'on' : 'off';
  if (field.kind === 'number') return formatNumber(field, value as number);
  return field.options.find((option) => option.value === value)?.label ?? String(value);
}
