/**
 * A stable radix sort, least significant digit first. Twin of shaders/sort/radix.wgsl. Among floats, −0 comes before 0.
 * NaNs come last and count as equal to each other.
 */
import { RADIX_BITS, RADIX_DIGITS, RADIX_RUN } from '../../core/base/constants';
import type { KeyKind } from '../../core/particles/keys';
import { exclusiveScan } from '../grid/scan';

const NOT_A_NUMBER = 0xffff_ffff;

/** Returns a key whose unsigned order is the order of the given key. */
export function toUnsigned(kind: KeyKind, bits: number): number {
  if (kind === 'i32') return (bits ^ 0x8000_0000) >>> 0;
  if (kind !== 'f32') return bits;
  if ((bits & 0x7fff_ffff) > 0x7f80_0000) return NOT_A_NUMBER;
  return bits >= 0x8000_0000 ? ~bits >>> 0 : (bits | 0x8000_0000) >>> 0;
}

export function fromUnsigned(kind: KeyKind, bits: number): number {
  if (kind === 'i32') return (bits ^ 0x8000_0000) >>> 0;
  if (kind !== 'f32') return bits;
  return bits >= 0x8000_0000 ? bits & 0x7fff_ffff : ~bits >>> 0;
}

/**
 * Counts each digit in each run of RADIX_RUN keys. Layout: the counts of digit 0, one per run, then those of digit 1,
 * and so on.
 */
export function countDigits(digits: Uint32Array): Uint32Array {
  const runs = Math.ceil(digits.length / RADIX_RUN);
  const counts = new Uint32Array(RADIX_DIGITS * runs);
  digits.forEach((digit, index) => {
    const counter = digit * runs + Math.floor(index / RADIX_RUN);
    counts[counter] = (counts[counter] as number) + 1;
  });
  return counts;
}

export function targetsOf(digits: Uint32Array): Uint32Array {
  const runs = Math.ceil(digits.length / RADIX_RUN);
  const next = exclusiveScan(countDigits(digits));
  return digits.map((digit, index) => {
    const counter = digit * runs + Math.floor(index / RADIX_RUN);
    const target = next[counter] as number;
    next[counter] = target + 1;
    return target;
  });
}

/** Sorts keys and payload. A 64-bit key takes two words, the low one first. */
export function radixSort(
  kind: KeyKind,
  words: Uint32Array,
  payload: Uint32Array,
): { readonly words: Uint32Array; readonly payload: Uint32Array } {
  const size = kind === 'u64' ? 2 : 1;
  let keys = words.map((bits) => toUnsigned(kind, bits));
  let values = payload.slice();
  for (let shift = 0; shift < 32 * size; shift += RADIX_BITS) {
    const count = keys.length / size;
    const digits = Uint32Array.from(
      { length: count },
      (_, index) => ((keys[size * index + (shift >> 5)] as number) >>> (shift & 31)) & (RADIX_DIGITS - 1),
    );
    const targets = targetsOf(digits);
    const [keysAfter, valuesAfter] = [new Uint32Array(keys.length), new Uint32Array(values.length)];
    targets.forEach((target, index) => {
      valuesAfter[target] = values[index] as number;
      for (let word = 0; word < size; word++)
        keysAfter[size * target + word] = keys[size * index + word] as number;
    });
    keys = keysAfter;
    values = valuesAfter;
  }
  return { words: keys.map((bits) => fromUnsigned(kind, bits)), payload: values };
}
