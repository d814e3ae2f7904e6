import { describe, expect, it } from 'vitest';
import { checkKnownKeys, checkList, checkPacked, checkVector } from '../../../../src/core/base/checks';
import { ArgumentError } from '../../../../src/core/base/errors';

const ODD: readonly unknown[] = [
  undefined,
  null,
  5,
  'ab',
  1n,
  Symbol('two'),
  Object.create(null),
  { length: 2, 0: 1, 1: 2 },
  new Array(2),
  [1n, 2],
  [Symbol('a'), 2],
  BigInt64Array.of(1n, 2n),
  new DataView(new ArrayBuffer(2)),
  () => [1, 2],
];

describe('checkVector', () => {
  it.each([[[1, 2]], [Float32Array.of(1, 2)], [Float64Array.of(1, 2)]])('accepts %o', (value) => {
    expect(() => checkVector('point', value, 2)).not.toThrow();
  });

  it('throws an ArgumentError for a value that is no vector, even if it looks like an array', () => {
    for (const value of ODD) expect(() => checkVector('point', value, 2)).toThrow(ArgumentError);
    expect(() => checkVector('point', { length: 2, 0: 1, 1: 2 }, 2)).toThrow(
      'point is an object, but it must be 2 finite numbers.',
    );
    expect(() => checkVector('point', new Array(2), 2)).toThrow(/^point\[0\] is undefined, /);
  });
});

describe('checkList', () => {
  it('copies a list and reads missing elements as undefined', () => {
    const given = [1, 2];
    const copy = checkList('rays', given, 2, 'rays');
    expect(copy).toEqual([1, 2]);
    expect(copy).not.toBe(given);
    expect(0 in checkList('rays', new Array(2), 2, 'rays')).toBe(true);
  });

  it.each([[[1, 2, 3]], [Float32Array.of(1)], [undefined], ['ab']])('rejects %o', (value) => {
    const attempt = () => checkList('rays', value as never, 2, 'rays');
    expect(attempt).toThrow(/^rays is .*, but it must be a list of at most 2 rays\.$/);
  });
});

describe('checkPacked', () => {
  it('names the first number that is not finite or too great, wherever it is', () => {
    for (let index = 0; index < 6; index++) {
      const values = new Float32Array(6).fill(1);
      values[index] = -4;
      expect(() => checkPacked('velocities', values, 3, 2, 8)).not.toThrow();
      expect(() => checkPacked('velocities', values, 3, 2, 4)).toThrow(
        `velocities[${index}] (particle ${index >> 1}) is -4, but it must be a finite number below 2^2 in magnitude.`,
      );
      values[index] = Number.NaN;
      expect(() => checkPacked('positions', values, 3, 2)).toThrow(
        `positions[${index}] (particle ${index >> 1}) is NaN, but it must be a finite number.`,
      );
    }
  });
});

describe('checkKnownKeys', () => {
  it.each([[[]], [new Array(2)], [new Map()], [new Float32Array(2)], [Promise.resolve({})], [null], [7]])(
    'rejects %o, which is not an object with options',
    (value) => {
      expect(() => checkKnownKeys('options', value, ['radius'])).toThrow(
        /^options is .*, .* some of radius\.$/,
      );
    },
  );
});
