/**
 * Purpose: the canonical order of particles that each have a radius of their own: buckets of the table ascending, ids
 * ascending inside each, those set aside last. Inputs: packed positions (in a periodic world brought in) and radii.
 * Outputs: for each slot the index it is filled from (`source`), its position and radius, the level it is filed on and
 * its cell there; the first slot of each bucket.
 *
 * A counting sort by the lower and a stable one by the upper half of the bucket, as order.ts does for an unbounded
 * world. Set aside are particles with a coordinate that is not finite, or with a radius that is no number, negative or
 * larger than the grid is made for.
 * Guarantee: the same particles give the same order, whatever order they come in. Allocates nothing.
 */
import { Filing, MOST_SAMPLED, SAMPLE } from './filing';
import type { Kernels, Placement } from './kernels';
import type { Lattice } from './lattice';
import { LevelCells } from './level-cells';
import { countsToStarts } from './order';
import { PLANE } from './plane';
import { SPACE } from './space';

/** Level of what is set aside. */
const NO_LEVEL = 255;

export class LevelOrder {
  readonly cells: LevelCells;
  /** Index in the input of the particle in each slot. */
  readonly source: Uint32Array;
  /** Of each slot; of those that are set aside too. */
  readonly positions: Float32Array;
  readonly radii: Float32Array;
  /** Of each live slot: the level it is filed on, and its cell there. */
  readonly filed: Uint8Array;
  readonly coordinates: Int32Array;
  /** First slot of each bucket, and one entry more. */
  readonly starts: Uint32Array;
  readonly filing = new Filing();
  /** Slots of particles that are not set aside. */
  live = 0;
  private readonly kernels: Pick<Kernels, 'sortByColumn' | 'sortByRow'>;
  private readonly placement: Placement;
  private readonly positionWords: Uint32Array;
  /** Of each particle of the input, its level. */
  private readonly levels: Uint8Array;
  /** Indices of the particles of the sample, as far as there is room. */
  private readonly sample: Uint32Array;
  private sampled = 0;
  /** Exponent of the diameter of the lowest level, and of a radius of half of it. */
  private readonly baseExponent: number;

  constructor(
    readonly lattice: Lattice,
    capacity: number,
  ) {
    const { dimensions, columns, rows, world } = lattice;
    this.cells = new LevelCells(world);
    this.kernels = dimensions === 2 ? PLANE : SPACE;
    this.source = new Uint32Array(capacity);
    this.positions = new Float32Array(dimensions * capacity);
    this.positionWords = new Uint32Array(this.positions.buffer);
    this.radii = new Float32Array(capacity);
    this.filed = new Uint8Array(capacity);
    this.coordinates = new Int32Array(dimensions * capacity);
    this.starts = new Uint32Array(world.cellCount + 1);
    this.levels = new Uint8Array(capacity);
    this.sample = new Uint32Array(Math.min(capacity, MOST_SAMPLED));
    this.baseExponent = Math.log2(world.baseDiameter) - 1;
    this.placement = {
      keys: new Int32Array(capacity),
      source: this.source,
      columnCounts: new Uint32Array(columns),
      // The last for what is set aside.
      rowCounts: new Uint32Array(rows + 1),
      records: new Uint32Array((2 + dimensions) * capacity),
    };
  }

  get memoryBytes(): number {
    const { positions, radii, filed, coordinates, starts, levels, sample, filing } = this;
    const arrays = [positions, radii, filed, coordinates, starts, levels, sample];
    const views: readonly ArrayBufferView[] = [...arrays, ...Object.values(this.placement)];
    return views.reduce((sum, array) => sum + array.byteLength, filing.memoryBytes);
  }

  /** `words` are the bits of `positions`. */
  sort(positions: Float32Array, words: Uint32Array, radii: Float32Array, count: number): void {
    const { lattice, placement, kernels, positionWords, filing } = this;
    const { columnCounts, rowCounts } = placement;
    this.takeCensus(positions, words, radii, count);
    this.sampleCells(positions);
    filing.decide(lattice.dimensions, lattice.world.levels);
    columnCounts.fill(0);
    rowCounts.fill(0);
    const inOrder = this.place(positions, count);
    this.live = count - (rowCounts[lattice.rows] as number);
    if (inOrder) {
      for (let slot = 0; slot < count; slot++) this.source[slot] = slot;
      positionWords.set(words.subarray(0, lattice.dimensions * count));
    } else {
      countsToStarts(columnCounts);
      countsToStarts(rowCounts);
      kernels.sortByColumn(lattice, words, count, placement);
      kernels.sortByRow(lattice, positionWords, count, placement);
    }
    this.indexSlots(radii, count);
  }

