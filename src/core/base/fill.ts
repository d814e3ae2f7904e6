/**
 * Fills `target` with the converted numbers of `source`, and returns `target`. `Float32Array.from` would first list all
 * numbers in JavaScript's heap, which is too small for 100 million particles.
 */
export function fillFrom<Target extends Float32Array | Int32Array>(
  target: Target,
  source: ArrayLike<number>,
  convert: (value: number, index: number) => number,
): Target {
  for (let index = 0; index < target.length; index++) target[index] = convert(source[index] as number, index);
  return target;
}
