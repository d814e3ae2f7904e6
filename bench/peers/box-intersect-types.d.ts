/** The part of box-intersect that the benchmark uses; the package has no types. */
declare module 'box-intersect' {
  /**
   * Visits every pair of boxes that intersect, borders included, once. Ends if `visit` returns anything but undefined.
   */
  export default function boxIntersect(
    boxes: readonly (readonly number[])[],
    visit: (a: number, b: number) => void,
  ): unknown;
}
