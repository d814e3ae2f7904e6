/**
 * The canonical order of particles with variable radii: by bucket, then by id. Quarantined particles come last. The
 * sort is by the lower bits of the bucket's number, then stably by the upper bits.
 * Guarantee: the order depends on the positions, radii and ids alone. A sort allocates nothing that grows with the
 * number of particles.
 */
import { hashedBuckets } from '../../core/world/grid-cells';
import { type BucketCensus, takeCensus } from '../equal/hashed';
import { sortInsideCells } from '../equal/order';
import { countsToStarts, sortByColumn, sortByRow } from '../shared/counting-sort';
import type { Placement } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import { ballsOverlap } from '../shared/overlap';
import { LARGEST_SAMPLE, LevelCells, LevelChoice, sampleSize } from './cells';

const NO_LEVEL = 255;

/** Least number of buckets per particle of the capacity. */
const ROOM = 4;

export class LevelOrder {
  readonly cells: LevelCells;
  /** Per slot, the particle's index in the input. */
  readonly source: Uint32Array;
  readonly positions: Float32Array;
  readonly radii: Float32Array;
  /** The bucket and the assigned level of each active slot. */
  readonly keys: Int32Array;
  readonly assignedLevels: Uint8Array;
  /** The first slot of each bucket, then the end. */
  readonly starts: Uint32Array;
  readonly levelChoice: LevelChoice;
  activeCount = 0;
  private readonly table: Lattice;
  private readonly placement: Placement;
  private readonly positionWords: Uint32Array;
  /** The level of each particle of the input, by its own radius. */
  private readonly levels: Uint8Array;
  private readonly low = new Float64Array(3);
  private readonly high = new Float64Array(3);
  private readonly sample: Uint32Array;
  private sampled = 0;
  /** Binary exponent of the largest radius on the lowest level. */
  private readonly baseExponent: number;

  constructor(
    readonly lattice: Lattice,
    capacity: number,
  ) {
    const { dimensions, world } = lattice;
    const hashed = hashedBuckets(2 * capacity);
    const room = Math.max(hashed, ROOM * capacity);
    const columns = 2 ** Math.ceil(Math.log2(room) / 2);
    const rows = Math.ceil(room / columns);
    this.table = { ...lattice, columns, rowStride: columns, rows };
    this.levelChoice = new LevelChoice(capacity, room);
    this.cells = new LevelCells(world, hashed);
    this.source = new Uint32Array(capacity);
    this.positions = new Float32Array(dimensions * capacity);
    this.positionWords = new Uint32Array(this.positions.buffer);
    this.radii = new Float32Array(capacity);
    this.assignedLevels = new Uint8Array(capacity);
    this.starts = new Uint32Array(room + 1);
    this.levels = new Uint8Array(capacity);
    this.sample = new Uint32Array(Math.min(capacity, LARGEST_SAMPLE * sampleSize(capacity)));
    this.baseExponent = Math.log2(world.baseDiameter) - 1;
    this.keys = new Int32Array(capacity);
    this.placement = {
      keys: this.keys,
      source: this.source,
      columnCounts: new Uint32Array(columns),
      // The last row counts quarantined particles.
      rowCounts: new Uint32Array(rows + 1),
      records: new Uint32Array((2 + dimensions) * capacity),
    };
  }

  get memoryBytes(): number {
    const { positions, radii, assignedLevels, starts, levels, sample, low, high, levelChoice, cells } = this;
    const arrays = [positions, radii, assignedLevels, starts, levels, sample, low, high];
    const views: readonly ArrayBufferView[] = [...arrays, ...Object.values(this.placement)];
    return views.reduce((sum, array) => sum + array.byteLength, levelChoice.memoryBytes + cells.memoryBytes);
  }

  cellOf(slot: number, axis: number): number {
    const position = this.positions[this.lattice.dimensions * slot + axis] as number;
    return this.cells.at(position, axis, this.assignedLevels[slot] as number);
  }

  overlap(slot: number, other: number): boolean {
    const { positions, radii, lattice } = this;
    return ballsOverlap(
      positions,
      slot,
      other,
      radii[slot] as number,
      radii[other] as number,
      lattice.periods,
    );
  }

