/**
 * One V-cycle of multigrid, a symmetric positive preconditioner. Twin of shaders/fluid/pressure/coarse_cell.wgsl,
 * coarsen.wgsl, coarsen_tail.wgsl, smooth.wgsl, restrict.wgsl, prolong.wgsl, descend.wgsl, ascend.wgsl and tail.wgsl.
 *
 * A coarse equation is the sum of the finer equations in its cell (unsmoothed aggregation). Its left side is halved: a
 * value is constant within a coarse cell, so differences between coarse cells would otherwise count double. Coarse
 * equations depend on couplings only, so solids and surfaces of any shape are right on every level.
 *
 * Smoother: Gauss–Seidel over the red, then the black cells of a chequerboard. After the coarser levels, black comes
 * first, so that the cycle is symmetric.
 */
import { LEAST_DIAGONAL } from '../constants';
import { eachRow, entryAt, type Level, type Levels } from '../lattice';

/** Rounds of smoothing before the coarser levels and again after them. */
export const SMOOTHINGS = 2;
/** Rounds of smoothing on the coarsest level: this many forward (red, then black), then as many backward. */
export const COARSEST_ROUNDS = 3;

/** Arrays over all levels. assemble() fills the first level. */
export interface Hierarchy {
  readonly levels: Levels;
  /** One array over all levels per axis, x first. */
  readonly coupling: Float64Array;
  readonly diagonal: Float64Array;
  readonly right: Float64Array;
  readonly solution: Float64Array;
}

export function createHierarchy(levels: Levels): Hierarchy {
  const { size } = levels;
  const { dimensions } = levels.levels[0] as Level;
  return {
    levels,
    coupling: new Float64Array(dimensions * size),
    diagonal: new Float64Array(size),
    right: new Float64Array(size),
    solution: new Float64Array(size),
  };
}

export function coarsen({ levels: { levels, size }, coupling, diagonal }: Hierarchy): void {
  for (let index = 1; index < levels.length; index++) {
    const fine = levels[index - 1] as Level;
    const coarse = levels[index] as Level;
    diagonal.fill(0, coarse.offset, coarse.offset + coarse.size);
    eachRow(fine, -1, (row, end, y, z) => {
      const parents = parentRow(coarse, y, z);
      for (let cell = row; cell < end; cell++) {
        const above = parents + ((cell - row) >> 1);
        diagonal[above] = (diagonal[above] as number) + (diagonal[fine.offset + cell] as number) / 2;
      }
    });
    for (let axis = 0; axis < fine.dimensions; axis++) {
      coupling.fill(0, axis * size + coarse.offset, axis * size + coarse.offset + coarse.size);
      const stride = fine.strides[axis] as number;
      eachRow(fine, axis, (row, end, y, z) => {
        const parents = parentRow(coarse, y, z);
        for (let face = row; face < end; face++) {
          const entry = fine.offset + face;
          const value = coupling[axis * size + entry] as number;
          // A coupling between a fluid cell and air is part of the diagonal only.
          if (value === 0 || diagonal[entry] === 0 || diagonal[entry - stride] === 0) continue;
          const x = face - row;
          const above = parents + (x >> 1);
          if ((axis === 0 ? x : axis === 1 ? y : z) & 1) {
            // The coupling joins two finer cells of one coarse cell. Each of them added half of it to the diagonal.
            diagonal[above] = (diagonal[above] as number) - value;
          } else {
            coupling[axis * size + above] = (coupling[axis * size + above] as number) + value / 2;
          }
        }
      });
    }
    // If all couplings of the finer cells lie inside the coarse cell, the coarse cell's diagonal holds only rounding
    // errors.
    for (let cell = coarse.offset; cell < coarse.offset + coarse.size; cell++)
      if ((diagonal[cell] as number) < LEAST_DIAGONAL) diagonal[cell] = 0;
  }
}

/**
 * Returns the index of the first cell of the coarse row that contains the finer row at `y` and `z`. The index is for
 * arrays over all levels.
 */
function parentRow(coarse: Level, y: number, z: number): number {
  return coarse.offset + entryAt(coarse, 0, y >> 1, z >> 1);
}

/** Sums coupling · solution over the neighbours of a cell. `size`: length of `coupling` per axis. */
function neighbourSum(
  coupling: Float64Array,
  size: number,
  solution: Float64Array,
  { dimensions, strides }: Level,
  entry: number,
): number {
  const row = strides[1];
  const plane = strides[2];
  let sum = 0;
  sum +=
    (coupling[entry] as number) * (solution[entry - 1] as number) +
    (coupling[entry + 1] as number) * (solution[entry + 1] as number);
  const up = size + entry;
  sum +=
    (coupling[up] as number) * (solution[entry - row] as number) +
    (coupling[up + row] as number) * (solution[entry + row] as number);
  if (dimensions === 2) return sum;
  const back = size + up;
  sum +=
    (coupling[back] as number) * (solution[entry - plane] as number) +
    (coupling[back + plane] as number) * (solution[entry + plane] as number);
  return sum;
}

function smooth(hierarchy: Hierarchy, level: Level, colour: number): void {
  const { levels, coupling, diagonal, right, solution } = hierarchy;
  const { cells, extents, first, offset } = level;
  for (let z = 0; z < cells[2]; z++) {
    for (let y = 0; y < cells[1]; y++) {
      const row = offset + first + extents[0] * (y + extents[1] * z);
      for (let x = (y + z + colour) & 1; x < cells[0]; x += 2) {
        const entry = row + x;
        const weight = diagonal[entry] as number;
        if (weight === 0) continue;
        solution[entry] =
          ((right[entry] as number) + neighbourSum(coupling, levels.size, solution, level, entry)) / weight;
      }
    }
  }
}

function restrict(hierarchy: Hierarchy, level: Level, coarse: Level): void {
  const { levels, coupling, diagonal, right, solution } = hierarchy;
  right.fill(0, coarse.offset, coarse.offset + coarse.size);
  eachRow(level, -1, (row, end, y, z) => {
    const parents = parentRow(coarse, y, z);
    for (let cell = row; cell < end; cell++) {
      const entry = level.offset + cell;
      const weight = diagonal[entry] as number;
      if (weight === 0) continue;
      const left =
        (right[entry] as number) -
        weight * (solution[entry] as number) +
        neighbourSum(coupling, levels.size, solution, level, entry);
      const above = parents + ((cell - row) >> 1);
      right[above] = (right[above] as number) + left;
    }
  });
}

function prolong({ diagonal, solution }: Hierarchy, level: Level, coarse: Level): void {
  eachRow(level, -1, (row, end, y, z) => {
    const parents = parentRow(coarse, y, z);
    for (let cell = row; cell < end; cell++) {
      const entry = level.offset + cell;
      if (diagonal[entry] === 0) continue;
      solution[entry] = (solution[entry] as number) + (solution[parents + ((cell - row) >> 1)] as number);
    }
  });
}

export function cycle(hierarchy: Hierarchy, index = 0): void {
  const { levels, solution } = hierarchy;
  const level = levels.levels[index] as Level;
  solution.fill(0, level.offset, level.offset + level.size);
  const coarse = levels.levels[index + 1];
  const rounds = coarse ? SMOOTHINGS : COARSEST_ROUNDS;
  for (let round = 0; round < rounds; round++) for (const colour of [0, 1]) smooth(hierarchy, level, colour);
  if (coarse) {
    restrict(hierarchy, level, coarse);
    cycle(hierarchy, index + 1);
    prolong(hierarchy, level, coarse);
  }
  for (let round = 0; round < rounds; round++) for (const colour of [1, 0]) smooth(hierarchy, level, colour);
}
