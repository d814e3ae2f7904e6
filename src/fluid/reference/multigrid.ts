/**
 * Purpose: one V-cycle of multigrid, a symmetric and positive preconditioner. Twin of shaders/fluid/coarsen.wgsl, smooth.wgsl,
 * restrict.wgsl and prolong.wgsl. Coarser equations are sums of finer ones (unsmoothed aggregation), halved: a constant in a cell
 * twice as wide is half as smooth as it should be, so its differences count twice as much. That needs nothing but couplings, so
 * solids, surfaces and obstacles of any form come out right on every level.
 * Smoother: Gauss–Seidel over red, then black cells; on the way up black, then red, so that the cycle is symmetric.
 */
import { eachCell, eachFace, type Level, type Levels } from '../lattice';

/** Rounds of smoothing before and after each coarser level. */
export const SMOOTHINGS = 2;
/** Rounds on the coarsest level, each there and back: a few cells. */
export const COARSEST_ROUNDS = 3;

/** Arrays over all levels; those of the first level are what assemble() fills. */
export interface Hierarchy {
  readonly levels: Levels;
  /** For each axis over all levels. */
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

/** Fills the coarser levels from the finest. */
export function coarsen({ levels: { levels, size }, coupling, diagonal }: Hierarchy): void {
  for (let index = 1; index < levels.length; index++) {
    const fine = levels[index - 1] as Level;
    const coarse = levels[index] as Level;
    diagonal.fill(0, coarse.offset, coarse.offset + coarse.size);
    const parent = parentOf(fine, coarse);
    eachCell(fine, (cell, x, y, z) => {
      const above = parent(x, y, z);
      diagonal[above] = (diagonal[above] as number) + (diagonal[fine.offset + cell] as number) / 2;
    });
    for (let axis = 0; axis < fine.dimensions; axis++) {
      coupling.fill(0, axis * size + coarse.offset, axis * size + coarse.offset + coarse.size);
      const stride = fine.strides[axis] as number;
      eachFace(fine, axis, (face, x, y, z) => {
        const entry = fine.offset + face;
        const value = coupling[axis * size + entry] as number;
        // A coupling with air is part of the diagonal only.
        if (value === 0 || diagonal[entry] === 0 || diagonal[entry - stride] === 0) return;
        const above = parent(x, y, z);
        if ((axis === 0 ? x : axis === 1 ? y : z) % 2 === 1) {
          // Within a coarse cell: out of the sum, once for either side.
          diagonal[above] = (diagonal[above] as number) - value;
        } else {
          coupling[axis * size + above] = (coupling[axis * size + above] as number) + value / 2;
        }
      });
    }
    // What is left of a cell whose couplings are all within it is rounding.
    eachCell(coarse, (cell) => {
      if ((diagonal[coarse.offset + cell] as number) < LEAST_DIAGONAL) diagonal[coarse.offset + cell] = 0;
    });
  }
}

/** Couplings are at least a half on the second level and add up from there, so that less than this is rounding. */
export const LEAST_DIAGONAL = 1e-3;

function parentOf(fine: Level, coarse: Level): (x: number, y: number, z: number) => number {
  const depth = fine.dimensions === 3 ? 1 : 0;
  return (x, y, z) =>
    coarse.offset +
    coarse.first +
    (x >> 1) +
    coarse.extents[0] * ((y >> 1) + coarse.extents[1] * (depth ? z >> 1 : 0));
}

/** What the equations of a cell leave over. */
export function residualAt(
  { levels, coupling, diagonal, right, solution }: Hierarchy,
  level: Level,
  entry: number,
): number {
  return (
    (right[entry] as number) -
    (diagonal[entry] as number) * (solution[entry] as number) +
    pulled(levels.size, coupling, solution, level, entry)
  );
}

function pulled(
  size: number,
  coupling: Float64Array,
  solution: Float64Array,
  { dimensions, strides }: Level,
  entry: number,
): number {
  let sum = 0;
  for (let axis = 0; axis < dimensions; axis++) {
    const stride = strides[axis] as number;
    const face = axis * size + entry;
    sum +=
      (coupling[face] as number) * (solution[entry - stride] as number) +
      (coupling[face + stride] as number) * (solution[entry + stride] as number);
  }
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
          ((right[entry] as number) + pulled(levels.size, coupling, solution, level, entry)) / weight;
      }
    }
  }
}

/** From `right` of the finest level to `solution` of it. */
export function cycle(hierarchy: Hierarchy, index = 0): void {
  const { levels, right, solution, diagonal } = hierarchy;
  const level = levels.levels[index] as Level;
  solution.fill(0, level.offset, level.offset + level.size);
  const coarse = levels.levels[index + 1];
  const rounds = coarse ? SMOOTHINGS : COARSEST_ROUNDS;
  for (let round = 0; round < rounds; round++) for (const colour of [0, 1]) smooth(hierarchy, level, colour);
  if (coarse) {
    const parent = parentOf(level, coarse);
    right.fill(0, coarse.offset, coarse.offset + coarse.size);
    eachCell(level, (cell, x, y, z) => {
      const entry = level.offset + cell;
      if (diagonal[entry] === 0) return;
      const above = parent(x, y, z);
      right[above] = (right[above] as number) + residualAt(hierarchy, level, entry);
    });
    cycle(hierarchy, index + 1);
    eachCell(level, (cell, x, y, z) => {
      const entry = level.offset + cell;
      if (diagonal[entry] !== 0)
        solution[entry] = (solution[entry] as number) + (solution[parent(x, y, z)] as number);
    });
  }
  for (let round = 0; round < rounds; round++) for (const colour of [1, 0]) smooth(hierarchy, level, colour);
}
