/** Kind of keys that a sort accepts. A 64-bit key has two words, the low one first. */
export type KeyKind = 'u32' | 'i32' | 'f32' | 'u64' | 'i64' | 'f64';

/** How the radix sort reads the bits of a key. */
export const KEYS_UNSIGNED = 0;
export const KEYS_SIGNED = 1;
export const KEYS_FLOAT = 2;

/** Bits per digit of the radix sort. More bits mean fewer rounds, but 2^bits counters per thread. */
export const RADIX_BITS = 4;

/** Consecutive keys per thread of the radix sort. */
export const RADIX_RUN = 64;
