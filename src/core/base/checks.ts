/** Argument checks with the same messages everywhere. */
import { ArgumentError } from './errors';

export function checkDimensions(value: unknown, argument = 'dimensions'): asserts value is 2 | 3 {
  if (value !== 2 && value !== 3) throw new ArgumentError(argument, value, '2 or 3');
}

export function checkFinite(argument: string, value: unknown): asserts value is number {
  if (typeof value !== 'number' || !Number.isFinite(value) || !Number.isFinite(Math.fround(value))) {
    throw new ArgumentError(argument, value, 'a finite number that fits 32-bit floats');
  }
}

export function checkPositive(argument: string, value: unknown): asserts value is number {
  if (typeof value !== 'number' || !(Math.fround(value) > 0) || !Number.isFinite(Math.fround(value))) {
    throw new ArgumentError(argument, value, 'a 32-bit float greater than 0');
  }
}

export function checkRange(
  argument: string,
  value: unknown,
  low: number,
  high: number,
): asserts value is number {
  if (typeof value !== 'number' || !(value >= low && value <= high)) {
    throw new ArgumentError(argument, value, `a number from ${low} to ${high}`);
  }
}

/** Default of `longestStep`, in seconds. */
const LONGEST_STEP = 1;

export function readLongestStep(given: unknown = LONGEST_STEP, most = 1e9): number {
  checkRange('longestStep', given, 1e-7, most);
  return given;
}

/** Refuses a step that is probably in milliseconds. Callers without an option `longestStep` leave out `longest`. */
export function refuseLongStep(dt: number, longest?: number): void {
  if (dt <= (longest ?? LONGEST_STEP)) return;
  const advice = longest === undefined ? '' : '; the option `longestStep` allows longer steps';
  const accepted = `at most ${longest ?? LONGEST_STEP} s (milliseconds? then pass ${dt / 1000}${advice})`;
  throw new ArgumentError('dt', dt, accepted);
}

export function checkInteger(
  argument: string,
  value: unknown,
  low: number,
  high: number,
): asserts value is number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < low || value > high) {
    throw new ArgumentError(argument, value, `a whole number from ${low} to ${high}`);
  }
}

export function checkBooleans(values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'boolean') throw new ArgumentError(name, value, 'true or false');
  }
}

export function checkFunction(argument: string, value: unknown): void {
  if (typeof value !== 'function') throw new ArgumentError(argument, value, 'a function');
}

export function checkVector(argument: string, value: unknown, dimensions: 2 | 3): asserts value is number[] {
  const vector = value as ArrayLike<unknown>;
  if (!(Array.isArray(value) || ArrayBuffer.isView(value)) || vector.length !== dimensions) {
    throw new ArgumentError(argument, value, `${dimensions} finite numbers`);
  }
  for (let axis = 0; axis < dimensions; axis++) {
    const component = vector[axis];
    if (typeof component !== 'number' || !Number.isFinite(Math.fround(component))) {
      throw new ArgumentError(`${argument}[${axis}]`, component, 'a finite number that fits 32-bit floats');
    }
  }
}

/** Checks a list and returns a copy of it, in which holes are undefined. */
export function checkList<Element>(
  argument: string,
  value: readonly Element[],
  most: number,
  accepted: string,
): Element[] {
  if (!Array.isArray(value) || value.length > most) {
    throw new ArgumentError(argument, value, `a list of at most ${most} ${accepted}`);
  }
  return Array.from(value);
}

/** Checks `dimensions` numbers per particle, with magnitudes below `below`. */
export function checkPacked(
  argument: string,
  values: unknown,
  count: number,
  dimensions: 2 | 3,
  below = Number.POSITIVE_INFINITY,
): asserts values is Float32Array {
  if (!(values instanceof Float32Array)) {
    throw new ArgumentError(argument, values, `a Float32Array with ${dimensions} numbers per particle`);
  }
  if (values.length !== count * dimensions) {
    throw new ArgumentError(
      `${argument}.length`,
      values.length,
      `${count * dimensions} (${dimensions} numbers for each of ${count} particles)`,
    );
  }
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number;
    if (!(Math.abs(value) < below)) {
      throw new ArgumentError(
        `${argument}[${index}] (particle ${Math.floor(index / dimensions)})`,
        value,
        below === Number.POSITIVE_INFINITY
          ? 'a finite number'
          : `a finite number below 2^${Math.log2(below)} in magnitude`,
      );
    }
  }
}

export function checkKnownKeys(
  argument: string,
  value: unknown,
  known: readonly string[],
): asserts value is object {
  // An empty list or a promise has no keys, but neither means "no options".
  if (typeof value !== 'object' || value === null || Symbol.iterator in value || 'then' in value) {
    throw new ArgumentError(argument, value, `an object with some of ${known.join(', ')}`);
  }
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) {
      const accepted =
        key === 'radius' && known.includes('diameter')
          ? 'left out: pass `diameter`, which is twice the radius'
          : `left out or renamed to one of ${known.join(', ')}`;
      throw new ArgumentError(`${argument}.${key}`, (value as Record<string, unknown>)[key], accepted);
    }
  }
}
