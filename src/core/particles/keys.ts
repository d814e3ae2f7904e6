/** Kind of keys that a sort accepts. A 64-bit key has two words, the low one first. */
export type KeyKind = 'u32' | 'i32' | 'f32' | 'u64' | 'i64' | 'f64';
