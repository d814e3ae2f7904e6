/**
 * Purpose: the cells of a world as the CPU engine's loops want them. A key is the cell number of
 * core/cells.ts; the empty ring around the box puts every neighbour at a fixed distance from it, so that the
 * loops know nothing about borders.
 */
import { LimitError } from '../core/errors';
import type { Dimensions, World } from '../core/world';

/** Key of slots that hold no particle of the grid: greater than any cell's, so it ends every loop. */
export const NO_CELL = 0x7fff_ffff;

export interface Lattice {
  readonly dimensions: Dimensions;
  readonly originX: number;
  readonly originY: number;
  readonly originZ: number;
  readonly inverseCellSize: number;
  /** Cells along each axis, ring included; 1 along z in the plane. */
  readonly columns: number;
  readonly cellsY: number;
  readonly cellsZ: number;
  /** Rows of cells: a key is row · rowStride + column. */
  readonly rows: number;
  /** From a cell to the one above it (y + 1). */
  readonly rowStride: number;
  /** From a cell to the one behind it (z + 1). */
  readonly layerStride: number;
}

export function defineLattice(world: World): Lattice {
  const [columns, cellsY, cellsZ = 1] = world.cells as [number, number, number?];
  const [originX, originY, originZ = 0] = world.min as [number, number, number?];
  return {
    dimensions: world.dimensions,
    originX,
    originY,
    originZ,
    inverseCellSize: world.inverseCellSize,
    columns,
    cellsY,
    cellsZ,
    rows: cellsY * cellsZ,
    rowStride: columns,
    layerStride: columns * cellsY,
  };
}

/** Makes what reserves memory for `capacity` particles, or says that it is too much. */
export function reserve<Owner>(world: World, capacity: number, make: () => Owner): Owner {
  try {
    return make();
  } catch (error) {
    // What a typed array throws whose length the engine cannot allocate.
    if (!(error instanceof RangeError)) throw error;
    throw new LimitError(
      'memory',
      `${capacity} particles in ${world.cells.join(' × ')} cells take more memory than this JavaScript engine can allocate: choose a smaller capacity or a larger cellSize.`,
    );
  }
}

/** Whether two cells are the same or touch, corners included. Neither is in the ring. */
export function areAdjacent(lattice: Lattice, key: number, otherKey: number): boolean {
  const { rowStride, layerStride } = lattice;
  // The ring keeps these ranges from reaching around an end of a row or of a layer.
  const layers = Math.round((otherKey - key) / layerStride);
  const inLayer = otherKey - key - layers * layerStride;
  const rows = Math.round(inLayer / rowStride);
  return Math.abs(layers) <= 1 && Math.abs(rows) <= 1 && Math.abs(inLayer - rows * rowStride) <= 1;
}

/** First of `live` ascending keys that is not below `key`. */
export function lowerBound(keys: Int32Array, live: number, key: number): number {
  let low = 0;
  let high = live;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as number) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Without a branch: 0 where the names ascend, else what to add to the first and take from the second. */
export function namesDescent(name: number, otherName: number): number {
  const step = (otherName - name) | 0;
  return step & (step >> 31);
}
