/**
 * The spatial hash of tutorials: a Map from cells to arrays. Keys are numbers, which are faster than the usual strings.
 * Cells are as wide as the largest body, so mixed radii are slow.
 */
import { type CpuEngine, TUTORIAL, type Work } from '../harness/engine';
import { Overlaps } from './overlaps';

export const MAP_HASH: CpuEngine = {
  name: 'map-hash',
  peer: TUTORIAL,
  backend: 'cpu',
  about:
    'The hash of the usual tutorial: a Map of arrays, with cells as wide as the largest body and 9 or 27 lookups per body.',
  open(scene) {
    const { count, dimensions, radius, min, max } = scene;
    const overlaps = new Overlaps(scene);
    const inverse = 1 / (2 * radius);
    const [minX = 0, minY = 0, minZ = 0] = min;
    // Empty cells on each side keep keys distinct.
    const cellsPerAxis = max.map((high, axis) => Math.floor((high - (min[axis] as number)) * inverse) + 3);
    const [columns = 1, rows = 1] = cellsPerAxis;
    const layersAround = dimensions === 3 ? 1 : 0;
    const cells = new Map<number, number[]>();

    function keyOf(body: number): number {
      const { positions } = overlaps;
      const from = body * dimensions;
      const column = Math.floor(((positions[from] as number) - minX) * inverse) + 1;
      const row = Math.floor(((positions[from + 1] as number) - minY) * inverse) + 1;
      const layer = layersAround && Math.floor(((positions[from + 2] as number) - minZ) * inverse) + 1;
      return (layer * rows + row) * columns + column;
    }

    function countWork(): Work {
      let candidates = 0;
      let tests = 0;
      for (const [key, cell] of cells) {
        for (let layer = -layersAround; layer <= layersAround; layer++) {
          for (let row = -1; row <= 1; row++) {
            for (let column = -1; column <= 1; column++) {
              const others = cells.get(key + (layer * rows + row) * columns + column);
              if (!others) continue;
              for (const body of cell) {
                candidates += others === cell ? others.length - 1 : others.length;
                for (const other of others) if (other > body) tests++;
              }
            }
          }
        }
      }
      return { candidates, tests, counted: 'loop' };
    }

    return {
      place: (positions) => overlaps.place(positions),
      build() {
        cells.clear();
        for (let body = 0; body < count; body++) {
          const key = keyOf(body);
          const cell = cells.get(key);
          if (cell) cell.push(body);
          else cells.set(key, [body]);
        }
      },
      query() {
        overlaps.clear();
        for (let body = 0; body < count; body++) {
          const key = keyOf(body);
          for (let layer = -layersAround; layer <= layersAround; layer++) {
            for (let row = -1; row <= 1; row++) {
              for (let column = -1; column <= 1; column++) {
                const cell = cells.get(key + (layer * rows + row) * columns + column);
                if (!cell) continue;
                for (const other of cell) if (other > body) overlaps.testPair(body, other);
              }
            }
          }
        }
        return overlaps;
      },
      countWork,
    };
  },
};
