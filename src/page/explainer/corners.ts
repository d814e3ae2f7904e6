/**
 * Chooses a corner for a cell's number: the first that is free, otherwise the one with the widest gap to its nearest
 * particle.
 */

/** Corners of a cell of size 1, y down. (`x`, `y`) is an end of the text's baseline, `middle` the text's middle. */
const CORNERS = [
  { x: 0.06, y: 0.22, anchor: 'start', middle: [0.17, 0.15] },
  { x: 0.94, y: 0.22, anchor: 'end', middle: [0.83, 0.15] },
  { x: 0.06, y: 0.93, anchor: 'start', middle: [0.17, 0.86] },
  { x: 0.94, y: 0.93, anchor: 'end', middle: [0.83, 0.86] },
] as const;
/** A text and a particle do not overlap if their middles are farther apart than this, in cells. */
const FREE_DISTANCE = 0.48;

/** Returns where to write a cell's number. `middles`: the middles of all particles, in cells. */
export function freeCorner(
  column: number,
  row: number,
  middles: readonly (readonly number[])[],
): { readonly x: number; readonly y: number; readonly 'text-anchor': 'start' | 'end' } {
  const distances = CORNERS.map(({ middle: [across, down] }) =>
    Math.min(...middles.map(([x = 0, y = 0]) => Math.hypot(x - column - across, y - row - down))),
  );
  const free = distances.findIndex((distance) => distance > FREE_DISTANCE);
  const chosen = free >= 0 ? free : distances.indexOf(Math.max(...distances));
  const { x, y, anchor } = CORNERS[chosen] ?? CORNERS[0];
  return { x: column + x, y: row + y, 'text-anchor': anchor };
}
