import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BOUNCE_PUSH, SPREADING } from '../../../../src/core/base/constants';
import {
  clamp,
  dot,
  factorOf,
  lengthOf,
  ONE,
  packFactor,
  ratio,
  round,
  scale,
  share,
} from '../../../../src/core/exact/integers';
import { fc } from '../../../helpers/properties';

const signed = (most: number) => fc.integer({ min: -most, max: most });

/** Returns n / 2^bits, rounded to the nearest whole number. Of two equally near ones, it returns the even one. */
function roundedShift(n: bigint, bits: bigint): bigint {
  if (bits <= 0n) return n << -bits;
  const low = n >> bits;
  const rest = n - (low << bits);
  const half = 1n << (bits - 1n);
  const isUp = rest > half || (rest === half && (low & 1n) === 1n);
  return isUp ? low + 1n : low;
}

/** A factor as a whole number and the number of bits after the point. */
function partsOf(factor: number): readonly [bigint, bigint] {
  let bits = 0n;
  let whole = factor;
  while (!Number.isInteger(whole)) {
    whole *= 2;
    bits++;
  }
  return [BigInt(whole), bits];
}

describe('integers of exact simulations', () => {
  it('round to the nearest number, halves to the even one', () => {
    expect([0.5, 1.5, 2.5, -0.5, -1.5, 0.49, -0.51, 7].map((value) => round(value) + 0)).toEqual([
      0, 2, 2, 0, -2, 0, -1, 7,
    ]);
  });

  it('give a factor 16 significant bits, and at most 31 bits after the point', () => {
    expect(factorOf(0)).toBe(0);
    expect(factorOf(2 ** -40)).toBe(0);
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 2 ** 14, noNaN: true }), (value) => {
        const factor = factorOf(value);
        expect(Math.abs(factor - value)).toBeLessThanOrEqual(Math.max(2 ** -32, value * 2 ** -16));
        const packed = packFactor(factor);
        const bits = Math.floor(packed / 2 ** 16);
        expect(bits).toBeGreaterThanOrEqual(1);
        expect(bits).toBeLessThanOrEqual(31);
        expect((packed % 2 ** 16) / 2 ** bits).toBe(factor);
      }),
    );
  });

  it('have the factors of the contact law as constants in WGSL', () => {
    const law = readFileSync(new URL('../../../../shaders/solve/exact/law.wgsl', import.meta.url), 'utf8');
    expect(law).toContain(`const HALF_BOUNCE_PUSH = ${packFactor(factorOf(BOUNCE_PUSH / 2))}u;`);
    expect(law).toContain(`const HALF_SPREADING = ${packFactor(factorOf(SPREADING / 2))}u;`);
  });

  it('are scaled to the same result as in BigInt arithmetic', () => {
    fc.assert(
      fc.property(signed(2 ** 31 - 1), fc.double({ min: 1e-5, max: 2, noNaN: true }), (value, wanted) => {
        const factor = factorOf(wanted);
        const [whole, bits] = partsOf(factor);
        expect(BigInt(scale(value, factor))).toBe(roundedShift(BigInt(value) * whole, bits));
        expect(scale(-value, factor) + scale(value, factor)).toBe(0);
      }),
    );
  });

  it('have the same shares as in BigInt arithmetic', () => {
    fc.assert(
      fc.property(signed(2 ** 31 - 1), signed(ONE), (value, fraction) => {
        expect(BigInt(share(value, fraction))).toBe(roundedShift(BigInt(value) * BigInt(fraction), 15n));
      }),
    );
  });

  it('have dot products with one rounding', () => {
    const vector = fc.tuple(signed(2 ** 30), signed(2 ** 30), signed(2 ** 30));
    const direction = fc.tuple(signed(ONE), signed(ONE), signed(ONE));
    fc.assert(
      fc.property(vector, direction, (a, b) => {
        const sum = a.reduce((total, value, axis) => total + BigInt(value) * BigInt(b[axis] as number), 0n);
        expect(BigInt(dot(...a, ...b))).toBe(roundedShift(sum, 15n));
      }),
    );
  });

  it('have the same ratios as in BigInt arithmetic', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 31 - 1 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (b, part) => {
          const a = Math.floor(b * part);
          const cut = b < 2 ** 28 ? 0n : 3n;
          expect(BigInt(ratio(a, b))).toBe(((BigInt(a) >> cut) << 15n) / (BigInt(b) >> cut));
        },
      ),
    );
    expect(ratio(7, 7)).toBe(ONE);
    expect(ratio(0, 7)).toBe(0);
  });

  it('have lengths below the exact ones by at most 1 or a share of 2^-14, whichever is more', () => {
    const vector = fc.tuple(signed(2 ** 30), signed(2 ** 30), signed(2 ** 30));
    fc.assert(
      fc.property(vector, fc.integer({ min: 0, max: 30 }), (given, shift) => {
        const [x, y, z] = given.map((value) => Math.trunc(value / 2 ** shift)) as [number, number, number];
        const length = lengthOf(x, y, z);
        const exact = Math.hypot(x, y, z);
        expect(length).toBeLessThanOrEqual(exact);
        expect(exact - length).toBeLessThanOrEqual(Math.max(1, exact * 2 ** -14));
        expect(lengthOf(-x, -y, -z)).toBe(length);
      }),
    );
    expect(lengthOf(3, 4, 0)).toBe(5);
    expect(lengthOf(0, 0, 0)).toBe(0);
  });

  it('limit numbers on both sides', () => {
    expect([clamp(5, 3), clamp(-5, 3), clamp(2, 3)]).toEqual([3, -3, 2]);
  });
});
