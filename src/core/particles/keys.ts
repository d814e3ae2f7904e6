/** Purpose: kinds of keys that sorts know. */

/** 64-bit keys have their low word first. */
export type KeyKind = 'u32' | 'i32' | 'f32' | 'u64';