  /** The level of each particle, how many are on each, and who is in the sample. */
  private takeCensus(positions: Float32Array, words: Uint32Array, radii: Float32Array, count: number): void {
    const { levels, sample, lattice, baseExponent } = this;
    const { dimensions, world } = lattice;
    const { populations } = this.filing;
    const greatest = world.diameter / 2;
    const inSpace = dimensions === 3;
    const radiusWords = new Uint32Array(radii.buffer, radii.byteOffset, count);
    const chosen = Math.min(1, SAMPLE / Math.max(1, count)) * 2 ** 32;
    populations.fill(0);
    this.sampled = 0;
    for (let index = 0; index < count; index++) {
      const first = dimensions * index;
      const x = positions[first] as number;
      const y = positions[first + 1] as number;
      const z = inSpace ? (positions[first + 2] as number) : 0;
      const radius = radii[index] as number;
      if (x - x + (y - y) + (z - z) !== 0 || !(radius >= 0 && radius <= greatest)) {
        levels[index] = NO_LEVEL;
        continue;
      }
      // Bits tell the level: the exponent, rounded up.
      const bits = radiusWords[index] as number;
      const exponent = ((bits >>> 23) & 0xff) - 127 + Number((bits & 0x7f_ffff) !== 0);
      const level = Math.max(0, exponent - baseExponent);
      levels[index] = level;
      populations[level] = (populations[level] as number) + 1;
      let hash =
        Math.imul(words[first] as number, 0x8da6b343) ^ Math.imul(words[first + 1] as number, 0xd8163841);
      if (inSpace) hash ^= Math.imul(words[first + 2] as number, 0xcb1ab31f);
      hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
      hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
      if (hash >>> 0 < chosen) sample[this.sampled++] = index;
    }
  }

  private sampleCells(positions: Float32Array): void {
    const { cells, sample, filing, lattice } = this;
    const { dimensions, world } = lattice;
    const sampled = this.sampled > sample.length ? 0 : this.sampled;
    for (let level = 0; level < world.levels; level++) {
      if (filing.populations[level] === 0) continue;
      filing.beginLevel();
      for (let index = 0; index < sampled; index++) {
        const first = dimensions * (sample[index] as number);
        let hash = 0;
        for (let axis = 0; axis < dimensions; axis++) {
          const coordinate = cells.at(positions[first + axis] as number, axis, level);
          hash = Math.imul(hash ^ (hash >>> 15) ^ coordinate, 0x2c1b3c6d);
        }
        filing.addCell(Math.imul(hash ^ (hash >>> 13), 0x297a2d39));
      }
      filing.endLevel(level);
    }
  }

  /** The bucket of each particle; whether they come in order. */
  private place(positions: Float32Array, count: number): boolean {
    const { cells, lattice, levels, placement } = this;
    const { dimensions, rows, rowStride } = lattice;
    const { keys, columnCounts, rowCounts } = placement;
    const { filed } = this.filing;
    const inSpace = dimensions === 3;
    const shift = Math.log2(rowStride);
    let previous = 0;
    let descents = 0;
    for (let index = 0; index < count; index++) {
      const own = levels[index] as number;
      let key = rows * rowStride;
      if (own !== NO_LEVEL) {
        const level = filed[own] as number;
        const first = dimensions * index;
        const x = cells.at(positions[first] as number, 0, level);
        const y = cells.at(positions[first + 1] as number, 1, level);
        key = cells.bucket(x, y, inSpace ? cells.at(positions[first + 2] as number, 2, level) : 0, level);
      }
      const column = key & (rowStride - 1);
      const row = key >>> shift;
      columnCounts[column] = (columnCounts[column] as number) + 1;
      rowCounts[row] = (rowCounts[row] as number) + 1;
      keys[index] = key;
      // Negative for good once a key is below the one before it.
      descents |= key - previous;
      previous = key;
    }
    return descents >= 0;
  }

  /** After the sort: radii and levels in order, where buckets begin, and the cell of each slot. */
  private indexSlots(radii: Float32Array, count: number): void {
    const { cells, lattice, levels, live, source, starts, positions, coordinates, placement } = this;
    const { dimensions } = lattice;
    const { keys } = placement;
    const { filed } = this.filing;
    let bucket = 0;
    for (let slot = 0; slot < live; slot++) {
      const index = source[slot] as number;
      const level = filed[levels[index] as number] as number;
      this.radii[slot] = radii[index] as number;
      this.filed[slot] = level;
      const key = keys[slot] as number;
      while (bucket <= key) starts[bucket++] = slot;
      const first = dimensions * slot;
      for (let axis = 0; axis < dimensions; axis++) {
        coordinates[first + axis] = cells.at(positions[first + axis] as number, axis, level);
      }
    }
    starts.fill(live, bucket);
    for (let slot = live; slot < count; slot++) this.radii[slot] = radii[source[slot] as number] as number;
  }
}
