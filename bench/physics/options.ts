/** Reads the flags of `npm run bench:physics`. Wrong flags throw a CellstormError. */
import { parseArgs } from 'node:util';
import { CellstormError } from '../../src/core/base/errors';
import type { Dimensions } from '../../src/core/world/world';
import { DEFAULT_SIZES, FULL_PILE, GROUP_NAMES, type GroupName, type Sizes } from './measure';

/** The engines that run without `--engines`. */
export const USUAL_ENGINES = ['cpu', 'gpu', 'box2d3', 'rapier'] as const;
export const ENGINE_NAMES = [...USUAL_ENGINES, 'exact'] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];

export interface PhysicsOptions {
  /** If undefined, USUAL_ENGINES run, but `gpu` only if there is an adapter. */
  readonly engines: readonly EngineName[] | undefined;
  readonly groups: readonly GroupName[];
  readonly dimensions: readonly Dimensions[];
  readonly sizes: Sizes;
  readonly json: string | undefined;
}

/** Three seconds, because movement is measured only after the first second. */
const LEAST_MINUTES = 0.05;
const MOST_MINUTES = 60;

export function readOptions(args: readonly string[]): PhysicsOptions {
  const { engines, only, dimensions, minutes, full, json } = parse(args);
  const standing = minutes === undefined ? DEFAULT_SIZES.standing : Math.round(60 * Number(minutes));
  if (!(standing >= 60 * LEAST_MINUTES && standing <= 60 * MOST_MINUTES)) {
    throw new CellstormError(
      `--minutes is ${minutes}, but it must be a number from ${LEAST_MINUTES} to ${MOST_MINUTES}.`,
    );
  }
  if (json === '') throw new CellstormError('--json is empty, but it must be the path of a file.');
  return {
    engines: engines === undefined ? undefined : readList('--engines', engines, ENGINE_NAMES),
    groups: only === undefined ? GROUP_NAMES : readList('--only', only, GROUP_NAMES),
    dimensions: readList('--dimensions', dimensions, ['2', '3']).map((name) => (name === '2' ? 2 : 3)),
    sizes: { ...DEFAULT_SIZES, standing, ...(full ? { pile: FULL_PILE } : {}) },
    json,
  };
}

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        engines: { type: 'string' },
        only: { type: 'string' },
        dimensions: { type: 'string', default: '2,3' },
        minutes: { type: 'string' },
        full: { type: 'boolean', default: false },
        json: { type: 'string' },
      },
    });
    return values;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const flags = '--engines, --only, --dimensions, --minutes, --full, --json';
    throw new CellstormError(`${error.message.replace(/\.?$/, '.')} The flags are ${flags}.`, {
      cause: error,
    });
  }
}

function readList<Name extends string>(flag: string, list: string, known: readonly Name[]): Name[] {
  const given = list.split(',');
  const unknown = given.find((name) => !(known as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw new CellstormError(`${flag} names "${unknown}", but it may list only ${known.join(', ')}.`);
  }
  return known.filter((name) => given.includes(name));
}
