/** Wraps `createCpuGrid` as an engine. If radii vary, the grid has levels. */
import { type CpuGrid, type CpuLevelGrid, createCpuGrid, createCpuLevelGrid } from '../../../src/cpu';
import type { CpuEngine, Work } from '../../harness/engine';

/** A box counts as mostly empty if cells of one diameter would give it more cells per body than this. */
const MOST_CELLS_PER_BODY = 64;
/** The cells per body that a mostly empty box gets if radii are equal. bench/NOTES.md has the times. */
const CELLS_PER_BODY = 16;

export const CPU_GRID: CpuEngine = {
  name: 'cpu-grid',
  backend: 'cpu',
  about:
    'createCpuGrid: counting sort into cells, then collectPairs. In a mostly empty box, cells are larger or, if radii vary, hashed.',
  open({ dimensions, count, radius, smallestRadius, radii, min, max }) {
    const volume = max.reduce((product, high, axis) => product * (high - (min[axis] as number)), 1);
    const diameter = 2 * radius;
    const isEmpty = volume / diameter ** dimensions > MOST_CELLS_PER_BODY * Math.max(1, count);
    if (radii) {
      const grid = createCpuLevelGrid({
        dimensions,
        ...(isEmpty ? { unbounded: true } : { min, max }),
        radii: { smallest: smallestRadius, largest: radius },
        capacity: count,
      });
      let current = new Float32Array(0);
      return {
        place(positions) {
          current = positions as Float32Array<ArrayBuffer>;
        },
        build: () => grid.build(current, radii),
        query: () => grid.collectPairs(),
        countWork: () => workOf(grid),
        get memoryBytes() {
          return grid.memoryBytes;
        },
      };
    }
    const grid = createCpuGrid({
      dimensions,
      min,
      max,
      cellSize: isEmpty ? (volume / (CELLS_PER_BODY * Math.max(1, count))) ** (1 / dimensions) : diameter,
      diameter,
      capacity: count,
    });
    let current = new Float32Array(0);
    return {
      place(positions) {
        current = positions as Float32Array<ArrayBuffer>;
      },
      build: () => grid.build(current),
      query: () => grid.collectPairs(),
      countWork: () => workOf(grid),
      get memoryBytes() {
        return grid.memoryBytes;
      },
    };
  },
};

/**
 * Every candidate is tested. The query also tests some pairs that are not in adjacent cells, because skipping them
 * would need a branch. Those tests are not counted.
 */
function workOf(grid: CpuGrid | CpuLevelGrid): Work {
  const candidates = grid.countCandidates();
  return { candidates, tests: candidates, counted: 'formula' };
}
