/**
 * A hashed grid for bodies of many sizes: enters each body's box in every cell that the box touches. Nine in ten boxes
 * are no wider than a cell. Only the cell that contains the low corner of the intersection of two boxes reports their
 * pair.
 */
import type { CpuEngine, Work } from '../../harness/engine';
import type { BenchScene } from '../../harness/scenes';
import { Overlaps } from '../../peers/overlaps';
import { mixHash } from './hash-functions';

const NARROW_SHARE = 0.9;

export const CPU_BOX_CELLS: CpuEngine = {
  name: 'cpu-box-cells',
  backend: 'cpu',
  boxes: true,
  byDefault: false,
  about: 'Hashed grid in which each box is entered in every cell that it touches; typed arrays.',
  open(scene) {
    const cells = new BoxCells(scene);
    return {
      place: (positions) => cells.bodies.place(positions),
      build: () => cells.build(),
      query: () => cells.query(),
      countWork: () => cells.countWork(),
      get memoryBytes() {
        return cells.memoryBytes;
      },
    };
  },
};

class BoxCells {
  readonly bodies: Overlaps;
  private readonly inverse: number;
  private readonly buckets: number;
  private readonly starts: Uint32Array;
  private entries = new Uint32Array(0);
  /** The cell of each entry: three coordinates. */
  private cells = new Int32Array(0);
  private total = 0;
  /** Scratch: the lowest cell of a body, then the highest one, three coordinates each. */
  private readonly range = new Int32Array(6);

  constructor(private readonly scene: BenchScene) {
    const { dimensions, count } = scene;
    this.bodies = new Overlaps(scene);
    const edges = Float32Array.from({ length: count }, (_, body) => {
      let longest = 0;
      for (let axis = 0; axis < dimensions; axis++) {
        longest = Math.max(longest, 2 * this.bodies.extentOf(body, axis));
      }
      return longest;
    }).sort();
    this.inverse = 1 / (edges[Math.floor(NARROW_SHARE * count)] ?? 1);
    this.buckets = 2 ** Math.ceil(Math.log2(2 * count + 1));
    this.starts = new Uint32Array(this.buckets + 1);
  }

  get memoryBytes(): number {
    return this.starts.byteLength + this.entries.byteLength + this.cells.byteLength;
  }

  build(): void {
    const { starts, scene, buckets } = this;
    starts.fill(0);
    for (let body = 0; body < scene.count; body++) this.visitCells(body, false);
    let sum = 0;
    for (let bucket = 0; bucket <= buckets; bucket++) {
      sum += starts[bucket] as number;
      starts[bucket] = sum;
    }
    this.total = sum;
    if (this.entries.length < sum) {
      this.entries = new Uint32Array(sum);
      this.cells = new Int32Array(3 * sum);
    }
    // Each start is now the end of its bucket. Entering the bodies moves it back to the first entry.
    for (let body = scene.count - 1; body >= 0; body--) this.visitCells(body, true);
  }

  /** Counts the cells of a body or, with `enter`, enters the body in them. */
  private visitCells(body: number, enter: boolean): void {
    const { starts, range, buckets, entries, cells } = this;
    this.findRange(body);
    for (let z = range[2] as number; z <= (range[5] as number); z++) {
      for (let y = range[1] as number; y <= (range[4] as number); y++) {
        for (let x = range[0] as number; x <= (range[3] as number); x++) {
          const bucket = mixHash(x, y, z) & (buckets - 1);
          if (!enter) {
            starts[bucket] = (starts[bucket] as number) + 1;
            continue;
          }
          const entry = (starts[bucket] as number) - 1;
          starts[bucket] = entry;
          entries[entry] = body;
          cells[3 * entry] = x;
          cells[3 * entry + 1] = y;
          cells[3 * entry + 2] = z;
        }
      }
    }
  }

  private findRange(body: number): void {
    const { scene, bodies, range, inverse } = this;
    const { dimensions } = scene;
    for (let axis = 0; axis < dimensions; axis++) {
      const centre = bodies.positions[body * dimensions + axis] as number;
      const half = bodies.extentOf(body, axis);
      range[axis] = Math.floor((centre - half) * inverse);
      range[axis + 3] = Math.floor((centre + half) * inverse);
    }
  }

  query(): Overlaps {
    const { starts, entries, bodies, buckets, total } = this;
    bodies.clear();
    for (let bucket = 0; bucket < buckets; bucket++) {
      const end = bucket + 1 < buckets ? (starts[bucket + 1] as number) : total;
      for (let one = starts[bucket] as number; one < end; one++) {
        for (let two = one + 1; two < end; two++) {
          if (this.isHere(one, two)) bodies.testPair(entries[one] as number, entries[two] as number);
        }
      }
    }
    return bodies;
  }

  /** Counts what `query` does: bodies of the same bucket are candidates, and only one cell tests their pair. */
  countWork(): Work {
    const { starts, entries, buckets, total } = this;
    let candidates = 0;
    let tests = 0;
    for (let bucket = 0; bucket < buckets; bucket++) {
      const end = bucket + 1 < buckets ? (starts[bucket + 1] as number) : total;
      for (let one = starts[bucket] as number; one < end; one++) {
        for (let two = one + 1; two < end; two++) {
          // Several cells of one body may share a bucket.
          if (entries[one] !== entries[two]) candidates++;
          if (this.isHere(one, two)) tests++;
        }
      }
    }
    return { candidates, tests, counted: 'loop' };
  }

  /** True if both entries are of the cell in which the intersection of their boxes begins. */
  private isHere(one: number, two: number): boolean {
    const { cells, entries, bodies, scene, inverse } = this;
    const { dimensions } = scene;
    const [a, b] = [entries[one] as number, entries[two] as number];
    for (let axis = 0; axis < dimensions; axis++) {
      const cell = cells[3 * one + axis] as number;
      if (cells[3 * two + axis] !== cell) return false;
      const lowA = (bodies.positions[a * dimensions + axis] as number) - bodies.extentOf(a, axis);
      const lowB = (bodies.positions[b * dimensions + axis] as number) - bodies.extentOf(b, axis);
      if (Math.floor((lowA > lowB ? lowA : lowB) * inverse) !== cell) return false;
    }
    return true;
  }
}
