/**
 * Fills an array with the converted numbers of another one, and returns it. `Float32Array.from` would do the same, but
 * JavaScript's heap, in which it first lists all numbers, is too small for those of 100 million particles.
 */
export function fillFrom<Target extends Float32Array | Int32Array>(
  target: Target,
  source: ArrayLike<number>,
  convert: (value: number, index: number) => number,
): Target {
  for (let index = 0; index < target.length; index++) target[index] = convert(source[index] as number, index);
  return target;
}
