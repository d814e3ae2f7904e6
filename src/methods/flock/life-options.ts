/**
 * Purpose: what particle life is told and what it tells, on the GPU as on the CPU: options and settings, checked before
 * anything is reserved, the state, checkpoints.
 */
import {
  ArgumentError,
  checkDimensions,
  checkKnownKeys,
  checkRange,
  type Dimensions,
  METHOD_OPTION_NAMES,
  type MethodOptions,
  type NumberRanges,
  type ParticlesCheckpoint,
  type PlacedArrays,
  type PlacedOptions,
  type PlacedParticles,
  placedOf,
  resolveNumbers,
} from '../../index';
import { checkTime } from './options';

/** A row for each species: how much it is drawn to each of them, below 0 away. From −1 to 1, say; at most 1,000. */
export type Attraction = readonly (readonly number[])[];

export interface LifeNumbers {
  /** What an attraction of 1 gives at most, length / s². Default: 10 reaches. */
  readonly strength: number;
  /** Time in which friction takes half of the speed. Default 0.04. */
  readonly halfLife: number;
  /** Nearer than this share of the reach all push each other away. Default 0.3. */
  readonly core: number;
}

export interface LifeSettings extends LifeNumbers {
  /** As many species as the life was created with. */
  readonly attraction: Attraction;
}

export interface LifeOptions extends Partial<LifeNumbers>, MethodOptions {
  /** How far particles feel each other. */
  readonly reach: number;
  /** Of each particle, the row of its species. */
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

/** Everything needed to go on with the same bits, in a life created with the same world, reach and number of species. */
export interface LifeCheckpoint extends ParticlesCheckpoint, LifeState {
  readonly time: number;
  readonly reach: number;
  readonly settings: LifeSettings;
}

/** What settings are where nothing else is said. */
export function lifeNumbers(reach: number): LifeNumbers {
  return { strength: 10 * reach, halfLife: 0.04, core: 0.3 };
}

/** Of a velocity, what friction leaves after `dt`. */
export function keptShare(halfLife: number, dt: number): number {
  return 2 ** (-dt / halfLife);
}

/** Options, checked as far as they are those of life. */
export interface LifePlan {
  /** What a grid over the particles is made with. */
  readonly placed: PlacedOptions;
  readonly reach: number;
  /** Species. */
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
  const count = positions instanceof Float32Array ? positions.length / dimensions : undefined;
  const species = checkSpecies('species', options.species, count, kinds);
  const placed = placedOf(options, reach);
  return {
    placed,
    ...{ reach, kinds, species, settings: { ...numbers, attraction } },
  };
}

/** Settings that change; the table is a copy. */
export function changeSettings(given: Partial<LifeSettings>, held: LifeSettings): LifeSettings {
  checkKnownKeys('settings', given, [...NUMBER_NAMES, 'attraction']);
  const numbers = resolveNumbers(given, held, LIFE_RANGES);
  const { attraction = held.attraction } = given;
  return { ...numbers, attraction: checkAttraction('attraction', attraction, held.attraction.length) };
}

/** Species of new particles, as many as there are positions. */
export function checkNew(
  { species, ...placed }: NewLife,
  dimensions: Dimensions,
  kinds: number,
): { readonly placed: PlacedParticles; readonly species: Uint32Array } {
  const { positions } = placed;
  const count = positions instanceof Float32Array ? positions.length / dimensions : undefined;
  return { placed, species: checkSpecies('species', species, count, kinds) };
}

/** Of a checkpoint, what is life's own, or an error before anything changes. */
export function checkLifeCheckpoint(
  checkpoint: LifeCheckpoint,
  { reach, kinds }: Pick<LifePlan, 'reach' | 'kinds'>,
): Pick<LifePlan, 'species' | 'settings'> {
  if (checkpoint?.reach !== reach) {
    throw new ArgumentError('checkpoint.reach', checkpoint?.reach, `${reach}, like this life`);
  }
  checkTime(checkpoint.time);
  checkKnownKeys('checkpoint.settings', checkpoint.settings, [...NUMBER_NAMES, 'attraction']);
  const numbers = resolveNumbers(checkpoint.settings, lifeNumbers(reach), LIFE_RANGES);
  const attraction = checkAttraction('checkpoint.settings.attraction', checkpoint.settings.attraction, kinds);
  const species = checkSpecies('checkpoint.species', checkpoint.species, checkpoint.ids?.length, kinds);
  return { species, settings: { ...numbers, attraction } };
}

/** Row by row. */
export function packAttraction(attraction: Attraction): Float32Array<ArrayBuffer> {
  return Float32Array.from(attraction.flat());
}

/** A copy of a table, checked. */
function checkAttraction(argument: string, attraction: unknown, kinds?: number): Attraction {
  const rows = attraction as Attraction;
  const isTable = Array.isArray(rows) && rows.length >= 1 && rows.length <= MOST_SPECIES;
  if (!isTable || (kinds !== undefined && rows.length !== kinds)) {
    throw new ArgumentError(argument, attraction, `${kinds ?? `1 to ${MOST_SPECIES}`} rows, one a species`);
  }
  rows.forEach((row, index) => {
    if (!Array.isArray(row) || row.length !== rows.length) {
      throw new ArgumentError(`${argument}[${index}]`, row, `${rows.length} numbers, one a species`);
    }
    row.forEach((wish, other) => {
      checkRange(`${argument}[${index}][${other}]`, wish, -GREATEST_ATTRACTION, GREATEST_ATTRACTION);
    });
  });
  return rows.map((row) => [...row]);
}

/** A copy; where the number of particles is not known, what is wrong with them is told elsewhere. */
function checkSpecies(
  argument: string,
  species: unknown,
  count: number | undefined,
  kinds: number,
): Uint32Array {
  const isArray = species instanceof Uint32Array || species instanceof Uint8Array;
  if (count === undefined) return new Uint32Array();
  if (!isArray || species.length !== count) {
    throw new ArgumentError(argument, species, `a Uint32Array or Uint8Array of ${count}, one a particle`);
  }
  const wrong = species.findIndex((kind) => kind >= kinds);
  if (wrong < 0) return Uint32Array.from(species);
  throw new ArgumentError(
    `${argument}[${wrong}]`,
    species[wrong],
    `less than ${kinds}, the rows of attraction`,
  );
}
