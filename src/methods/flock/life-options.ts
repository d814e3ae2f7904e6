/** Types and checks of particle life's options, settings, state and checkpoints, for both engines. */
import { checkDimensions, checkKnownKeys, checkRange } from '../../core/base/checks';
import { ArgumentError } from '../../core/base/errors';
import { type NumberRanges, resolveNumbers } from '../../core/base/numbers';
import type { ParticlesCheckpoint } from '../../core/simulation/particles-checkpoint';
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

/** A row per species: its attraction to each species. Negative values repel. Values must lie in [−1,000, 1,000]. */
export type Attraction = readonly (readonly number[])[];

export interface LifeNumbers {
  /** Greatest acceleration by one neighbour at an attraction of 1, length / s². Default: 10 × `reach`. */
  readonly strength: number;
  /** Time in which friction halves the speed, in the unit of `dt`. Default 0.04. */
  readonly halfLife: number;
  /** Particles nearer than this share of the reach repel each other, whatever their species. Default 0.3. */
  readonly core: number;
}

export interface LifeSettings extends LifeNumbers {
  /** A change must keep the number of species. */
  readonly attraction: Attraction;
}

export interface LifeOptions extends Partial<LifeNumbers>, MethodOptions {
  /** Distance up to which particles interact. */
  readonly reach: number;
  /** Each particle's species, as the index of its row in `attraction`. */
  readonly species: Uint32Array | Uint8Array;
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

export interface NewLife extends PlacedParticles {
  readonly species: Uint32Array | Uint8Array;
}

export interface LifeState extends PlacedArrays {
  readonly species: Uint32Array;
}

/** Plain data from which a `Life` with the same world, reach and number of species continues with the same bits. */
export interface LifeCheckpoint extends ParticlesCheckpoint, LifeState {
  readonly time: number;
  readonly reach: number;
  readonly settings: LifeSettings;
}

export function lifeNumbers(reach: number): LifeNumbers {
  return { strength: 10 * reach, halfLife: 0.04, core: 0.3 };
}

/** Returns the share of a velocity that friction leaves after `dt`. */
export function keptShare(halfLife: number, dt: number): number {
  return 2 ** (-dt / halfLife);
}

/** Checked options, except `placed`, which GridParticles or CpuGridParticles checks. */
export interface LifePlan {
  readonly placed: PlacedOptions;
  readonly reach: number;
  /** Number of species. */
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

/** Checks changes of settings. Returns a copy of `current` with these changes; its `attraction` is a copy, too. */
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

/** Checks the data that particle life adds to a checkpoint. Call this function before you change any state. */
export function checkLifeCheckpoint(
  checkpoint: LifeCheckpoint,
  { reach, kinds }: Pick<LifePlan, 'reach' | 'kinds'>,
): Pick<LifePlan, 'species' | 'settings'> {
  if (checkpoint?.reach !== reach) {
    throw new ArgumentError('checkpoint.reach', checkpoint?.reach, `${reach}, like this simulation`);
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

/** Checks an attraction table and returns a copy. `kinds`: the required number of species, if it is fixed. */
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

/** Returns the number of particles, or undefined if the positions are invalid, which another check reports. */
function countOf(positions: unknown, dimensions: Dimensions): number | undefined {
  if (!(positions instanceof Float32Array) || positions.length % dimensions !== 0) return undefined;
  return positions.length / dimensions;
}

/** Checks species and returns a copy. `count` is undefined for invalid positions, which another check reports. */
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
