/** Defines the bounds of a world without cells, for methods that choose their own cells. */
import { checkDimensions, checkVector } from '../base/checks';
import { ArgumentError } from '../base/errors';
import { periodicAxes } from './grid-cells';
import { GREATEST_FLOAT, SMALLEST_DIAMETER, type World, type WorldOptions } from './world';

/** The corners and periodic axes of a world, as in `World`. */
export type Bounds = Pick<World, 'kind' | 'dimensions' | 'min' | 'max' | 'period'>;

/** Options of a world, without the size of its cells. */
export type BoundsOptions = Omit<WorldOptions, 'cellSize'>;

export function defineBounds(options: BoundsOptions): Bounds {
  checkDimensions(options.dimensions);
  const periodic = periodicAxes(options);
  const { unbounded = false } = options;
  if (typeof unbounded !== 'boolean') {
    throw new ArgumentError('world.unbounded', unbounded, 'true or false');
  }
  const bounds = unbounded ? unboundedBounds(options) : boxBounds(options, periodic);
  for (const vector of [bounds.min, bounds.max, bounds.period]) Object.freeze(vector);
  return Object.freeze(bounds);
}

/** Names the box in errors if the caller chose no box. */
export const DEFAULT_BOX = 'the default box (set `min` and `max` to choose another)';

/** Refuses positions outside the box, but accepts NaN. The last three arguments are names for the error. */
export function checkInside(
  positions: Float32Array,
  { kind, dimensions, min, max }: Bounds,
  box = 'the box',
  argument = 'positions',
  body = 'particle',
): void {
  if (kind === 'unbounded') return;
  positions.forEach((value, index) => {
    const axis = index % dimensions;
    const [low, high] = [min[axis] as number, max[axis] as number];
    if (Number.isNaN(value) || (value >= low && value <= high)) return;
    const name = `${argument}[${index}] (${body} ${Math.floor(index / dimensions)})`;
    throw new ArgumentError(name, value, `in ${box}, from ${low} to ${high}`);
  });
}

function unboundedBounds(options: BoundsOptions): Bounds {
  const { dimensions } = options;
  for (const name of ['min', 'max', 'periodic'] as const) {
    if (options[name] !== undefined && options[name] !== false) {
      throw new ArgumentError(`world.${name}`, options[name], 'left out, since the world is unbounded');
    }
  }
  const all = (value: number) => new Array<number>(dimensions).fill(value);
  const [min, max, period] = [all(-GREATEST_FLOAT), all(GREATEST_FLOAT), all(0)];
  return { kind: 'unbounded', dimensions, min, max, period };
}

function boxBounds(options: BoundsOptions, periodic: readonly boolean[]): Bounds {
  const { dimensions } = options;
  checkVector('world.min', options.min, dimensions);
  checkVector('world.max', options.max, dimensions);
  const min = Array.from(options.min, Math.fround);
  const max = Array.from(options.max, Math.fround);
  const extent = max.map((high, axis) => Math.fround(high - (min[axis] as number)));
  extent.forEach((length, axis) => {
    if (length >= SMALLEST_DIAMETER && Number.isFinite(length)) return;
    throw new ArgumentError(
      `world.max[${axis}]`,
      options.max?.[axis],
      `at least world.min[${axis}] + 2^-40, with a finite distance between them`,
    );
  });
  const period = extent.map((length, axis) => (periodic[axis] ? length : 0));
  return { kind: periodic.includes(true) ? 'periodic' : 'bounded', dimensions, min, max, period };
}
