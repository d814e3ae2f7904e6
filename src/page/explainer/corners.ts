/** Where the number of a cell is written: in a corner of it that no particle covers, the upper left one if possible. */

/** Of a cell of 1: where the text begins or ends, its baseline, and its middle. */
const CORNERS = [
  { x: 0.06, y: 0.22, anchor: 'start', middle: [0.17, 0.15] },
  { x: 0.94, y: 0.22, anchor: 'end', middle: [0.83, 0.15] },
  { x: 0.06, y: 0.93, anchor: 'start', middle: [0.17, 0.86] },
  { x: 0.94, y: 0.93, anchor: 'end', middle: [0.83, 0.86] },
] as const;
/** From the middle of a text to the middle of a particle that just leaves it free. */
const FREE = 0.48;

/** Attributes of a text in this cell; `places`: the middles of particles, a cell being 1 wide. */
export function freeCorner(
  column: number,
  row: number,
  places: readonly (readonly number[])[],
): { readonly x: number; readonly y: number; readonly 'text-anchor': 'start' | 'end' } {
  const distances = CORNERS.map(({ middle: [across, down] }) =>
    Math.min(...places.map(([x = 0, y = 0]) => Math.hypot(x - column - across, y - row - down))),
  );
  const free = distances.findIndex((distance) => distance > FREE);
  const chosen = free >= 0 ? free : distances.indexOf(Math.max(...distances));
  const { x, y, anchor } = CORNERS[chosen] ?? CORNERS[0];
  return { x: column + x, y: row + y, 'text-anchor': anchor };
}