  census(): BucketCensus {
    const labelOfCell = (slot: number) => {
      const cell = this.lattice.world.period.map((_, axis) => this.cellOf(slot, axis));
      return [this.assignedLevels[slot], ...cell].join();
    };
    const isSameCell = (slot: number, other: number) =>
      this.cells.isDense || labelOfCell(slot) === labelOfCell(other);
    return takeCensus(this, isSameCell, labelOfCell);
  }

  /** `words` are the bits of `positions`. `ids` give the order inside a bucket; default: 0, 1, 2 … */
  sort(
    positions: Float32Array,
    words: Uint32Array,
    radii: Float32Array,
    count: number,
    ids?: Uint32Array,
  ): void {
    const { table, lattice, placement, positionWords, levelChoice, cells, low, high } = this;
    const { columnCounts, rowCounts } = placement;
    this.classify(positions, words, radii, count);
    this.sampleCells(positions);
    levelChoice.decide(lattice.dimensions, lattice.world.levels);
    cells.assign(low, high, levelChoice.used, levelChoice.usedLevels, this.starts.length - 1);
    columnCounts.fill(0);
    rowCounts.fill(0);
    const inOrder = this.findBuckets(positions, count);
    this.activeCount = count - (rowCounts[table.rows] as number);
    if (inOrder) {
      for (let slot = 0; slot < count; slot++) this.source[slot] = slot;
      positionWords.set(words.subarray(0, lattice.dimensions * count));
    } else {
      countsToStarts(columnCounts);
      countsToStarts(rowCounts);
      sortByColumn(table, words, count, placement);
      sortByRow(table, positionWords, count, placement);
    }
    if (ids) sortInsideCells(placement, lattice.dimensions, ids, words, count, positionWords);
    this.indexSlots(radii, count);
  }

  private classify(positions: Float32Array, words: Uint32Array, radii: Float32Array, count: number): void {
    const { levels, sample, lattice, baseExponent } = this;
    const { dimensions, world } = lattice;
    const { populations } = this.levelChoice;
    const greatest = world.diameter / 2;
    const is3D = dimensions === 3;
    const radiusWords = new Uint32Array(radii.buffer, radii.byteOffset, count);
    const largest = Math.min(this.sample.length, LARGEST_SAMPLE * sampleSize(count));
    const chosen = Math.min(1, sampleSize(count) / count) * 2 ** 32;
    populations.fill(0);
    let sampled = 0;
    let lowX = Number.POSITIVE_INFINITY;
    let lowY = Number.POSITIVE_INFINITY;
    let lowZ = Number.POSITIVE_INFINITY;
    let highX = Number.NEGATIVE_INFINITY;
    let highY = Number.NEGATIVE_INFINITY;
    let highZ = Number.NEGATIVE_INFINITY;
    for (let index = 0; index < count; index++) {
      const first = dimensions * index;
      const x = positions[first] as number;
      const y = positions[first + 1] as number;
      const z = is3D ? (positions[first + 2] as number) : 0;
      const radius = radii[index] as number;
      if (x - x + (y - y) + (z - z) !== 0 || !(radius >= 0 && radius <= greatest)) {
        levels[index] = NO_LEVEL;
        continue;
      }
      if (x < lowX) lowX = x;
      if (x > highX) highX = x;
      if (y < lowY) lowY = y;
      if (y > highY) highY = y;
      if (z < lowZ) lowZ = z;
      if (z > highZ) highZ = z;
      // log2 of the radius, rounded up: the exponent, plus one if the mantissa is not 0.
      const bits = radiusWords[index] as number;
      const exponent = ((bits >>> 23) & 0xff) - 127 + Number((bits & 0x7f_ffff) !== 0);
      const level = Math.max(0, exponent - baseExponent);
      levels[index] = level;
      populations[level] = (populations[level] as number) + 1;
      let hash =
        Math.imul(words[first] as number, 0x8da6b343) ^ Math.imul(words[first + 1] as number, 0xd8163841);
      if (is3D) hash ^= Math.imul(words[first + 2] as number, 0xcb1ab31f);
      // The comparison mostly depends on the highest bits of the hash. These depend on all bits of the position.
      if (hash >>> 0 < chosen) sample[sampled++] = index;
    }
    this.sampled = sampled <= largest ? sampled : 0;
    this.low.set([lowX, lowY, lowZ]);
    this.high.set([highX, highY, highZ]);
  }

