/** Checks the whole numbers in a checkpoint of an exact simulation. */
import { checkInteger } from '../base/checks';
import { ArgumentError } from '../base/errors';
import { FASTEST, REACH } from './quanta';

interface Arrays {
  readonly steps: number;
  readonly positions: Int32Array;
  readonly velocities: Int32Array;
}

/** Throws if a number is out of range, or if an array does not have `length` numbers: one per particle and axis. */
export function checkExactArrays(exact: Arrays, length: number): void {
  checkInteger('checkpoint.exact.steps', exact.steps, 0, Number.MAX_SAFE_INTEGER);
  for (const [name, least, most] of [
    ['positions', -REACH, REACH - 1],
    ['velocities', -FASTEST, FASTEST],
  ] as const) {
    const values = exact[name];
    if (!(values instanceof Int32Array) || values.length !== length) {
      throw new ArgumentError(`checkpoint.exact.${name}`, values, `an Int32Array of ${length} numbers`);
    }
    const wrong = values.findIndex((value) => value < least || value > most);
    if (wrong < 0) continue;
    throw new ArgumentError(`checkpoint.exact.${name}[${wrong}]`, values[wrong], `from ${least} to ${most}`);
  }
}
