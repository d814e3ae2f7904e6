import { AssertionError } from 'node:assert';
import { describe, expect, test } from 'vitest';
import { expectArraysEqual, expectArraysWithin } from '../../../src/testing/arrays';

describe('expectArraysEqual', () => {
  test('shows the first mismatches in a table', () => {
    const got = Uint32Array.of(1, 2, 3, 4000);
    const compare = () => expectArraysEqual(got, Uint32Array.of(1, 5, 3, 4), 'starts');
    expect(compare).toThrow(AssertionError);
    expect(compare).toThrow(
      'starts: 2 of 4 values differ.\n  index   got  expected\n      1     2         5\n      3  4000         4',
    );
  });

  test('shows at most ten mismatches', () => {
    const failing = () => expectArraysEqual(new Float32Array(40), new Float32Array(40).fill(1), 'zeros');
    expect(failing).toThrow('zeros: 40 of 40 values differ.');
    expect(failing).toThrow(/\n {6}9 {4}0 {9}1$/);
  });

  test('distinguishes −0 from 0, and accepts NaN as equal to NaN', () => {
    expectArraysEqual([Number.NaN], [Number.NaN], 'numbers');
    expect(() => expectArraysEqual([-0], [0], 'numbers')).toThrow('-0');
  });

  test('compares 64-bit integers', () => {
    expectArraysEqual(BigUint64Array.of(1n), BigUint64Array.of(1n), 'keys');
    expect(() => expectArraysEqual([1n], [2n], 'keys')).toThrow('keys: 1 of 1 values differ.');
  });
});

describe('the lengths', () => {
  test('are compared first', () => {
    expect(() => expectArraysEqual([1], [1, 2], 'numbers')).toThrow(
      'numbers: 1 values instead of 2; of the first 1, 0 differ.',
    );
    expect(() => expectArraysWithin([1], [1.5, 2], 0.25, 'numbers')).toThrow('are more than 0.25 apart');
  });
});

describe('expectArraysWithin', () => {
  test('accepts differences up to the bound, and never NaN', () => {
    expectArraysWithin([1, 2], [1.25, 1.75], 0.25, 'numbers');
    expect(() => expectArraysWithin([1, 2], [1.25, 2.5], 0.25, 'numbers')).toThrow(
      'numbers: 1 of 2 values are more than 0.25 apart.\n  index  got  expected\n      1    2       2.5',
    );
    expect(() => expectArraysWithin([Number.NaN], [Number.NaN], 1, 'numbers')).toThrow('1 of 1 values');
  });
});
