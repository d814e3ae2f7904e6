/**
 * Finds the obstacles that a particle overlaps, if all bodies have one radius.
 * Guarantee: overlaps are decided exactly on the 32-bit coordinates. Ordering: by rows of cells, in each cell by slot.
 */

import { NO_OBSTACLES, wrapObstacles } from '../../core/obstacles/obstacles';
import type { StaticBodies } from '../../core/obstacles/tree';
import { cellCoordinate, latticeCoordinate } from '../../core/world/cells';
import { visitInBox } from '../equal/box';
import { visitCells } from '../equal/hashed';
import { CellOrder } from '../equal/order';
import type { ParticleState } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import { floatsIn, type Memory, OWN_MEMORY, wordsIn } from '../shared/memory';
import { minimumDistance, overlapsWrapped, wrappedBand } from '../shared/overlap';
import { WIDER } from './neighbours';
import { type ObstacleSearch, Overlaps } from './obstacle-search';

export class EqualObstacles implements ObstacleSearch {
  bodies: StaticBodies = NO_OBSTACLES;
  private readonly order: CellOrder;
  /** Positions in canonical order, as floats and as words. */
  private readonly positions: Float32Array;
  private readonly words: Uint32Array;
  /** In a bounded or periodic world, the first slot of each key, then the end. */
  private readonly starts: Uint32Array;
  private readonly overlaps = new Overlaps();
  private slot = 0;
  private moved: Float32Array = new Float32Array(0);
  private readonly position = new Float64Array(3);
  /** Scratch for the exact test. */
  private readonly pair: Float32Array;
  private readonly near: readonly [Int32Array, Int32Array, Int32Array];
  private readonly lowest: number[];
  private readonly highest: number[];
  private readonly band: number;

  constructor(
    private readonly lattice: Lattice,
    private readonly diameter: number,
    capacity: number,
    memory: Memory = OWN_MEMORY,
  ) {
    const { dimensions, world, rows, rowStride } = lattice;
    this.order = new CellOrder(lattice, capacity, memory);
    this.positions = floatsIn(memory, dimensions * capacity);
    this.words = new Uint32Array(this.positions.buffer);
    this.starts = wordsIn(memory, world.kind === 'unbounded' ? 0 : rows * rowStride + 1);
    this.pair = new Float32Array(2 * dimensions);
    this.near = [new Int32Array(3), new Int32Array(3), new Int32Array(3)];
    this.lowest = new Array<number>(dimensions).fill(0);
    this.highest = new Array<number>(dimensions).fill(0);
    this.band = wrappedBand(diameter, lattice.longestPeriod);
  }

  get memoryBytes(): number {
    const { order, positions, starts } = this;
    return order.memoryBytes + positions.byteLength + starts.byteLength;
  }

  visitInBox(low: readonly number[], high: readonly number[], visit: (obstacle: number) => void): void {
    const margin = (WIDER * this.diameter) / 2;
    visitInBox(
      this.order,
      this.positions,
      low.map((along) => along - margin),
      high.map((along) => along + margin),
      visit,
    );
  }

  load(given: StaticBodies): void {
    const { order, lattice, starts } = this;
    const { dimensions, world } = lattice;
    const wrapped = wrapObstacles(world, given).positions;
    const count = wrapped.length / dimensions;
    order.sort(wrapped, new Uint32Array(wrapped.buffer), count, this.words);
    let key = 0;
    for (let slot = 0; slot < order.activeCount; slot++) {
      const own = order.keys[slot] as number;
      while (key <= own && key < starts.length) starts[key++] = slot;
    }
    starts.fill(order.activeCount, key);
    this.adopt(count, order.activeCount);
  }

  /** The number of obstacles whose position is finite. */
  get activeCount(): number {
    return this.order.activeCount;
  }

  /** Takes over what another thread has loaded into the same memory. */
  adopt(count: number, activeCount: number): void {
    this.order.activeCount = activeCount;
    this.bodies = { positions: this.positions.subarray(0, this.lattice.dimensions * count) };
  }

  find({ positions }: ParticleState, slot: number): Overlaps {
    const { overlaps, position } = this;
    const { dimensions, world } = this.lattice;
    overlaps.count = 0;
    this.slot = slot;
    this.moved = positions;
    for (let axis = 0; axis < dimensions; axis++)
      position[axis] = positions[dimensions * slot + axis] as number;
    if (world.kind === 'unbounded') this.findHashed();
    else this.findInCells();
    return overlaps;
  }

