/** Packs vectors into one array. */
export function packVectors(vectors: readonly (readonly number[])[]): Float32Array {
  return Float32Array.from(vectors.flat());
}
