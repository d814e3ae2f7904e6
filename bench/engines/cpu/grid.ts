/** Purpose: the grid of `cellstorm/cpu`, with levels where bodies have radii of their own. */
import { createCpuGrid } from '../../../src/cpu';
import type { CpuEngine } from '../../harness/engine';

/** Cells of a diameter for each body beyond which the box is not made of cells: they would fill the memory. */
const MOST_CELLS_PER_BODY = 64;

export const CPU_GRID: CpuEngine = {
  name: 'cpu-grid',
  backend: 'cpu',
  about:
    'createCpuGrid: counting sort into cells, build and collectPairs; unbounded where the box is mostly empty.',
  open({ dimensions, count, radius, smallestRadius, radii, min, max }) {
    const cells = max.reduce(
      (product, high, axis) => product * ((high - (min[axis] as number)) / (2 * radius)),
      1,
    );
    const world = cells > MOST_CELLS_PER_BODY * count ? { unbounded: true } : { min, max };
    if (radii) {
      const grid = createCpuGrid({
        dimensions,
        ...world,
        radii: { smallest: smallestRadius, largest: radius },
        capacity: count,
      });
      let placed = new Float32Array(0);
      return {
        place(positions) {
          placed = positions as Float32Array<ArrayBuffer>;
        },
        build: () => grid.build(placed, radii),
        query: () => grid.collectPairs(),
        get memoryBytes() {
          return grid.memoryBytes;
        },
      };
    }
    const grid = createCpuGrid({ dimensions, ...world, diameter: 2 * radius, capacity: count });
    let placed = new Float32Array(0);
    return {
      place(positions) {
        placed = positions as Float32Array<ArrayBuffer>;
      },
      build: () => grid.build(placed),
      query: () => grid.collectPairs(),
      get memoryBytes() {
        return grid.memoryBytes;
      },
    };
  },
};