  private findHashed(): void {
    const { lowest, highest, lattice, position } = this;
    const { dimensions, world } = lattice;
    for (let axis = 0; axis < dimensions; axis++) {
      const cell = latticeCoordinate(world, position[axis] as number, axis);
      lowest[axis] = cell - 1;
      highest[axis] = cell + 1;
    }
    visitCells(this.order, lowest, highest, this.test);
  }

  private findInCells(): void {
    const { near, lattice, position } = this;
    const { rowStride, columns: columnCount, cellsY, cellsZ, dimensions, wrapsX, wrapsY, wrapsZ } = lattice;
    const { originX, originY, originZ, inverseCellSize } = lattice;
    const column = cellCoordinate(position[0] as number, originX, inverseCellSize, columnCount);
    const row = cellCoordinate(position[1] as number, originY, inverseCellSize, cellsY);
    const [columns, rows, layers] = near;
    listNear(rows, row, cellsY, wrapsY);
    let layerCount = 1;
    layers[0] = 0;
    if (dimensions === 3) {
      const layer = cellCoordinate(position[2] as number, originZ, inverseCellSize, cellsZ);
      listNear(layers, layer, cellsZ, wrapsZ);
      layerCount = 3;
    }
    const isAtEnd = wrapsX && (column === 1 || column === rowStride - 2);
    if (isAtEnd) listNear(columns, column, rowStride, true);
    for (let z = 0; z < layerCount; z++) {
      for (let y = 0; y < 3; y++) {
        const first = ((layers[z] as number) * cellsY + (rows[y] as number)) * rowStride;
        if (!isAtEnd) {
          this.testKeys(first + column - 1, first + column + 1);
          continue;
        }
        for (let x = 0; x < 3; x++) {
          this.testKeys(first + (columns[x] as number), first + (columns[x] as number));
        }
      }
    }
  }

  private testKeys(firstKey: number, lastKey: number): void {
    const begin = this.starts[firstKey] as number;
    const end = this.starts[lastKey + 1] as number;
    if (begin < end) this.testSlots(begin, end);
  }

  private readonly test = (obstacle: number): void => this.testSlots(obstacle, obstacle + 1);

  private testSlots(begin: number, end: number): void {
    const { position, positions, diameter, lattice, band } = this;
    const { dimensions, periods } = lattice;
    const is3D = dimensions === 3;
    const periodX = periods[0] as number;
    const periodY = periods[1] as number;
    const periodZ = periods[2] as number;
    const x = position[0] as number;
    const y = position[1] as number;
    const z = position[2] as number;
    const limit = diameter * diameter;
    for (let obstacle = begin; obstacle < end; obstacle++) {
      const first = dimensions * obstacle;
      const dx = minimumDistance(x - (positions[first] as number), periodX);
      const dy = minimumDistance(y - (positions[first + 1] as number), periodY);
      const dz = is3D ? minimumDistance(z - (positions[first + 2] as number), periodZ) : 0;
      const excess = dx * dx + dy * dy + dz * dz - limit;
      if (!(excess <= band) || (excess >= -band && !this.overlapsExactly(obstacle))) continue;
      this.overlaps.addBalls(lattice, this.moved, this.slot, positions, obstacle, diameter);
    }
  }

  private overlapsExactly(obstacle: number): boolean {
    const { pair, position, positions, diameter, lattice } = this;
    const { dimensions, periods } = lattice;
    for (let axis = 0; axis < dimensions; axis++) {
      pair[axis] = position[axis] as number;
      pair[dimensions + axis] = positions[dimensions * obstacle + axis] as number;
    }
    return overlapsWrapped(pair, 0, 1, diameter, periods);
  }
}

/** Lists a coordinate and its neighbours, across an end if the axis wraps. */
function listNear(list: Int32Array, coordinate: number, cells: number, wraps: boolean): void {
  list[0] = wraps && coordinate === 1 ? cells - 2 : coordinate - 1;
  list[1] = coordinate;
  list[2] = wraps && coordinate === cells - 2 ? 1 : coordinate + 1;
}
