/**
 * Purpose: how large cells should be for given radii, and why.
 * Inputs: radii; for more than the largest diameter, how dense the particles are.
 * Output: the edge of a cell, at least the largest diameter, below which the 3×3 (3×3×3) probe is not exact.
 *
 * The model: time a particle = candidates × cost + cells × cost + ranges × cost. Larger cells mean more candidates, of
 * which particles at random have density × (3 edges)ⁿ, and fewer cells, of which there are 1 / (density × edgeⁿ) a
 * particle. The ranges, 3 (9 in space), are the same for any edge, so they only weaken what is gained. Least is the
 * sum where cells hold √(cell / (3ⁿ candidate)) particles each, or at one diameter if they hold more there.
 */
import { checkDimensions, checkKnownKeys } from '../base/checks';
import { ArgumentError, Phrase } from '../base/errors';
import { type Dimensions, LARGEST_DIAMETER, SMALLEST_DIAMETER } from './world';

/** One radius for all, one for each particle, or the least and the greatest. */
export type RadiiOfParticles =
  | number
  | Float32Array
  | Float64Array
  | { readonly smallest: number; readonly largest: number };

export interface CellSizeOptions {
  /** Needed with a density. */
  readonly dimensions?: Dimensions | undefined;
  /**
   * Particles in a square (cube) of the caller's unit, where most of them are: in a crowd that leaves half the box
   * empty, that of the crowd.
   */
  readonly density?: number | undefined;
  /** Whose costs to go by. Default 'gpu'. */
  readonly engine?: 'cpu' | 'gpu' | undefined;
  /** For a world without end, whose cells are a power of two wide. Default false. */
  readonly unbounded?: boolean | undefined;
}

export interface CellSizeSuggestion {
  /** Edge of a cell: the `cellSize` of a world. */
  readonly cellSize: number;
  /** The largest one. */
  readonly diameter: number;
  /** In a sentence or two. */
  readonly reason: string;
  /** Other particles that each one is compared with, if they lie at random; where a density was given. */
  readonly candidates: number | undefined;
  /** Cells a particle; where a density was given and the world has an end. */
  readonly cells: number | undefined;
}

interface Costs {
  readonly candidate: number;
  readonly cell: number;
  readonly range: number;
}

/**
 * Nanoseconds, as `npm run bench:cells` fitted them on two cores of an AMD EPYC (KVM), Node 20.20, the GPU a software
 * one (SwiftShader). Only their ratios matter; on another machine they are others. The CPU engine sorts by column and
 * row, so that an empty cell costs it nothing. docs/cell-size.md has the table.
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

/** Beyond it nothing was faster where it was measured (docs/cell-size.md), and where particles cluster after all, large cells are slow. */
const MOST_DIAMETERS = 256;

/** Particles in a square (cube) of one diameter, at least: fewer are as good as none. */
const LEAST_WITHIN = 2 ** -512;

/** A larger cell must save at least this share of the time: less is lost in what the model leaves out. */
const LEAST_SAVING = 0.05;

/** From this ratio of diameters on, the reason says what mixed sizes cost. */
const WIDE_SPREAD = 2;

const OPTION_NAMES = ['dimensions', 'density', 'engine', 'unbounded'] as const;

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
      ? ` The largest particle is ${short(spread)} times the smallest, and cells are as large as it needs, so small ones are compared with many that they do not reach: a grid created with \`radii\` has levels of cells instead.`
      : '';
  const least = unbounded ? powerOfTwo(diameter) : diameter;
  const atLeast = unbounded
    ? `the power of two at or above the largest diameter, which cells of an unbounded world are`
    : 'the largest diameter, below which pairs would be missed';
  if (density === undefined) {
    const reason = `Cells are ${atLeast}; larger ones can only pay where most cells are empty, which a density would say.${mixed}`;
    return { cellSize: least, diameter, reason, candidates: undefined, cells: undefined };
  }
  if (dimensions === undefined) {
    throw new ArgumentError('dimensions', dimensions, '2 or 3 where a density is given');
  }
  const costs = COSTS[engine][dimensions];
  // Of next to nobody the costs would not be finite.
  const within = Math.max(density * diameter ** dimensions, LEAST_WITHIN);
  // Of an unbounded world the table is as large as the particles are many, whatever the cells.
  const most = Math.min(MOST_DIAMETERS, (2 * LARGEST_DIAMETER) / diameter);
  const size = unbounded ? least / diameter : chooseSize(costs, dimensions, within, most);
  const cellSize = unbounded ? least : size * diameter;
  const perCell = within * size ** dimensions;
  const candidates = 3 ** dimensions * perCell;
  const crowd = `At ${short(within)} particles in a ${dimensions === 2 ? 'square' : 'cube'} of one diameter`;
  const saving = 1 - costOf(costs, dimensions, within, size) / costOf(costs, dimensions, within, 1);
  const choice =
    !unbounded && size > 1
      ? `most cells of one diameter would be empty: by the cost model, cells of ${short(size)} diameters take ${short(100 * saving)}% less time`
      : `cells are ${atLeast}; larger ones would save less than ${short(100 * LEAST_SAVING)}% of the time, if any`;
  return {
    cellSize,
    diameter,
    reason: `${crowd}, ${choice}.${mixed}`,
    candidates,
    cells: unbounded ? undefined : 1 / perCell,
  };
}

/** Edge of a cell, diameters. `within`: particles in a square (cube) of one diameter. */
function chooseSize(costs: Costs, dimensions: Dimensions, within: number, most: number): number {
  const perCell = Math.sqrt(costs.cell / (3 ** dimensions * costs.candidate));
  const size = Math.min((perCell / within) ** (1 / dimensions), most);
  if (!(size > 1)) return 1;
  const saves =
    costOf(costs, dimensions, within, size) <= (1 - LEAST_SAVING) * costOf(costs, dimensions, within, 1);
  return saves ? size : 1;
}

/** Nanoseconds a particle. */
function costOf(
  { candidate, cell, range }: Costs,
  dimensions: Dimensions,
  within: number,
  size: number,
): number {
  const perCell = within * size ** dimensions;
  return candidate * 3 ** dimensions * perCell + cell / perCell + range * 3 ** (dimensions - 1);
}

/** The least that is not below a length. */
function powerOfTwo(length: number): number {
  const power = 2 ** Math.ceil(Math.log2(length));
  // Where the logarithm was rounded down across a power of two.
  return power >= length ? power : 2 * power;
}

function extremesOf(radii: RadiiOfParticles): { readonly smallest: number; readonly largest: number } {
  if (typeof radii === 'number') {
    checkRadius('radii', radii);
    return { smallest: radii, largest: radii };
  }
  if (radii instanceof Float32Array || radii instanceof Float64Array) {
    if (radii.length === 0) throw new ArgumentError('radii', new Phrase('empty'), 'one radius at least');
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
    const accepted = 'a radius, a Float32Array or Float64Array of them, or { smallest, largest }';
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

/** Three digits are as much as an estimate is good for. */
function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
