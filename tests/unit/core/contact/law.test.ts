import { expect, it } from 'vitest';
import { MOST_LOAD } from '../../../../src/core/base/constants';
import {
  excessOf,
  halfChange,
  holdFactor,
  keptShare,
  loadOf,
  massShare,
  obstacleChange,
  restitutionOf,
} from '../../../../src/core/contact/law';

it.each([2, 3] as const)(
  'massShare divides a push so that each of two particles gets the other one’s share of the mass, in %dD',
  (dimensions) => {
    expect(massShare(dimensions, 3, 3)).toBe(0.5);
    // The mass ratio is 4 in 2D and 8 in 3D.
    expect(massShare(dimensions, 2, 1)).toBeCloseTo(1 / (1 + 2 ** dimensions), 7);
    for (const [own, other] of [
      [1, 64],
      [0.3, 0.2],
      [2 ** -40, 2 ** 59],
      [1e-20, 1e-21],
    ] as const) {
      const [share, rest] = [massShare(dimensions, own, other), massShare(dimensions, other, own)];
      // Both calls use the same rounded mass ratio. Then they round three results: the sum of masses and each quotient.
      expect(Math.abs(share + rest - 1)).toBeLessThanOrEqual(3 * 2 ** -24);
      expect(share).toBe(Math.fround(share));
      expect(share > rest).toBe(own < other);
    }
  },
);

it.each([2, 3] as const)(
  'massShare multiplies masses by 1 + load, except between equal sizes, in %dD',
  (dimensions) => {
    const ratio = 2 ** dimensions;
    expect(massShare(dimensions, 1, 1, 5, 0)).toBe(0.5);
    expect(massShare(dimensions, 2, 1, 3, 0)).toBeCloseTo(1 / (4 * ratio + 1), 7);
    expect(massShare(dimensions, 2, 1, 0, ratio - 1)).toBe(0.5);
    const [share, rest] = [massShare(dimensions, 2, 1, 3, 2), massShare(dimensions, 1, 2, 2, 3)];
    expect(Math.abs(share + rest - 1)).toBeLessThanOrEqual(3 * 2 ** -24);
    expect(share).toBeCloseTo(3 / (3 + 4 * ratio), 6);
    // A load never makes the smaller one act heavier than the other.
    expect([massShare(dimensions, 2, 1, 3, 700), massShare(dimensions, 1, 2, 700, 3)]).toEqual([0.5, 0.5]);
  },
);

it('keptShare limits a sum by depth to `closing` or kickSpeed, and by strain to half of `closing` or calmSpeed', () => {
  const kept = (closing: number, depth: number, strain: number, kickSpeed = 2, calmSpeed = 1) =>
    keptShare(8, closing, { depth, strain }, { kickSpeed, calmSpeed });
  // The sum has length 8. From a depth of 2 on, it keeps at most max(closing, kickSpeed); from a strain of 2 on, at
  // most max(closing / 2, calmSpeed).
  expect([4, 3, 0.5].map((closing) => kept(closing, 2, 0))).toEqual([0.5, 0.375, 0.25]);
  expect([4, 3, 0.5].map((closing) => kept(closing, 0, 2))).toEqual([0.25, 0.1875, 0.125]);
  expect([kept(0, 9, 9), kept(16, 9, 9), kept(0, 9, 9, 0, 0)]).toEqual([0.125, 1, 0]);
  // A depth or strain of at most 1 sets no limit. At 1.5, the limit removes half of the excess.
  expect([0, 1, 1.5].map((depth) => kept(0, depth, 1))).toEqual([1, 1, 0.625]);
  expect([0, 1, 1.5].map((strain) => kept(4, 1, strain))).toEqual([1, 1, 0.625]);
});

it('halfChange gives bodies less speed the faster they part, and its limit always allows an approach to end', () => {
  const change = (push: number, approach: number, pushSpeed = 4) =>
    halfChange(push, approach, pushSpeed, 2, 1, 0);
  expect([change(1, 0), change(9, 0), change(9, -2), change(99, -20)]).toEqual([1, 4, 4, 10]);
  // The limit falls by parting / 2 = 1 per unit of speed at which bodies part.
  expect([change(1, 1), change(9, 1), change(9, 3), change(9, 5)]).toEqual([1, 3, 1, 0]);
  expect([change(9, 0, 0), change(9, -2, 0)]).toEqual([0, 1]);
});

it('excessOf leaves out what ends the approach', () => {
  expect([excessOf(4, 0), excessOf(4, 3), excessOf(4, -2), excessOf(4, -20)]).toEqual([4, 4, 3, -6]);
});

it('restitutionOf falls as the load grows, and is 0 from a load of 1 on', () => {
  expect([0, 0.25, 0.5, 1, 700].map((load) => restitutionOf(0.5, load))).toEqual([0.5, 0.375, 0.25, 0, 0]);
  expect(restitutionOf(0, 0)).toBe(0);
});

it('holdFactor stops as much of the slip as friction allows', () => {
  // The support S has length 4, and the slip, which is G across S, has length 1. Friction holds all of the slip, which
  // is 1 / 4² of the vector |S|² G − (S·G) S.
  expect(holdFactor(16, 0, 4, 0.5)).toBe(1 / 16);
  expect(holdFactor(16, 0, 16, 0.5)).toBe(0.5 / 16);
  // The changes already use 1 of the 2 that friction allows.
  expect(holdFactor(16, 4, 16, 0.5)).toBe(0.25 / 16);
  expect(holdFactor(16, 12, 16, 0.5)).toBe(0);
  expect([holdFactor(16, 0, 0, 0.5), holdFactor(0, 0, 1, 0.5)]).toEqual([0, 0]);
});

it('obstacleChange slows or ends the approach along the common normal, and never reverses it without a bounce', () => {
  expect(obstacleChange(2, 1, -5, 0)).toBe(2);
  expect(obstacleChange(2, 1.5, -5, 0)).toBe(3);
  // With obstacles on both sides, their changes nearly cancel, so the sum of the vectors is short and `turn` is large.
  expect(obstacleChange(2, 1000, -5, 0)).toBe(5);
  expect(obstacleChange(20, 1, -5, 0.5)).toBe(7.5);
});

it('loadOf counts what presses from opposite sides, up to 2²⁴, and ignores what may be rounding', () => {
  expect(loadOf(7, 1, 8)).toBeCloseTo(3, 4);
  expect([loadOf(1, 2, 8), loadOf(1e30, 0, 1e-3)]).toEqual([0, MOST_LOAD]);
  expect(loadOf(7, 7 * (1 - 2 ** -21), 2 ** -30)).toBe(0);
  expect([loadOf(7, 1, 0), loadOf(7, 1, 2 ** -62)]).toEqual([0, 0]);
  expect(loadOf(7, 1, 2 ** -61)).toBe(MOST_LOAD);
});
