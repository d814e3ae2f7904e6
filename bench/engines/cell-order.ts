/** Numbers the cells of a plain grid in row order or in Morton order, for engines on the CPU and on the GPU. */
import type { Work } from '../harness/engine';
import type { BenchScene } from '../harness/scenes';

/** If a box would have more cells per body than this, and more than FEW_CELLS, its cells become larger. */
const MOST_CELLS_PER_BODY = 16;
const FEW_CELLS = 2 ** 16;
/**
 * The most cells. In Morton order, a cell's number can be up to eight times the number of cells, and must fit 32 bits.
 */
const MANY_CELLS = 2 ** 28;
/**
 * Makes cells a little wider, because 32-bit floats round coordinates: the cells of two overlapping bodies must be
 * adjacent or the same. The error, in cells, grows with the number of cells along an axis.
 */
const MARGIN = 2 ** -21;

export interface CellLayout {
  readonly cellSize: number;
  /** Per axis: the number that each coordinate of a cell adds to the cell's number. */
  readonly tables: readonly Uint32Array[];
  /** One more than the greatest number of a cell. Morton order leaves some numbers unused. */
  readonly cells: number;
}

export function layOutCells(
  { dimensions, count, radius, min, max }: BenchScene,
  morton: boolean,
): CellLayout {
  const edges = max.map((high, axis) => high - (min[axis] as number));
  const most = Math.min(MANY_CELLS, Math.max(FEW_CELLS, MOST_CELLS_PER_BODY * count));
  let cellSize = 2 * radius;
  // Multiplies by the inverse, as the engines do: a quotient could be rounded to the other side of a whole number.
  const sidesOf = () => edges.map((edge) => Math.floor(edge * (1 / cellSize)) + 1);
  const volume = () => sidesOf().reduce((product, side) => product * side, 1);
  while (volume() > most) cellSize *= 2 ** (1 / dimensions);
  cellSize *= 1 + MARGIN * Math.max(...sidesOf());
  const sides = sidesOf();
  const tables = sides.map((side) => new Uint32Array(side));
  if (morton) fillMorton(tables);
  else {
    let step = 1;
    for (const table of tables) {
      for (let cell = 0; cell < table.length; cell++) table[cell] = cell * step;
      step *= table.length;
    }
  }
  const cells = 1 + tables.reduce((sum, table) => sum + (table.at(-1) as number), 0);
  return { cellSize, tables, cells };
}

/** Interleaves the bits of coordinates. Short axes run out of bits first, so that a long box has few unused numbers. */
function fillMorton(tables: readonly Uint32Array[]): void {
  let place = 0;
  for (let bit = 0; tables.some((table) => table.length > 2 ** bit); bit++) {
    for (const table of tables) {
      if (table.length <= 2 ** bit) continue;
      for (let cell = 0; cell < table.length; cell++) {
        table[cell] = (table[cell] as number) + ((cell >>> bit) & 1) * 2 ** place;
      }
      place++;
    }
  }
}

/**
 * Counts the pairs of bodies in the same or in adjacent cells. A search tests each of these pairs once, whatever the
 * order of cells. Pass Math.fround as `round` if the engine computes in 32-bit floats.
 */
export function workOfCells(
  scene: BenchScene,
  positions: Float32Array,
  round: (value: number) => number = Number,
): Work {
  const { dimensions, count, min } = scene;
  const { cellSize, tables, cells } = layOutCells(scene, false);
  const inverse = round(1 / cellSize);
  const coordinates = Uint32Array.from({ length: dimensions * count }, (_, word) => {
    const axis = word % dimensions;
    const offset = round((positions[word] as number) - round(min[axis] as number));
    return Math.min((tables[axis] as Uint32Array).length - 1, Math.floor(round(offset * inverse)));
  });
  const sizes = new Uint32Array(cells);
  const visit = (body: number, reach: number, act: (cell: number) => void, axis = 0, before = 0): void => {
    if (axis === dimensions) {
      act(before);
      return;
    }
    const table = tables[axis] as Uint32Array;
    const own = coordinates[dimensions * body + axis] as number;
    const last = Math.min(table.length - 1, own + reach);
    for (let cell = Math.max(0, own - reach); cell <= last; cell++) {
      visit(body, reach, act, axis + 1, before + (table[cell] as number));
    }
  };
  const add = (cell: number) => {
    sizes[cell] = (sizes[cell] as number) + 1;
  };
  for (let body = 0; body < count; body++) visit(body, 0, add);
  // Each pair is counted from both bodies, and each body once with itself.
  let around = 0;
  const sum = (cell: number) => {
    around += sizes[cell] as number;
  };
  for (let body = 0; body < count; body++) visit(body, 1, sum);
  const pairs = (around - count) / 2;
  return { candidates: pairs, tests: pairs, counted: 'formula' };
}
