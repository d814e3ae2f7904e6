/** The part of box-intersect that the benchmark uses; the package has no types. */
declare module 'box-intersect' {
  /** Visits every two boxes that intersect, bounds included, once; anything but undefined from `visit` ends it. */
  export default function boxIntersect(
    boxes: readonly (readonly number[])[],
    visit: (a: number, b: number) => void,
  ): unknown;
}
