declare module 'box-intersect' {
  /** Visits pairs that intersect or touch. Ends early if `visit` returns anything but undefined. */
  export default function boxIntersect(
    boxes: readonly (readonly number[])[],
    visit: (a: number, b: number) => void,
  ): unknown;
}
