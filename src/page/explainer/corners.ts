/**
 * Chooses where the number of a cell is written: in a corner that no particle covers, the upper left one if possible.
 */

/** The corners of a cell of size 1: where the text begins or ends, its baseline, and the middle of the text. */
const CORNERS = [
  { x: 0.06, y: 0.22, anchor: 'start', middle: [0.17, 0.15] },
  { x: 0.94, y: 0.22, anchor: 'end', middle: [0.83, 0.15] },
  { x: 0.06, y: 0.93, anchor: 'start', middle: [0.17, 0.86] },
  { x: 0.94, y: 0.93, anchor: 'end', middle: [0.83, 0.86] },
] as const;
/** The least distance between the middles of a text and a particle that does not cover it. */
const FREE = 0.48;

/** Returns attributes of a text in this cell. `middles`: the middles of particles, in units of a cell. */
export function freeCorner(
  column: number,
  row: number,
  middles: readonly (readonly number[])[],
): { readonly x: number; readonly y: number; readonly 'text-anchor': 'start' | 'end' } {
  const distances = CORNERS.map(({ middle: [across, down] }) =>
    Math.min(...middles.map(([x = 0, y = 0]) => Math.hypot(x - column - across, y - row - down))),
  );
  const free = distances.findIndex((distance) => distance > FREE);
  const chosen = free >= 0 ? free : distances.indexOf(Math.max(...distances));
  const { x, y, anchor } = CORNERS[chosen] ?? CORNERS[0];
  return { x: column + x, y: row + y, 'text-anchor': anchor };
}
