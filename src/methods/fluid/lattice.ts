/**
 * The staggered lattice, which all stages of the fluid use: how cells and faces map to array indices.
 *
 * Arrays have one number per cell. Most arrays over faces hold one such array per axis, x first. At the upper end of
 * each axis, one more layer of cells follows (in 2D not along z). These cells are solid; their lower faces are the
 * upper walls. Along each axis, face n lies between cell n and its lower neighbour, cell n − stride.
 *
 * Before the first cell there are `first` more numbers, so that n − stride is in the array for every cell n. Their kind
 * is SOLID; all other arrays hold 0 there. At the lower end of an axis, n − stride is before the first cell or in an
 * upper layer, so the lower neighbour is solid.
 */

export type Triple = readonly [number, number, number];

/** The lattice, and how cells map to array indices. */
export interface Lattice {
  readonly dimensions: 2 | 3;
  /** Cells along each axis; 1 along z in 2D. */
  readonly cells: Triple;
  /** Cells along each axis, with the upper layer. */
  readonly extents: Triple;
  /** Difference in index between neighbouring cells along each axis. */
  readonly strides: Triple;
  /** Index of the first cell. */
  readonly first: number;
  /** Length of an array over the lattice. */
  readonly size: number;
}

/** SOLID is a cell that is always solid; SOLID + 1 + i is a cell inside obstacle i. */
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

/** A level of a multigrid, at `offset` in arrays over all levels. */
export interface Level extends Lattice {
  readonly offset: number;
}

export interface Levels {
  readonly levels: readonly Level[];
  /** Length of an array over all levels. */
  readonly size: number;
}

/** Greatest number of cells that the coarsest level has along an axis. */
const COARSEST = 4;

/** Returns the lattice and coarser levels, each with cells twice as wide as those of the level before. */
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
 * Calls `visit` with each row (along x) of the faces perpendicular to an axis, both walls included; axis −1 means
 * cells. A row ends before `end`. In hot loops, a call per cell would take longer than the work on the cell.
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

/** Visits all cells; x varies fastest. */
export function eachCell(
  lattice: Lattice,
  visit: (entry: number, x: number, y: number, z: number) => void,
): void {
  eachFace(lattice, -1, visit);
}

/** Visits all faces perpendicular to an axis, both walls included. */
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
