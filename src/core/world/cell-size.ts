/**
 * Suggests a cell size. The model: time per particle = candidates × their cost + cells × their cost + ranges × their
 * cost. A range is the slots of three adjacent cells in a row.
 *   - Candidates: density × (3 × edge)ⁿ in n dimensions, for random positions.
 *   - Cells: 1 / (density × edgeⁿ) per particle.
 *   - Ranges: 3 (9 in 3D), whatever the edge.
 * The sum is least if a cell holds √(cost of a cell / (3ⁿ × cost of a candidate)) particles. But the edge of a cell is
 * at least one diameter.
 */
import { checkDimensions, checkKnownKeys } from '../base/checks';
import { ArgumentError, Phrase } from '../base/errors';
import { powerAbove } from './limits';
import { type Dimensions, LARGEST_DIAMETER, SMALLEST_DIAMETER } from './world';

/** One radius for all particles, one per particle, or the smallest and the largest. Radii are from 2^-41 to 2^59. */
export type RadiiOfParticles =
  | number
  | Float32Array
  | Float64Array
  | {
      /** The smallest radius. */
      readonly smallest: number;
      /** The largest radius. */
      readonly largest: number;
    };

/** Options of `suggestCellSize`. */
export interface CellSizeOptions {
  /** Number of dimensions; required with a density. */
  readonly dimensions?: Dimensions | undefined;
  /**
   * Particles per square (cube) of your length unit, in the region that contains most of them. If they crowd in half of
   * the box, give the density of that half. Default: unknown; the suggestion is then the smallest size.
   */
  readonly density?: number | undefined;
  /** The engine whose costs the model uses. Default: 'gpu'. */
  readonly engine?: 'cpu' | 'gpu' | undefined;
  /** True for an unbounded world, whose cell size is a power of two. Default: false. */
  readonly unbounded?: boolean | undefined;
}

/** The result of `suggestCellSize`. */
export interface CellSizeSuggestion {
  /** Edge of a cell, for the option `cellSize` of a world. */
  readonly cellSize: number;
  /** The largest diameter. */
  readonly diameter: number;
  /** Why this size: one or more sentences. */
  readonly reason: string;
  /** Candidates per particle if positions are random; undefined without a density. */
  readonly candidates: number | undefined;
  /** Cells per particle; undefined without a density, or if the world is unbounded. */
  readonly cells: number | undefined;
}

interface Costs {
  readonly candidate: number;
  readonly cell: number;
  readonly range: number;
}

/**
 * Nanoseconds, fitted by `npm run bench:cells`; docs/cell-size.md names the machine. Only ratios matter.
 */
const COSTS: Readonly<Record<'cpu' | 'gpu', Readonly<Record<Dimensions, Costs>>>> = {
  cpu: {
    2: { candidate: 3.4, cell: 0, range: 12 },
    3: { candidate: 4.3, cell: 0, range: 9.2 },
  },
  gpu: {
    2: { candidate: 41, cell: 22, range: 117 },
    3: { candidate: 57, cell: 36, range: 124 },
  },
};

/** Greatest edge in diameters. Larger cells were never faster in measurements, and are slow if particles cluster. */
const MOST_DIAMETERS = 256;

/** The model assumes at least this many particles per square (cube) of one diameter, so that costs stay finite. */
const LEAST_WITHIN = 2 ** -512;

/** Larger cells must save at least this share of the time; the model's error is about as large. */
const LEAST_SAVING = 0.05;

const WIDE_SPREAD = 2;

const OPTION_NAMES = ['dimensions', 'density', 'engine', 'unbounded'] as const;

