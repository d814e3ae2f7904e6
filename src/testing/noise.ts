/** Repeatable random inputs for tests and benchmarks: the same seed gives the same numbers in every run. */

/** Returns a generator of random numbers between 0 and 1 with 32 random bits. */
export function createNoise(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}

/**
 * Returns `count` random vectors in the box with these corners, packed. Along each axis, the box is first extended at
 * both ends by `beyond` times its length.
 */
export function scatterIn(
  noise: () => number,
  low: readonly number[],
  high: readonly number[],
  count: number,
  beyond = 0,
): Float32Array {
  const dimensions = low.length;
  return Float32Array.from({ length: count * dimensions }, (_, index) => {
    const least = low[index % dimensions] as number;
    const span = (high[index % dimensions] as number) - least;
    return least + span * ((1 + 2 * beyond) * noise() - beyond);
  });
}