  private sampleCells(positions: Float32Array): void {
    const { cells, sample, sampled, levelChoice, lattice, low, high } = this;
    const { dimensions, world } = lattice;
    const top = levelChoice.highestOccupied(world.levels);
    for (let level = 0; level <= top; level++) {
      levelChoice.buckets[level] = cells.spread(low, high, level);
      levelChoice.beginLevel();
      for (let index = 0; index < sampled; index++) {
        const first = dimensions * (sample[index] as number);
        let hash = 0;
        for (let axis = 0; axis < dimensions; axis++) {
          const coordinate = cells.at(positions[first + axis] as number, axis, level);
          hash = Math.imul(hash ^ (hash >>> 15) ^ coordinate, 0x2c1b3c6d);
        }
        levelChoice.addCell(Math.imul(hash ^ (hash >>> 13), 0x297a2d39));
      }
      levelChoice.endLevel(level);
    }
  }

  /** Returns true if the particles are in order already. */
  private findBuckets(positions: Float32Array, count: number): boolean {
    const { cells, lattice, levels, placement, table } = this;
    const { dimensions, world } = lattice;
    const { rows, rowStride } = table;
    const { keys, columnCounts, rowCounts } = placement;
    const { assignedLevels } = this.levelChoice;
    const { firsts, offsets, rowStrides, layerStrides, straightScales } = cells;
    const is3D = dimensions === 3;
    const isStraight = cells.isDense && world.kind !== 'periodic';
    const shift = Math.log2(rowStride);
    const quarantineKey = rows * rowStride;
    let previous = 0;
    let descents = 0;
    for (let index = 0; index < count; index++) {
      const own = levels[index] as number;
      let key = quarantineKey;
      if (own !== NO_LEVEL) {
        const level = assignedLevels[own] as number;
        const first = dimensions * index;
        const x = positions[first] as number;
        const y = positions[first + 1] as number;
        const z = is3D ? (positions[first + 2] as number) : 0;
        if (isStraight) {
          const scale = straightScales[level] as number;
          const column = Math.floor(x * scale) - (firsts[3 * level] as number);
          const row = Math.floor(y * scale) - (firsts[3 * level + 1] as number);
          key = (offsets[level] as number) + column + row * (rowStrides[level] as number);
          if (is3D) {
            const layer = Math.floor(z * scale) - (firsts[3 * level + 2] as number);
            key += layer * (layerStrides[level] as number);
          }
        } else {
          const cellZ = is3D ? cells.at(z, 2, level) : 0;
          key = cells.bucket(cells.at(x, 0, level), cells.at(y, 1, level), cellZ, level);
        }
      }
      const column = key & (rowStride - 1);
      const row = key >>> shift;
      columnCounts[column] = (columnCounts[column] as number) + 1;
      rowCounts[row] = (rowCounts[row] as number) + 1;
      keys[index] = key;
      // `descents` becomes negative, and stays so, once a key is below the one before.
      descents |= key - previous;
      previous = key;
    }
    return descents >= 0;
  }

  private indexSlots(radii: Float32Array, count: number): void {
    const { levels, activeCount, source, starts, keys, levelChoice, cells } = this;
    let bucket = 0;
    for (let slot = 0; slot < activeCount; slot++) {
      this.radii[slot] = radii[source[slot] as number] as number;
      const key = keys[slot] as number;
      while (bucket <= key) starts[bucket++] = slot;
    }
    starts.fill(activeCount, bucket, cells.buckets + 1);
    for (let slot = activeCount; slot < count; slot++)
      this.radii[slot] = radii[source[slot] as number] as number;
    if (!cells.isDense) {
      for (let slot = 0; slot < activeCount; slot++) {
        this.assignedLevels[slot] = levelChoice.assignedLevels[
          levels[source[slot] as number] as number
        ] as number;
      }
      return;
    }
    // Slots of a level follow the slots of the level below.
    for (let index = 0; index < levelChoice.usedLevels; index++) {
      const level = levelChoice.used[index] as number;
      this.assignedLevels.fill(level, starts[cells.offsets[level] as number], activeCount);
    }
  }
}
