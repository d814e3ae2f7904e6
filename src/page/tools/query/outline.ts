/** Finds the outline of boxes in 3D. The outline shows the visited region more clearly than the edges of all cells. */
export interface VisitedCell {
  readonly min: readonly number[];
  readonly max: readonly number[];
}

export type Edge = readonly [from: readonly number[], to: readonly number[]];

/** Returns the edges at which the surface bends. The boxes must be equal cells of one lattice, or must not touch. */
export function outlineOf(boxes: readonly VisitedCell[]): Edge[] {
  /** Up to four boxes lie around an edge. `places` has a bit set for each of them. */
  const around = new Map<string, { readonly edge: Edge; places: number }>();
  for (const { min, max } of boxes) {
    for (let axis = 0; axis < 3; axis++) {
      const [second, third] = [(axis + 1) % 3, (axis + 2) % 3];
      for (let place = 0; place < 4; place++) {
        const from = [...min];
        from[second] = (place & 1 ? max : min)[second] as number;
        from[third] = (place & 2 ? max : min)[third] as number;
        const key = `${axis},${from.join()}`;
        const to = from.with(axis, max[axis] as number);
        const known = around.get(key) ?? { edge: [from, to], places: 0 };
        known.places |= 1 << place;
        around.set(key, known);
      }
    }
  }
  return [...around.values()].filter(({ places }) => !IS_FLAT.has(places)).map(({ edge }) => edge);
}

/** The values of `places` for edges without a bend: four boxes around the edge, or two side by side. */
const IS_FLAT: ReadonlySet<number> = new Set([0b1111, 0b0011, 0b1100, 0b0101, 0b1010]);
