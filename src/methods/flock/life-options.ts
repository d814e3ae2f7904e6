/** Types and checks of particle life, for both engines. */
import { checkDimensions, checkKnownKeys, checkRange } from '../../core/base/checks';
import { ArgumentError } from '../../core/base/errors';
import { type NumberRanges, resolveNumbers } from '../../core/base/numbers';
import { checkVersion, type ParticlesCheckpoint } from '../../core/simulation/particles-checkpoint';
import {
  METHOD_OPTION_NAMES,
  type MethodOptions,
  type PlacedArrays,
  type PlacedOptions,
  type PlacedParticles,
  placedOf,
} from '../../core/simulation/placed';
import type { Dimensions } from '../../core/world/world';
import { checkTime } from './options';

/** A row per species: its attraction to each species, −1,000 to 1,000. Negative values repel. */
export type Attraction = readonly (readonly number[])[];

/** The numbers among the settings of particle life. */
export interface LifeNumbers {
  /** Greatest acceleration by one neighbour at an attraction of 1, length / s², 0 to 10⁹. Default: 10 × `reach`. */
  readonly strength: number;
  /** Time in which friction halves the speed, seconds, 10⁻⁶ to 10⁶. Default: 0.04. */
  readonly halfLife: number;
  /** Particles nearer than this share of the reach, 0.01 to 0.99, repel each other. Default: 0.3. */
  readonly core: number;
}

/** The settings, which `set` can change while the simulation runs. */
export interface LifeSettings extends LifeNumbers {
  /** Attraction between species. A change must keep the number of species. */
  readonly attraction: Attraction;
}

/** Options of `createLife` and `createCpuLife`. */
export interface LifeOptions extends Partial<LifeNumbers>, MethodOptions {
  /** Distance up to which particles interact, 10⁻⁶ to 10⁶. */
  readonly reach: number;
  /** Each particle's species, as the index of its row in `attraction`. */
  readonly species: Uint32Array | Uint8Array;
  /** Attraction between species: at most 256 rows. */
  readonly attraction: Attraction;
}

export const LIFE_RANGES: NumberRanges<keyof LifeNumbers> = {
  strength: [0, 1e9],
  halfLife: [1e-6, 1e6],
  core: [0.01, 0.99],
};

const NUMBER_NAMES = Object.keys(LIFE_RANGES);

const OPTION_NAMES = [...METHOD_OPTION_NAMES, 'reach', 'species', 'attraction'];

const MOST_SPECIES = 256;

const GREATEST_ATTRACTION = 1000;

/** Particles to add. */
export interface NewLife extends PlacedParticles {
  /** Each particle's species, as the index of its row in `attraction`. */
  readonly species: Uint32Array | Uint8Array;
}

/** The current particles, sorted by id. */
export interface LifeState extends PlacedArrays {
  /** Each particle's species. */
  readonly species: Uint32Array;
}

/**
 * Plain data from which particle life with the same world, reach and number of species continues with the same bits.
 */
export interface LifeCheckpoint extends ParticlesCheckpoint, LifeState {
  /** Simulated seconds. */
  readonly time: number;
  /** The reach, as in the options. */
  readonly reach: number;
  /** The current settings. */
  readonly settings: LifeSettings;
}

export function lifeNumbers(reach: number): LifeNumbers {
  return { strength: 10 * reach, halfLife: 0.04, core: 0.3 };
}

export function keptShare(halfLife: number, dt: number): number {
  return 2 ** (-dt / halfLife);
}

/** Checked options, except `placed`, which GridParticles or CpuGridParticles checks. */
export interface LifePlan {
  readonly placed: PlacedOptions;
  readonly reach: number;
  readonly kinds: number;
  readonly species: Uint32Array;
  readonly settings: LifeSettings;
}

export function planLife(options: LifeOptions): LifePlan {
  checkKnownKeys('options', options, [...OPTION_NAMES, ...NUMBER_NAMES]);
  const { dimensions, positions, reach } = options;
  checkDimensions(dimensions);
  checkRange('reach', reach, 1e-6, 1e6);
  const numbers = resolveNumbers(options, lifeNumbers(reach), LIFE_RANGES);
  const attraction = checkAttraction('attraction', options.attraction);
  const kinds = attraction.length;
  const species = checkSpecies('species', options.species, countOf(positions, dimensions), kinds);
  const placed = placedOf(options, reach);
  return {
    placed,
    ...{ reach, kinds, species, settings: { ...numbers, attraction } },
  };
}

