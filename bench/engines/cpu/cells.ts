/**
 * A plain grid: counting sort into cells that the largest body fits into, then a search of the cells around each body.
 * The engines number the cells in row order and in Morton order. Both compute a cell's number from one table per axis,
 * so they differ only in memory access.
 */
import type { CpuEngine } from '../../harness/engine';
import type { BenchScene } from '../../harness/scenes';
import { layOutCells, workOfCells } from '../cell-order';
import { SortedBodies } from './sorted-bodies';

function cells(morton: boolean): CpuEngine {
  return {
    name: morton ? 'cpu-morton' : 'cpu-rows',
    backend: 'cpu',
    byDefault: false,
    about: `Plain grid, counting sort into cells in ${morton ? 'Morton' : 'row'} order, with cells at least as wide as the largest body.`,
    open(scene) {
      const grid = new Cells(scene, morton);
      return {
        place: (positions) => grid.bodies.place(positions),
        build: () => grid.build(),
        query: () => grid.query(),
        countWork: (positions) => workOfCells(scene, positions),
        get memoryBytes() {
          return grid.memoryBytes;
        },
      };
    },
  };
}

export const CPU_ROWS = cells(false);
export const CPU_MORTON = cells(true);

class Cells {
  readonly bodies: SortedBodies;
  private readonly inverse: number;
  /** See `CellLayout.tables`. In 2D, the third table is [0]. */
  private readonly tables: readonly [Uint32Array, Uint32Array, Uint32Array];
  private readonly starts: Uint32Array;
  private readonly cellOfBody: Uint32Array;

  constructor(
    private readonly scene: BenchScene,
    morton: boolean,
  ) {
    const { cellSize, tables, cells: count } = layOutCells(scene, morton);
    this.bodies = new SortedBodies(scene);
    this.inverse = 1 / cellSize;
    const [first, second, third = new Uint32Array(1)] = tables as [Uint32Array, Uint32Array, Uint32Array?];
    this.tables = [first, second, third];
    this.starts = new Uint32Array(count + 1);
    this.cellOfBody = new Uint32Array(scene.count);
  }

  get memoryBytes(): number {
    const { bodies, starts, cellOfBody, tables } = this;
    return [starts, cellOfBody, ...tables].reduce(
      (sum, { byteLength }) => sum + byteLength,
      bodies.memoryBytes,
    );
  }

  private coordinateOf(position: number, axis: number): number {
    return Math.floor((position - (this.scene.min[axis] as number)) * this.inverse);
  }

  build(): void {
    const { bodies, starts, cellOfBody, scene, tables } = this;
    const { count, dimensions } = scene;
    const { positions } = bodies;
    const [alongX, alongY, alongZ] = tables;
    starts.fill(0);
    for (let body = 0; body < count; body++) {
      const from = body * dimensions;
      const x = this.coordinateOf(positions[from] as number, 0);
      const y = this.coordinateOf(positions[from + 1] as number, 1);
      const z = dimensions === 3 ? this.coordinateOf(positions[from + 2] as number, 2) : 0;
      const cell = (alongX[x] as number) + (alongY[y] as number) + (alongZ[z] as number);
      cellOfBody[body] = cell;
      starts[cell] = (starts[cell] as number) + 1;
    }
    let sum = 0;
    for (let cell = 0; cell < starts.length; cell++) {
      sum += starts[cell] as number;
      starts[cell] = sum;
    }
    // Each start is now the end of its cell. Storing the bodies moves it back to the first slot.
    for (let body = count - 1; body >= 0; body--) {
      const cell = cellOfBody[body] as number;
      const slot = (starts[cell] as number) - 1;
      starts[cell] = slot;
      bodies.store(slot, body);
    }
  }

  query(): SortedBodies {
    const { bodies, starts, tables, scene } = this;
    const [alongX, alongY, alongZ] = tables;
    const is3D = scene.dimensions === 3;
    bodies.clear();
    for (let slot = 0; slot < scene.count; slot++) {
      const x = this.coordinateOf(bodies.centreOf(slot, 0), 0);
      const y = this.coordinateOf(bodies.centreOf(slot, 1), 1);
      const z = is3D ? this.coordinateOf(bodies.centreOf(slot, 2), 2) : 0;
      const lastX = x + 1 < alongX.length ? x + 1 : x;
      const lastY = y + 1 < alongY.length ? y + 1 : y;
      const lastZ = z + 1 < alongZ.length ? z + 1 : z;
      for (let cellZ = z > 0 ? z - 1 : 0; cellZ <= lastZ; cellZ++) {
        for (let cellY = y > 0 ? y - 1 : 0; cellY <= lastY; cellY++) {
          const beforeX = (alongY[cellY] as number) + (alongZ[cellZ] as number);
          for (let cellX = x > 0 ? x - 1 : 0; cellX <= lastX; cellX++) {
            const cell = beforeX + (alongX[cellX] as number);
            const begin = starts[cell] as number;
            const end = starts[cell + 1] as number;
            for (let other = begin > slot ? begin : slot + 1; other < end; other++) {
              bodies.testSlots(slot, other);
            }
          }
        }
      }
    }
    return bodies;
  }
}
