/** The part of box-intersect that the benchmark uses; the package has no types. */
declare module 'box-intersect' {
  /** Visits each two boxes that intersect, bounds included, once; ends if `visit` returns anything but undefined. */
  export default function boxIntersect(
    boxes: readonly (readonly number[])[],
    visit: (a: number, b: number) => void,
  ): unknown;
}
