/** Declares the part of box-intersect that the benchmark uses, since the package has no types. */
declare module 'box-intersect' {
  /**
   * Calls `visit` once for every pair of boxes that intersect or touch. Ends early if `visit` returns anything but
   * undefined.
   */
  export default function boxIntersect(
    boxes: readonly (readonly number[])[],
    visit: (a: number, b: number) => void,
  ): unknown;
}
