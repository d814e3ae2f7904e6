/**
 * Hashed grids: counting sort into the buckets of a table, with cells as wide as the largest body. Several cells may
 * share a bucket, so a query compares the cell of each body in a bucket with the cell that it searches. The engines
 * differ in the hash function and in the size of the table.
 */
import type { CpuEngine, Work } from '../../harness/engine';
import type { BenchScene } from '../../harness/scenes';
import { HASH_NUMBERS, type HashName, hashCell } from './hash-functions';
import { SortedBodies } from './sorted-bodies';

/** The largest prime below 100,000. */
export const FIXED_BUCKETS = 99_991;

interface TableKind {
  readonly hash: HashName;
  /** If undefined, the lowest power of two above twice the number of bodies. */
  readonly buckets?: number;
}

type Cell = [x: number, y: number, z: number];

function table(name: string, about: string, kind: TableKind, byDefault?: false): CpuEngine {
  return {
    name,
    backend: 'cpu',
    byDefault,
    about,
    open(scene) {
      const table = new HashTable(scene, kind);
      return {
        place: (positions) => table.bodies.place(positions),
        build: () => table.build(),
        query: () => table.query(),
        countWork: () => table.countWork(),
        memoryBytes: table.memoryBytes,
      };
    },
  };
}

export const CPU_TESCHNER = table(
  'cpu-teschner',
  "Teschner's hash (2003) with its three constants and a table of 99,991 buckets, however many bodies there are.",
  { hash: 'teschner', buckets: FIXED_BUCKETS },
);

const SIZED = 'in a table with two to four buckets per body.';

export const CPU_HASHES: readonly CpuEngine[] = [
  table('cpu-hash-teschner', `Teschner's hash ${SIZED}`, { hash: 'teschner' }, false),
  table('cpu-hash-mix', `A hash that mixes all bits, ${SIZED}`, { hash: 'mix' }, false),
  table('cpu-hash-morton', `The low bits of the Morton code as a hash, ${SIZED}`, { hash: 'morton' }, false),
];

export function bucketsFor(count: number): number {
  return 2 ** Math.ceil(Math.log2(2 * count + 2));
}

class HashTable {
  readonly bodies: SortedBodies;
  private readonly inverse: number;
  private readonly hash: number;
  private readonly buckets: number;
  private readonly isPower: boolean;
  private readonly starts: Uint32Array;
  private readonly bucketOfBody: Uint32Array;
  /** The cell of each slot: three coordinates. */
  private readonly cells: Int32Array;
  /** Scratch: the result of `findCell`. */
  private readonly cell = new Int32Array(3);

  constructor(
    private readonly scene: BenchScene,
    { hash, buckets = bucketsFor(scene.count) }: TableKind,
  ) {
    this.bodies = new SortedBodies(scene);
    this.inverse = 1 / (2 * scene.radius);
    this.hash = HASH_NUMBERS[hash];
    this.buckets = buckets;
    this.isPower = Number.isInteger(Math.log2(buckets));
    this.starts = new Uint32Array(buckets + 1);
    this.bucketOfBody = new Uint32Array(scene.count);
    this.cells = new Int32Array(3 * scene.count);
  }

  get memoryBytes(): number {
    const { bodies, starts, bucketOfBody, cells } = this;
    return bodies.memoryBytes + starts.byteLength + bucketOfBody.byteLength + cells.byteLength;
  }

  private bucketOf(x: number, y: number, z: number): number {
    const hash = hashCell(this.hash, this.scene.dimensions === 3, x, y, z);
    return this.isPower ? hash & (this.buckets - 1) : hash % this.buckets;
  }

  private findCell(body: number): void {
    const { scene, bodies, inverse, cell } = this;
    const { dimensions } = scene;
    for (let axis = 0; axis < dimensions; axis++) {
      cell[axis] = Math.floor((bodies.positions[body * dimensions + axis] as number) * inverse);
    }
  }

  build(): void {
    const { bodies, starts, bucketOfBody, cells, cell, scene } = this;
    starts.fill(0);
    for (let body = 0; body < scene.count; body++) {
      this.findCell(body);
      const bucket = this.bucketOf(cell[0] as number, cell[1] as number, cell[2] as number);
      bucketOfBody[body] = bucket;
      starts[bucket] = (starts[bucket] as number) + 1;
    }
    let sum = 0;
    for (let bucket = 0; bucket < starts.length; bucket++) {
      sum += starts[bucket] as number;
      starts[bucket] = sum;
    }
    // Each start is now the end of its bucket. Storing the bodies moves it back to the first slot.
    for (let body = scene.count - 1; body >= 0; body--) {
      const bucket = bucketOfBody[body] as number;
      const slot = (starts[bucket] as number) - 1;
      starts[bucket] = slot;
      bodies.store(slot, body);
      this.findCell(body);
      cells[3 * slot] = cell[0] as number;
      cells[3 * slot + 1] = cell[1] as number;
      cells[3 * slot + 2] = cell[2] as number;
    }
  }

  query(): SortedBodies {
    const { bodies, cells, scene } = this;
    const layers = scene.dimensions === 3 ? 1 : 0;
    bodies.clear();
    for (let slot = 0; slot < scene.count; slot++) {
      const x = cells[3 * slot] as number;
      const y = cells[3 * slot + 1] as number;
      const z = cells[3 * slot + 2] as number;
      for (let otherZ = z - layers; otherZ <= z + layers; otherZ++) {
        for (let otherY = y - 1; otherY <= y + 1; otherY++) {
          for (let otherX = x - 1; otherX <= x + 1; otherX++) this.searchCell(slot, otherX, otherY, otherZ);
        }
      }
    }
    return bodies;
  }

  private searchCell(slot: number, x: number, y: number, z: number): void {
    const { bodies, starts, cells } = this;
    const bucket = this.bucketOf(x, y, z);
    const begin = starts[bucket] as number;
    const end = starts[bucket + 1] as number;
    for (let other = begin > slot ? begin : slot + 1; other < end; other++) {
      if (cells[3 * other] !== x || cells[3 * other + 1] !== y || cells[3 * other + 2] !== z) continue;
      bodies.testSlots(slot, other);
    }
  }

  /**
   * Counts what `query` does: bodies in later slots of a bucket are candidates, and those in the searched cell are
   * tested.
   */
  countWork(): Work {
    const { starts, cells, scene } = this;
    const layers = scene.dimensions === 3 ? [-1, 0, 1] : [0];
    const around = layers.flatMap((z) =>
      [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((x) => [x, y, z] as const)),
    );
    let candidates = 0;
    let tests = 0;
    for (let slot = 0; slot < scene.count; slot++) {
      for (const toCell of around) {
        const [x, y, z] = toCell.map((offset, axis) => (cells[3 * slot + axis] as number) + offset) as Cell;
        const bucket = this.bucketOf(x, y, z);
        const end = starts[bucket + 1] as number;
        for (let other = Math.max(starts[bucket] as number, slot + 1); other < end; other++) {
          candidates++;
          if (cells[3 * other] === x && cells[3 * other + 1] === y && cells[3 * other + 2] === z) tests++;
        }
      }
    }
    return { candidates, tests, counted: 'loop' };
  }
}
