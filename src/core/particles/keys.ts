/** Kinds of keys that the sorts accept. */

/** Of the two words of a 64-bit key, the low one comes first. */
export type KeyKind = 'u32' | 'i32' | 'f32' | 'u64';
