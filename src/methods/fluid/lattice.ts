/**
 * Purpose: the staggered lattice that all stages share: where cells and faces are in their arrays.
 * Inputs: cells along each axis. Outputs: extents, strides and offsets, for one level or for all levels of a multigrid.
 *
 * Every array over a lattice has one entry for each cell and for one layer more at the upper end of each axis, whose cells
 * are solid and whose lower faces are the upper walls. Face `axis` of entry n lies between the cells n − stride and n. Ahead of
 * the first cell come `first` entries that hold 0, so that n − stride is in the array for every cell; for a cell at the lower
 * end of an axis it is one of the upper layer, solid too. In the plane there is one layer of cells and none above it.
 */
export type Triple = readonly [number, number, number];

export interface Lattice {
  readonly dimensions: 2 | 3;
  readonly cells: Triple;
  /** Cells and the layer above them. */
  readonly extents: Triple;
  /** Entries from a cell to the next along each axis. */
  readonly strides: Triple;
  /** Entry of the first cell. */
  readonly first: number;
  /** Entries of an array over it. */
  readonly size: number;
}

export const AIR = 0;
export const FLUID = 1;
export const SOLID = 2;

export function defineLattice(dimensions: 2 | 3, cells: Triple): Lattice {
  const above = dimensions === 3 ? 1 : 0;
  const extents = [cells[0] + 1, cells[1] + 1, cells[2] + above] as const;
  const strides = [1, extents[0], extents[0] * extents[1]] as const;
  const first = strides[dimensions - 1] as number;
  return { dimensions, cells, extents, strides, first, size: first + extents[0] * extents[1] * extents[2] };
}

/** A level of a multigrid, and where its part of an array over all levels begins. */
export interface Level extends Lattice {
  readonly offset: number;
}

export interface Levels {
  readonly levels: readonly Level[];
  /** Entries of an array over all of them. */
  readonly size: number;
}

/** The coarsest level has at most so many cells along each axis. */
const COARSEST = 4;

/** A lattice and those of cells twice as wide, down to a few cells. */
export function defineLevels(lattice: Lattice): Levels {
  const levels: Level[] = [{ ...lattice, offset: 0 }];
  let size = lattice.size;
  for (let last: Lattice = lattice; Math.max(...last.cells) > COARSEST; ) {
    const half = (count: number) => Math.ceil(count / 2);
    last = defineLattice(lattice.dimensions, [half(last.cells[0]), half(last.cells[1]), half(last.cells[2])]);
    levels.push({ ...last, offset: size });
    size += last.size;
  }
  return { levels, size };
}

/**
 * Calls `visit` with the entries of each row of faces across an axis, those of both walls included, or with axis −1 of cells:
 * from `row` to before `end`. What is done for every entry in every substep loops over rows: to be called for each takes
 * longer than most of what there is to do.
 */
export function eachRow(
  { cells, extents, first }: Lattice,
  axis: number,
  visit: (row: number, end: number, y: number, z: number) => void,
): void {
  const countX = cells[0] + (axis === 0 ? 1 : 0);
  const countY = cells[1] + (axis === 1 ? 1 : 0);
  const countZ = cells[2] + (axis === 2 ? 1 : 0);
  for (let z = 0; z < countZ; z++) {
    for (let y = 0; y < countY; y++) {
      const row = first + extents[0] * (y + extents[1] * z);
      visit(row, row + countX, y, z);
    }
  }
}

/** Calls `visit` with each cell's entry and coordinates, x fastest. */
export function eachCell(
  lattice: Lattice,
  visit: (entry: number, x: number, y: number, z: number) => void,
): void {
  eachFace(lattice, -1, visit);
}

/** Calls `visit` with the entry of each face across an axis, those of both walls included. */
export function eachFace(
  lattice: Lattice,
  axis: number,
  visit: (entry: number, x: number, y: number, z: number) => void,
): void {
  eachRow(lattice, axis, (row, end, y, z) => {
    for (let entry = row; entry < end; entry++) visit(entry, entry - row, y, z);
  });
}

export function entryAt({ extents, first }: Lattice, x: number, y: number, z: number): number {
  return first + x + extents[0] * (y + extents[1] * z);
}