export function changeSettings(given: Partial<LifeSettings>, current: LifeSettings): LifeSettings {
  checkKnownKeys('settings', given, [...NUMBER_NAMES, 'attraction']);
  const numbers = resolveNumbers(given, current, LIFE_RANGES);
  const { attraction = current.attraction } = given;
  return { ...numbers, attraction: checkAttraction('attraction', attraction, current.attraction.length) };
}

export function checkNew(
  given: NewLife,
  dimensions: Dimensions,
  kinds: number,
): { readonly placed: PlacedParticles; readonly species: Uint32Array } {
  checkKnownKeys('particles', given, ['positions', 'velocities', 'species']);
  const { species, ...placed } = given;
  return { placed, species: checkSpecies('species', species, countOf(placed.positions, dimensions), kinds) };
}

/** Checks a checkpoint. Call this before you change any state. */
export function checkLifeCheckpoint(
  checkpoint: LifeCheckpoint,
  { reach, kinds }: Pick<LifePlan, 'reach' | 'kinds'>,
): Pick<LifePlan, 'species' | 'settings'> {
  checkVersion(checkpoint);
  if (checkpoint.reach !== reach) {
    throw new ArgumentError('checkpoint.reach', checkpoint.reach, `${reach}, like this simulation`);
  }
  checkTime(checkpoint.time);
  checkKnownKeys('checkpoint.settings', checkpoint.settings, [...NUMBER_NAMES, 'attraction']);
  const numbers = resolveNumbers(checkpoint.settings, lifeNumbers(reach), LIFE_RANGES);
  const attraction = checkAttraction('checkpoint.settings.attraction', checkpoint.settings.attraction, kinds);
  const species = checkSpecies('checkpoint.species', checkpoint.species, checkpoint.ids?.length, kinds);
  return { species, settings: { ...numbers, attraction } };
}

export function packAttraction(attraction: Attraction): Float32Array<ArrayBuffer> {
  return Float32Array.from(attraction.flat());
}

/** Checks and copies a table. `kinds`: the required number of species, if it is fixed. */
function checkAttraction(argument: string, attraction: unknown, kinds?: number): Attraction {
  const rows = attraction as Attraction;
  const isTable = Array.isArray(rows) && rows.length >= 1 && rows.length <= MOST_SPECIES;
  if (!isTable || (kinds !== undefined && rows.length !== kinds)) {
    throw new ArgumentError(argument, attraction, `${kinds ?? `1 to ${MOST_SPECIES}`} rows, one per species`);
  }
  // forEach skips the holes of a sparse array; Array.from turns them into undefined.
  Array.from(rows).forEach((row, index) => {
    if (!Array.isArray(row) || row.length !== rows.length) {
      throw new ArgumentError(`${argument}[${index}]`, row, `${rows.length} numbers, one per species`);
    }
    Array.from(row).forEach((value, other) => {
      checkRange(`${argument}[${index}][${other}]`, value, -GREATEST_ATTRACTION, GREATEST_ATTRACTION);
    });
  });
  return rows.map((row) => [...row]);
}

/** Returns undefined for invalid positions, which another check reports. */
function countOf(positions: unknown, dimensions: Dimensions): number | undefined {
  if (!(positions instanceof Float32Array) || positions.length % dimensions !== 0) return undefined;
  return positions.length / dimensions;
}

/** Checks and copies species. Checks nothing if `count` is undefined. */
function checkSpecies(
  argument: string,
  species: unknown,
  count: number | undefined,
  kinds: number,
): Uint32Array {
  const isArray = species instanceof Uint32Array || species instanceof Uint8Array;
  if (count === undefined) return new Uint32Array();
  if (!isArray || species.length !== count) {
    throw new ArgumentError(argument, species, `a Uint32Array or Uint8Array of ${count}, one per particle`);
  }
  const wrong = species.findIndex((kind) => kind >= kinds);
  if (wrong < 0) return Uint32Array.from(species);
  throw new ArgumentError(
    `${argument}[${wrong}]`,
    species[wrong],
    `less than ${kinds}, the number of rows of attraction`,
  );
}
