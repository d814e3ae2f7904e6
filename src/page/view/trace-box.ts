interface Point {
  readonly x: number;
  readonly y: number;
}

/** Adds the edges of a box to the path. Leaves out edges with an end that has no position on the screen. */
export function traceBox(
  context: CanvasRenderingContext2D,
  { min, max }: { readonly min: readonly number[]; readonly max: readonly number[] },
  toScreen: (corner: number[]) => Point | undefined,
): void {
  const corners = Array.from({ length: 2 ** min.length }, (_, bits) =>
    toScreen(min.map((low, axis) => (bits & (1 << axis) ? (max[axis] as number) : low))),
  );
  corners.forEach((from, bits) => {
    for (let axis = 0; axis < min.length; axis++) {
      const to = corners[bits | (1 << axis)];
      if (bits & (1 << axis) || !from || !to) continue;
      context.moveTo(from.x, from.y);
      context.lineTo(to.x, to.y);
    }
  });
}
