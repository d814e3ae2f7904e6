/**
 * Integer arithmetic of exact simulations. Every result is the same on every device. Here, doubles hold the integers.
 * Products stay below 2⁵³, so they are exact; only lengthOf may have larger squares, which it merely compares. Shaders
 * compute the same numbers from 32-bit integers. docs/design/exact.md derives the ranges.
 */

/** Bits of a unit vector's components and of ratios: 1 is 2^FRACTION_BITS. */
const FRACTION_BITS = 15;
export const ONE = 2 ** FRACTION_BITS;

/** Significant bits of a factor. The product of a 32-bit integer and a factor then consists of two 32-bit products. */
const FACTOR_BITS = 16;

/** Greatest number of bits per component that lengthOf squares and adds up. */
const LENGTH_BITS = 20;

/** Sums with this number have no room for fractions, so processors round them to whole numbers. */
export const ROUNDER = 1.5 * 2 ** 52;

/** Adding and subtracting this number rounds to multiples of 1 / ONE. */
export const FRACTION_ROUNDER = ROUNDER / ONE;

/**
 * Returns the nearest whole number; if two are equally near, the even one. So opposite numbers have opposite results.
 */
export function round(value: number): number {
  return value + ROUNDER - ROUNDER;
}

/** Rounds a number from 0 to 2¹⁴ to FACTOR_BITS significant bits, and to multiples of 2⁻³¹. */
export function factorOf(value: number): number {
  const scale = scaleOf(value);
  return Math.round(value * scale) / scale;
}

/** Returns a factor as shaders read it: its significant bits and, above them, the number of bits after the point. */
export function packFactor(factor: number): number {
  const scale = scaleOf(factor);
  return factor * scale + 2 ** FACTOR_BITS * exponentOf(scale);
}

/** Returns the exponent of a power of two up to 2³¹. Engines of JavaScript may round Math.log2 differently. */
export function exponentOf(power: number): number {
  return 31 - Math.clz32(power);
}

/** Returns a power of two from 2 to 2³¹, whose product with `factorOf(value)` is a whole number. */
export function scaleOf(value: number): number {
  let scale = 2;
  while (value * scale < 2 ** (FACTOR_BITS - 1) && scale < 2 ** 31) scale *= 2;
  return scale;
}

/** Returns value · factor, rounded. `factor` comes from factorOf, and |value| is below 2³¹. */
export function scale(value: number, factor: number): number {
  return round(value * factor);
}

/** Returns value · fraction / ONE, rounded. `fraction` is from −ONE to ONE. */
export function share(value: number, fraction: number): number {
  return round((value * fraction) / ONE);
}

/**
 * Returns a / b as a fraction of ONE, rounded down, for whole numbers 0 ≤ a ≤ b < 2³¹ and b > 0. If b is at least 2²⁸,
 * ignores the lowest three bits of both.
 */
export function ratio(a: number, b: number): number {
  if (b < 2 ** 28) return Math.floor((a * ONE) / b);
  return Math.floor((Math.floor(a / 8) * ONE) / Math.floor(b / 8));
}

/**
 * Returns the length of a vector of whole numbers below 2³¹, rounded down. Cuts off low bits of large numbers, so that
 * no component has more than LENGTH_BITS.
 */
export function lengthOf(x: number, y: number, z: number): number {
  const squared = x * x + y * y + z * z;
  if (squared < 4 ** LENGTH_BITS) return Math.floor(Math.sqrt(squared));
  const greatest = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  const unit = greatest < 2 ** LENGTH_BITS ? 1 : greatest < 2 ** 26 ? 2 ** 6 : 2 ** 11;
  const a = Math.trunc(x / unit);
  const b = Math.trunc(y / unit);
  const c = Math.trunc(z / unit);
  return Math.floor(Math.sqrt(a * a + b * b + c * c)) * unit;
}

/** Limits a number to −limit … limit. */
export function clamp(value: number, limit: number): number {
  return value > limit ? limit : value < -limit ? -limit : value;
}

/** Returns the dot product of a vector and a direction, rounded once. */
export function dot(a: number, b: number, c: number, x: number, y: number, z: number): number {
  return round((a * x + b * y + c * z) / ONE);
}