/** Suggests the edge of cells for given radii and, if known, the density of particles. */
export function suggestCellSize(radii: RadiiOfParticles, options: CellSizeOptions = {}): CellSizeSuggestion {
  const { smallest, largest } = extremesOf(radii);
  checkKnownKeys('options', options, OPTION_NAMES);
  const { dimensions, density, engine = 'gpu', unbounded = false } = options;
  if (dimensions !== undefined) checkDimensions(dimensions);
  if (
    density !== undefined &&
    !(typeof density === 'number' && density > 0 && density < Number.POSITIVE_INFINITY)
  ) {
    throw new ArgumentError('density', density, 'a finite number greater than 0');
  }
  if (engine !== 'cpu' && engine !== 'gpu') throw new ArgumentError('engine', engine, "'cpu' or 'gpu'");
  if (typeof unbounded !== 'boolean') throw new ArgumentError('unbounded', unbounded, 'true or false');
  const diameter = 2 * largest;
  const spread = largest / smallest;
  const mixed =
    spread > WIDE_SPREAD
      ? ` The largest particle is ${short(spread)} times the smallest. Cells fit the largest one, so each small particle is compared with many that it does not reach. A grid created with \`radii\` avoids that: it has several levels of cells.`
      : '';
  const least = unbounded ? powerAbove(diameter) : diameter;
  const atLeast = unbounded
    ? 'as large as the power of two at or above the largest diameter; in an unbounded world, larger ones only add candidates'
    : 'as large as the largest diameter; smaller ones would miss pairs';
  if (density === undefined) {
    const advice = unbounded
      ? ''
      : ' Larger cells may pay in a mostly empty box; give a density to find out.';
    const reason = `Cells are ${atLeast}.${advice}${mixed}`;
    return { cellSize: least, diameter, reason, candidates: undefined, cells: undefined };
  }
  if (dimensions === undefined) {
    throw new ArgumentError('dimensions', dimensions, '2 or 3 if a density is given');
  }
  const costs = COSTS[engine][dimensions];
  const within = Math.max(density * diameter ** dimensions, LEAST_WITHIN);
  const most = Math.min(MOST_DIAMETERS, (2 * LARGEST_DIAMETER) / diameter);
  // In an unbounded world, larger cells would not lower the number of buckets.
  const size = unbounded ? least / diameter : chooseSize(costs, dimensions, within, most);
  const cellSize = unbounded ? least : size * diameter;
  const perCell = within * size ** dimensions;
  const candidates = 3 ** dimensions * perCell;
  const crowd = `With ${short(within)} particles per ${dimensions === 2 ? 'square' : 'cube'} of one diameter`;
  const saving = 1 - costOf(costs, dimensions, within, size) / costOf(costs, dimensions, within, 1);
  const choice = unbounded
    ? `cells are ${atLeast}`
    : size > 1
      ? `most cells of one diameter would be empty. By the cost model, cells of ${short(size)} diameters take ${short(100 * saving)}% less time`
      : `cells are ${atLeast}. Larger cells would save less than ${short(100 * LEAST_SAVING)}% of the time, if any`;
  return {
    cellSize,
    diameter,
    reason: `${crowd}, ${choice}.${mixed}`,
    candidates,
    cells: unbounded ? undefined : 1 / perCell,
  };
}

/** Returns the edge of a cell in diameters. `within` is the number of particles per square (cube) of one diameter. */
function chooseSize(costs: Costs, dimensions: Dimensions, within: number, most: number): number {
  const perCell = Math.sqrt(costs.cell / (3 ** dimensions * costs.candidate));
  const size = Math.min((perCell / within) ** (1 / dimensions), most);
  if (!(size > 1)) return 1;
  const saves =
    costOf(costs, dimensions, within, size) <= (1 - LEAST_SAVING) * costOf(costs, dimensions, within, 1);
  return saves ? size : 1;
}

/** Returns the time of the model in nanoseconds per particle. */
function costOf(
  { candidate, cell, range }: Costs,
  dimensions: Dimensions,
  within: number,
  size: number,
): number {
  const perCell = within * size ** dimensions;
  return candidate * 3 ** dimensions * perCell + cell / perCell + range * 3 ** (dimensions - 1);
}

function extremesOf(radii: RadiiOfParticles): { readonly smallest: number; readonly largest: number } {
  if (typeof radii === 'number') {
    checkRadius('radii', radii);
    return { smallest: radii, largest: radii };
  }
  if (radii instanceof Float32Array || radii instanceof Float64Array) {
    if (radii.length === 0) throw new ArgumentError('radii', new Phrase('empty'), 'at least one radius');
    let smallest = Number.POSITIVE_INFINITY;
    let largest = 0;
    radii.forEach((radius, index) => {
      checkRadius(`radii[${index}]`, radius);
      smallest = Math.min(smallest, radius);
      largest = Math.max(largest, radius);
    });
    return { smallest, largest };
  }
  if (typeof radii !== 'object' || radii === null || Array.isArray(radii) || ArrayBuffer.isView(radii)) {
    const accepted = 'a radius, a Float32Array or Float64Array of radii, or { smallest, largest }';
    throw new ArgumentError('radii', radii, accepted);
  }
  checkKnownKeys('radii', radii, ['smallest', 'largest']);
  const { smallest, largest } = radii;
  checkRadius('radii.smallest', smallest);
  checkRadius('radii.largest', largest);
  if (smallest > largest) {
    throw new ArgumentError('radii.smallest', smallest, `at most radii.largest, ${largest}`);
  }
  return { smallest, largest };
}

function checkRadius(argument: string, radius: unknown): asserts radius is number {
  if (typeof radius === 'number' && 2 * radius >= SMALLEST_DIAMETER && 2 * radius <= LARGEST_DIAMETER) return;
  throw new ArgumentError(argument, radius, 'a number from 2^-41 to 2^59');
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
