/** Numbers the cells of a plain grid in row order or in Morton order, for engines on the CPU and on the GPU. */
import type { BenchScene } from '../harness/scenes';

/** With more cells per body than this, cells become larger. */
const MOST_CELLS_PER_BODY = 16;
const FEW_CELLS = 2 ** 16;
/** In Morton order the greatest number may be eight times as large, which 32 bits must hold. */
const MANY_CELLS = 2 ** 28;
/**
 * Cells are wider than the largest body by this share per cell of an axis. So the cells of two overlapping bodies are
 * adjacent, even if 32-bit floats round both coordinates.
 */
const MARGIN = 2 ** -21;

export interface CellLayout {
  readonly cellSize: number;
  /** What each coordinate of a cell adds to the cell's number, per axis. */
  readonly tables: readonly Uint32Array[];
  /** One more than the greatest number. Morton order leaves some numbers unused. */
  readonly cells: number;
}

export function layOutCells(
  { dimensions, count, radius, min, max }: BenchScene,
  morton: boolean,
): CellLayout {
  const edges = max.map((high, axis) => high - (min[axis] as number));
  const most = Math.min(MANY_CELLS, Math.max(FEW_CELLS, MOST_CELLS_PER_BODY * count));
  let cellSize = 2 * radius;
  // Engines multiply too: a quotient could be rounded to the other side of a whole number.
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

/** Interleaves the bits of the axes that still have some, so that a long box has few unused numbers. */
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
