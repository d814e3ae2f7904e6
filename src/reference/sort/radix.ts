/**
 * A stable radix sort, least significant digit first. Twin of shaders/sort/radix.wgsl. Among floats, −0 comes before 0,
 * and NaNs come last, all equal.
 */
import { type KeyKind, RADIX_BITS, RADIX_RUN } from '../../core/particles/keys';
import { exclusiveScan } from '../grid/scan';

const RADIX_DIGITS = 2 ** RADIX_BITS;

const INFINITE = { f32: 0x7f80_0000n, f64: 0x7ff0_0000_0000_0000n } as const;

function bitsOf(kind: KeyKind): 32 | 64 {
  return kind.endsWith('64') ? 64 : 32;
}

/** Maps a key to a whole number of at least 0. The order of these numbers is the order of the keys. */
export function toUnsigned(kind: KeyKind, key: bigint): bigint {
  const sign = 1n << BigInt(bitsOf(kind) - 1);
  const all = 2n * sign - 1n;
  if (kind === 'i32' || kind === 'i64') return key ^ sign;
  if (kind === 'u32' || kind === 'u64') return key;
  if ((key & ~sign) > INFINITE[kind]) return all;
  return key >= sign ? key ^ all : key | sign;
}

export function fromUnsigned(kind: KeyKind, key: bigint): bigint {
  const sign = 1n << BigInt(bitsOf(kind) - 1);
  if (kind === 'i32' || kind === 'i64') return key ^ sign;
  if (kind === 'u32' || kind === 'u64') return key;
  return key >= sign ? key & ~sign : key ^ (2n * sign - 1n);
}

/** Returns the counts of digit 0, one per run of RADIX_RUN keys, then those of digit 1, and so on. */
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

/** Sorts keys, and their payload with them. A 64-bit key takes two words, the low one first. */
export function radixSort(
  kind: KeyKind,
  words: Uint32Array,
  payload: Uint32Array,
): { readonly words: Uint32Array; readonly payload: Uint32Array } {
  const bits = bitsOf(kind);
  const size = bits / 32;
  let keys = Array.from({ length: words.length / size }, (_, index) => {
    const high = size === 2 ? (words[2 * index + 1] as number) : 0;
    return toUnsigned(kind, (BigInt(high) << 32n) | BigInt(words[size * index] as number));
  });
  let values = payload.slice();
  for (let shift = 0; shift < bits; shift += RADIX_BITS) {
    const digits = Uint32Array.from(keys, (key) => Number((key >> BigInt(shift)) & BigInt(RADIX_DIGITS - 1)));
    const keysAfter = new Array<bigint>(keys.length);
    const valuesAfter = new Uint32Array(values.length);
    targetsOf(digits).forEach((target, index) => {
      keysAfter[target] = keys[index] as bigint;
      valuesAfter[target] = values[index] as number;
    });
    keys = keysAfter;
    values = valuesAfter;
  }
  const sorted = new Uint32Array(words.length);
  keys.forEach((unsigned, index) => {
    const key = fromUnsigned(kind, unsigned);
    for (let word = 0; word < size; word++) {
      sorted[size * index + word] = Number((key >> BigInt(32 * word)) & 0xffff_ffffn);
    }
  });
  return { words: sorted, payload: values };
}
