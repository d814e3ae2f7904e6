/**
 * Chooses a corner of a cell for the cell's number. Takes the first corner that no particle covers, starting at the
 * upper left. If particles cover all corners, takes the corner whose nearest particle is farthest.
 */

/**
 * The corners of a cell of size 1, with y down. `x` is the start or the end (`anchor`) of the text, `y` its baseline;
 * `middle` is the middle of the text.
 */
const CORNERS = [
  { x: 0.06, y: 0.22, anchor: 'start', middle: [0.17, 0.15] },
  { x: 0.94, y: 0.22, anchor: 'end', middle: [0.83, 0.15] },
  { x: 0.06, y: 0.93, anchor: 'start', middle: [0.17, 0.86] },
  { x: 0.94, y: 0.93, anchor: 'end', middle: [0.83, 0.86] },
] as const;
/** A particle does not cover a text if their middles are farther apart than this. */
const FREE_DISTANCE = 0.48;

/** Returns the attributes of the text in this cell. `middles` are the middles of all particles, in units of a cell. */
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
