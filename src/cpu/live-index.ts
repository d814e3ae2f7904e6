/**
 * Purpose: an index of single objects, for programs in which few of many move: each is added, moved, resized and
 * removed on its own, and nothing is ever rebuilt.
 *
 *     const index = createCpuIndex({ dimensions: 2, min: [0, 0], max: [100, 100], capacity: 10_000, radius: 0.5 });
 *     const id = index.add([3, 4]);
 *     index.move(id, [3.1, 4]);
 *     index.overlapping(id, (other) => …);
 *
 * Inputs: a centre and a radius an object, kept as 32-bit floats; in a periodic world centres are brought into the
 * box from any number of periods outside, in the other worlds they may lie anywhere.
 * Ordering: every answer depends on what is in the index alone, never on the calls that brought it there.
 * Guarantee: two objects overlap if their centres are closer than the sum of their radii (in a periodic world, the
 * nearest images of them) on the real numbers that these are, whatever the radii.
 *
 * Objects are filed by cell in a hashed table. The edge of a cell is the power of two at or above the diameter of what
 * is in it, so there is a grid for each doubling of the radius, all of them in the one table; a search looks into
 * those that hold something, and where that would be more cells than objects, at the objects of that grid instead.
 * Adding, moving and removing look at one or two buckets and allocate nothing; searches keep what they find in an
 * array that grows with the longest answer.
 */
import { type Bounds, type BoundsOptions, defineBounds } from '../core/bounds';
import { carryCoordinate } from '../core/cells';
import { checkInteger, checkKnownKeys, checkPositive, checkVector } from '../core/checks';
import { HASH_BLOCK, HASH_BLOCK_SHIFT } from '../core/constants';
import { ArgumentError, CellstormError, LimitError } from '../core/errors';
import { MAX_PARTICLES, type PairList } from '../core/simulation';
import {
  checkDiameter,
  FARTHEST_CELL,
  LARGEST_DIAMETER,
  SMALLEST_DIAMETER,
  WORLD_NAMES,
} from '../core/world';
import { FreeIds } from './free-ids';
import { reserve } from './lattice';
import { ballsOverlap, wrappedBand } from './overlap';
import { sortPairs } from './search';
import { around } from './wrapped';

export interface CpuIndexOptions extends BoundsOptions {
  /** Objects at most; memory is reserved for all of them. */
  readonly capacity: number;
  /** Radius of objects that are added without one. Default: each must be given. */
  readonly radius?: number | undefined;
  /**
   * Edge of the smallest cells, which objects of less than half of it share: the next power of two. For objects that
   * are small beside the distances that `near` is asked for. Default: cells as small as their objects.
   */
  readonly cellSize?: number | undefined;
}

const OPTION_NAMES = ['dimensions', ...WORLD_NAMES, 'capacity', 'radius'] as const;

/** Exponents of the edges of the smallest and the largest cells. */
const LEAST_EXPONENT = Math.log2(SMALLEST_DIAMETER);
const LEVELS = Math.log2(LARGEST_DIAMETER) - LEAST_EXPONENT + 1;

/** Words of the record of an object, of which the first are read for every candidate. */
const X = 0;
const Y = 1;
const Z = 2;
const RADIUS = 3;
/** The next object in the bucket, or NONE. */
const NEXT = 4;
/** Cells' edges are 2^(level + LEAST_EXPONENT); NONE where there is no object of this id. */
const LEVEL = 5;
const CELL_X = 6;
const CELL_Y = 7;
const CELL_Z = 8;
/** The object before it in the bucket; of the first one, the bucket with all bits turned. */
const PREVIOUS = 9;
/** Neighbours in the list of all objects of a level, or NONE. */
const LEVEL_NEXT = 10;
const LEVEL_PREVIOUS = 11;
const WORDS = 12;

const NONE = -1;

/** Buckets for each object of the capacity at least; fewer, and more objects of other cells are in the way. */
const BUCKETS_PER_OBJECT = 2;

const PRIMES = [0x8da6b343, 0xd8163841, 0xcb1ab31f, 0x9e3779b1] as const;

/** More than what rounding takes from a sum of two doubles, or a distance², relative. */
const WIDER = 1 + 2 ** -48;

/** Found ids up to which they are sorted by insertion. */
const SHORT_ANSWER = 32;

export function createCpuIndex(options: CpuIndexOptions): CpuIndex {
  checkKnownKeys('options', options, OPTION_NAMES);
  const { capacity, radius, cellSize } = options;
  const bounds = defineBounds(options);
  checkInteger('capacity', capacity, 0, MAX_PARTICLES);
  if (radius !== undefined) checkRadius(radius, halfPeriod(bounds));
  if (cellSize !== undefined) checkDiameter('cellSize', cellSize);
  // The message of `reserve` names cells only where it is told of some.
  const place = { kind: 'unbounded', cells: [] } as const;
  return reserve(place, capacity, () => new CpuIndex(bounds, capacity, radius, cellSize));
}

/** `half`: of the shortest period. A wider ball would overlap itself. */
function checkRadius(radius: unknown, half: number): asserts radius is number {
  const most = Math.min(LARGEST_DIAMETER / 2, half);
  if (typeof radius === 'number') {
    const rounded = Math.fround(radius);
    if (rounded >= SMALLEST_DIAMETER / 2 && rounded <= most) return;
  }
  const accepted = most === half ? `${half}, half the shortest period` : '2^59';
  throw new ArgumentError('radius', radius, `a number from 2^-41 to ${accepted}`);
}

function halfPeriod({ period }: Bounds): number {
  return Math.min(...period.map((length) => length || Number.POSITIVE_INFINITY)) / 2;
}

export class CpuIndex {
  /** A record of WORDS an object; the same memory as floats and as integers. */
  private readonly reals: Float32Array;
  private readonly words: Int32Array;
  /** First object of each bucket, or NONE. */
  private readonly heads: Int32Array;
  private readonly free: FreeIds;
  /** Of each level: its objects, the first of them or NONE. */
  private readonly counts = new Uint32Array(LEVELS);
  private readonly firsts = new Int32Array(LEVELS).fill(NONE);
  /** Levels that hold something, ascending. */
  private readonly occupied = new Uint8Array(LEVELS);
  private occupiedLevels = 0;
  private readonly smallestLevel: number;
  /** Of three axes, of which the last of a plane has one cell: where cells are counted from, their least number. */
  private readonly origins = new Float64Array(3);
  private readonly lowest = new Float64Array(3);
  /** Number of the last cell, axis by axis, of each level: where the axis wraps around, it takes in what is left over. */
  private readonly highest = new Float64Array(3 * LEVELS);
  /** Of each level, 1 / the edge of its cells. */
  private readonly scales = Float64Array.from(
    { length: LEVELS },
    (_, level) => 2 ** (-LEAST_EXPONENT - level),
  );
  /** Infinite along axes that do not wrap around. */
  private readonly periods = new Float64Array(3).fill(Number.POSITIVE_INFINITY);
  private readonly periodList: readonly number[];
  /** Along axes that wrap around: more than what adding a period to a place may round. */
  private readonly slack = new Float64Array(3);
  private readonly wraps: boolean;
  private readonly longestPeriod: number;
  private readonly halfPeriod: number;
  /** A place that was asked for, rounded and brought in; and the cells of one. */
  private readonly place = new Float32Array(3);
  private readonly cell = new Int32Array(3);
  /** First and last cell of two parts of each axis, the second mostly empty. */
  private readonly spans = new Int32Array(12);
  /** Two centres to be compared exactly. */
  private readonly centres: Float32Array;
  private readonly radiusBits = new Float32Array(1);
  private readonly radiusWord = new Int32Array(this.radiusBits.buffer);
  /** What searches under way have found: each begins where the one around it has ended. */
  private found = new Uint32Array(64);
  private foundEnd = 0;
  private living = 0;
  /** No id from here on is in use. */
  private end = 0;
  /** Calls of near, overlapping and forEachPair under way. */
  private visits = 0;

  /** Use createCpuIndex, which checks its arguments. */
  constructor(
    /** The box, and along which axes it wraps around. */
    readonly bounds: Bounds,
    readonly capacity: number,
    private readonly defaultRadius: number | undefined,
    cellSize: number | undefined,
  ) {
    const { dimensions, min, period } = bounds;
    this.words = new Int32Array(WORDS * capacity);
    this.reals = new Float32Array(this.words.buffer);
    this.heads = new Int32Array(2 ** Math.ceil(Math.log2(BUCKETS_PER_OBJECT * Math.max(1, capacity))));
    this.free = new FreeIds(capacity);
    this.centres = new Float32Array(2 * dimensions);
    this.smallestLevel = cellSize === undefined ? 0 : this.levelOfDiameter(Math.fround(cellSize));
    this.periodList = period.map((length) => length || Number.POSITIVE_INFINITY);
    this.wraps = bounds.kind === 'periodic';
    this.longestPeriod = Math.max(...period);
    this.halfPeriod = halfPeriod(bounds);
    for (let axis = 0; axis < dimensions; axis++) {
      const length = period[axis] as number;
      const low = min[axis] as number;
      this.lowest[axis] = length > 0 ? 0 : -FARTHEST_CELL;
      for (let level = 0; level < LEVELS; level++) {
        const cells = Math.max(1, Math.floor(length * (this.scales[level] as number)));
        this.highest[LEVELS * axis + level] = length > 0 ? Math.min(FARTHEST_CELL, cells - 1) : FARTHEST_CELL;
      }
      if (length === 0) continue;
      this.origins[axis] = low;
      this.periods[axis] = length;
      this.slack[axis] = 2 ** -45 * Math.max(Math.abs(low), Math.abs(low + length));
    }
    this.clear();
  }

  /** Objects in the index. */
  get count(): number {
    return this.living;
  }

  get memoryBytes(): number {
    const buffers = new Set(
      Object.values(this).flatMap((value) => (ArrayBuffer.isView(value) ? [value.buffer] : [])),
    );
    return [...buffers].reduce((sum, buffer) => sum + buffer.byteLength, this.free.memoryBytes);
  }

  has(id: number): boolean {
    return id >>> 0 === id && id < this.end && this.words[WORDS * id + LEVEL] !== NONE;
  }

  /** Where the centre of an object is: rounded to 32-bit floats, in a periodic world inside the box. A copy. */
  position(id: number): number[] {
    const record = this.recordOf(id);
    return Array.from(this.reals.subarray(record, record + this.bounds.dimensions));
  }

  /** As it is kept: rounded to a 32-bit float. */
  radius(id: number): number {
    return this.reals[this.recordOf(id) + RADIUS] as number;
  }

  /** Takes in an object; returns its id, the lowest free one. */
  add(position: ArrayLike<number>, radius: number | undefined = this.defaultRadius): number {
    this.checkIdle();
    this.takePlace('position', position);
    checkRadius(radius, this.halfPeriod);
    if (this.living === this.capacity) {
      throw new LimitError(
        'capacity',
        `This CpuIndex has a capacity of ${this.capacity} and holds as many objects, so no other can be added: remove one first, or create it with a larger capacity.`,
      );
    }
    const id = this.free.take();
    const record = WORDS * id;
    this.reals[record + RADIUS] = radius;
    this.writePlace(record);
    this.file(id, this.levelOfRadius(radius));
    this.living++;
    if (id >= this.end) this.end = id + 1;
    return id;
  }

  /** Puts the centre of an object elsewhere. */
  move(id: number, position: ArrayLike<number>): void {
    this.checkIdle();
    const record = this.recordOf(id);
    this.takePlace('position', position);
    const { words, cell } = this;
    this.writePlace(record);
    const level = words[record + LEVEL] as number;
    this.findCell(level);
    if (
      words[record + CELL_X] === cell[0] &&
      words[record + CELL_Y] === cell[1] &&
      words[record + CELL_Z] === cell[2]
    ) {
      return;
    }
    this.unlink(record);
    this.link(id, level);
  }

  /** Gives an object another radius. */
  resize(id: number, radius: number): void {
    this.checkIdle();
    const record = this.recordOf(id);
    checkRadius(radius, this.halfPeriod);
    this.reals[record + RADIUS] = radius;
    const level = this.levelOfRadius(radius);
    if (level === this.words[record + LEVEL]) return;
    this.unfile(record);
    this.place.set(this.reals.subarray(record, record + 3));
    this.file(id, level);
  }

  /** Takes an object out; its id is free for another. */
  remove(id: number): void {
    this.checkIdle();
    const record = this.recordOf(id);
    this.unfile(record);
    this.words[record + LEVEL] = NONE;
    this.free.release(id);
    this.living--;
    while (this.end > 0 && this.words[WORDS * (this.end - 1) + LEVEL] === NONE) this.end--;
  }

  /** Takes out all objects. */
  clear(): void {
    this.checkIdle();
    this.heads.fill(NONE);
    for (let record = 0; record < this.words.length; record += WORDS) this.words[record + LEVEL] = NONE;
    this.free.releaseAll();
    this.counts.fill(0);
    this.firsts.fill(NONE);
    this.occupiedLevels = 0;
    this.living = 0;
    this.end = 0;
  }

  /**
   * Calls `visit` for every object whose centre is no farther than `radius` from a point, by ascending id. Any point
   * and any radius will do, but where the world wraps around, of which distances are those of the nearest images,
   * half the shortest period at most. Distances are rounded as doubles are.
   */
  near(point: ArrayLike<number>, radius: number, visit: (id: number, distanceSquared: number) => void): void {
    const { dimensions } = this.bounds;
    if (!isVector(point, dimensions)) checkVector('point', point, dimensions);
    checkPositive('radius', radius);
    if (radius > this.halfPeriod) {
      throw new ArgumentError('radius', radius, `at most ${this.halfPeriod}, half the shortest period`);
    }
    const x = this.foldPoint(point[0] as number, 0);
    const y = this.foldPoint(point[1] as number, 1);
    const z = dimensions === 3 ? this.foldPoint(point[2] as number, 2) : 0;
    const begin = this.foundEnd;
    this.visits++;
    try {
      for (let place = 0; place < this.occupiedLevels; place++) {
        this.search(this.occupied[place] as number, x, y, z, radius, false, NONE);
      }
      const end = this.sortFound(begin);
      for (let index = begin; index < end; index++) {
        const id = this.found[index] as number;
        visit(id, this.distanceSquared(WORDS * id, x, y, z));
      }
    } finally {
      this.visits--;
      this.foundEnd = begin;
    }
  }

  /** Calls `visit` for every object that overlaps one, by ascending id. */
  overlapping(id: number, visit: (other: number) => void): void {
    const record = this.recordOf(id);
    const begin = this.foundEnd;
    this.visits++;
    try {
      for (let place = 0; place < this.occupiedLevels; place++) {
        this.searchAround(record, this.occupied[place] as number, NONE);
      }
      const end = this.sortFound(begin);
      for (let index = begin; index < end; index++) {
        const other = this.found[index] as number;
        if (other !== id) visit(other);
      }
    } finally {
      this.visits--;
      this.foundEnd = begin;
    }
  }

  /**
   * Calls `visit` for every overlapping pair once, the lower id first; takes no memory for the pairs. Pairs belong to
   * the one in the smaller cells, of two in cells of one size to the lower id: they come by the one that they belong
   * to ascending, then by the other.
   */
  forEachPair(visit: (first: number, second: number) => void): void {
    const begin = this.foundEnd;
    this.visits++;
    try {
      for (let id = 0; id < this.end; id++) {
        const level = this.words[WORDS * id + LEVEL] as number;
        if (level === NONE) continue;
        for (let place = 0; place < this.occupiedLevels; place++) {
          const other = this.occupied[place] as number;
          if (other >= level) this.searchAround(WORDS * id, other, other === level ? id : NONE);
        }
        const end = this.sortFound(begin);
        for (let index = begin; index < end; index++) {
          const other = this.found[index] as number;
          if (other < id) visit(other, id);
          else visit(id, other);
        }
        this.foundEnd = begin;
      }
    } finally {
      this.visits--;
      this.foundEnd = begin;
    }
  }

  /** Every overlapping pair once, sorted by the first id and then the second, in an array of their own. */
  findPairs(): PairList {
    let pairs = new Uint32Array(2 * this.living);
    let length = 0;
    this.forEachPair((first, second) => {
      if (length === pairs.length) pairs = longer(pairs);
      pairs[length++] = first;
      pairs[length++] = second;
    });
    return { count: length / 2, pairs: sortPairs(pairs, length, this.end) };
  }

  private checkIdle(): void {
    if (this.visits === 0) return;
    throw new CellstormError(
      'This CpuIndex is in the middle of near, overlapping or forEachPair, so until that returns it can only be asked.',
    );
  }

  private recordOf(id: number): number {
    if (!this.has(id)) throw new ArgumentError('id', id, 'the id of an object in this CpuIndex');
    return WORDS * id;
  }

  /** Checks a position, rounds it and brings it in, into `place`. */
  private takePlace(argument: string, position: ArrayLike<number>): void {
    const { bounds, place } = this;
    if (!isVector(position, bounds.dimensions)) checkVector(argument, position, bounds.dimensions);
    for (let axis = 0; axis < bounds.dimensions; axis++) place[axis] = position[axis] as number;
    if (!this.wraps) return;
    for (let axis = 0; axis < bounds.dimensions; axis++) {
      place[axis] = carryCoordinate(bounds, place[axis] as number, axis);
    }
  }

  private writePlace(record: number): void {
    const { reals, place } = this;
    reals[record + X] = place[0] as number;
    reals[record + Y] = place[1] as number;
    reals[record + Z] = place[2] as number;
  }

  private foldPoint(coordinate: number, axis: number): number {
    const period = this.periods[axis] as number;
    if (period === Number.POSITIVE_INFINITY) return coordinate;
    return coordinate - period * Math.floor((coordinate - (this.origins[axis] as number)) / period);
  }

  private levelOfRadius(radius: number): number {
    return Math.max(this.smallestLevel, this.levelOfDiameter(2 * Math.fround(radius)));
  }

  /** The least level whose cells are as wide; of a normal 32-bit float its bits say so. */
  private levelOfDiameter(diameter: number): number {
    this.radiusBits[0] = diameter;
    const word = this.radiusWord[0] as number;
    const exponent = (word >>> 23) - 127;
    return exponent - LEAST_EXPONENT + ((word & 0x7f_ffff) === 0 ? 0 : 1);
  }

  /** The cell of `place` on a level, into `cell`. */
  private findCell(level: number): void {
    const { cell, place } = this;
    cell[0] = this.cellAlong(0, level, place[0] as number);
    cell[1] = this.cellAlong(1, level, place[1] as number);
    cell[2] = this.cellAlong(2, level, place[2] as number);
  }

  /**
   * Never descends as the coordinate ascends. Edges are powers of two, so only a difference is rounded, and only along
   * axes that wrap around.
   */
  private cellAlong(axis: number, level: number, coordinate: number): number {
    const scaled = (coordinate - (this.origins[axis] as number)) * (this.scales[level] as number);
    const low = this.lowest[axis] as number;
    const high = this.highest[LEVELS * axis + level] as number;
    return Math.floor(scaled < low ? low : scaled > high ? high : scaled);
  }

  /** Puts an object into the list of a level and into the bucket of the cell of `place`. */
  private file(id: number, level: number): void {
    const { words, counts, firsts } = this;
    const record = WORDS * id;
    const next = firsts[level] as number;
    words[record + LEVEL] = level;
    words[record + LEVEL_NEXT] = next;
    words[record + LEVEL_PREVIOUS] = NONE;
    if (next !== NONE) words[WORDS * next + LEVEL_PREVIOUS] = id;
    firsts[level] = id;
    const before = counts[level] as number;
    counts[level] = before + 1;
    if (before === 0) this.occupy(level);
    this.findCell(level);
    this.link(id, level);
  }

  private unfile(record: number): void {
    const { words, counts, firsts } = this;
    const level = words[record + LEVEL] as number;
    const next = words[record + LEVEL_NEXT] as number;
    const previous = words[record + LEVEL_PREVIOUS] as number;
    if (next !== NONE) words[WORDS * next + LEVEL_PREVIOUS] = previous;
    if (previous !== NONE) words[WORDS * previous + LEVEL_NEXT] = next;
    else firsts[level] = next;
    const left = (counts[level] as number) - 1;
    counts[level] = left;
    if (left === 0) this.vacate(level);
    this.unlink(record);
  }

  private occupy(level: number): void {
    const { occupied } = this;
    let place = this.occupiedLevels++;
    for (; place > 0 && (occupied[place - 1] as number) > level; place--) {
      occupied[place] = occupied[place - 1] as number;
    }
    occupied[place] = level;
  }

  private vacate(level: number): void {
    const { occupied } = this;
    const place = occupied.indexOf(level);
    occupied.copyWithin(place, place + 1, this.occupiedLevels--);
  }

  /** Puts an object first into the bucket of `cell`. */
  private link(id: number, level: number): void {
    const { words, heads, cell } = this;
    const x = cell[0] as number;
    const y = cell[1] as number;
    const z = cell[2] as number;
    const bucket = (this.block(level, x, y, z) + (x & (HASH_BLOCK - 1))) & (heads.length - 1);
    const head = heads[bucket] as number;
    const record = WORDS * id;
    words[record + CELL_X] = x;
    words[record + CELL_Y] = y;
    words[record + CELL_Z] = z;
    words[record + NEXT] = head;
    words[record + PREVIOUS] = ~bucket;
    if (head !== NONE) words[WORDS * head + PREVIOUS] = id;
    heads[bucket] = id;
  }

  private unlink(record: number): void {
    const { words, heads } = this;
    const next = words[record + NEXT] as number;
    const previous = words[record + PREVIOUS] as number;
    if (previous < 0) heads[~previous] = next;
    else words[WORDS * previous + NEXT] = next;
    if (next !== NONE) words[WORDS * next + PREVIOUS] = previous;
  }

  /**
   * Where in the table a block of HASH_BLOCK cells along x begins, in a row: the cells of a search are next to each
   * other, and begin anywhere, so that a column of objects does not crowd into one bucket of each block.
   */
  private block(level: number, x: number, y: number, z: number): number {
    let hash = Math.imul(x >> HASH_BLOCK_SHIFT, PRIMES[0]) ^ Math.imul(y, PRIMES[1]);
    hash ^= Math.imul(z, PRIMES[2]) ^ Math.imul(level, PRIMES[3]);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
    return hash ^ (hash >>> 15);
  }

  /** The objects of a level that overlap one. */
  private searchAround(record: number, level: number, above: number): void {
    const { reals } = this;
    const x = reals[record + X] as number;
    const y = reals[record + Y] as number;
    const z = reals[record + Z] as number;
    this.search(level, x, y, z, reals[record + RADIUS] as number, true, above);
  }

  /**
   * Adds to `found` the objects of a level with an id above one whose centres are no farther than `radius` from a
   * place, or if they are `balls`, that overlap the ball around it.
   */
  private search(
    level: number,
    x: number,
    y: number,
    z: number,
    radius: number,
    balls: boolean,
    above: number,
  ): void {
    const { words, heads, spans } = this;
    // No ball of this level has a greater radius than half the edge of its cells.
    const reach = (balls ? radius + 0.5 / (this.scales[level] as number) : radius) * WIDER;
    const cells =
      this.span(0, level, x, reach) * this.span(1, level, y, reach) * this.span(2, level, z, reach);
    if (cells > (this.counts[level] as number)) {
      for (
        let id = this.firsts[level] as number;
        id !== NONE;
        id = words[WORDS * id + LEVEL_NEXT] as number
      ) {
        if (id > above && this.isWithin(WORDS * id, x, y, z, radius, balls)) this.push(id);
      }
      return;
    }
    const mask = heads.length - 1;
    for (let layers = 8; layers < 12; layers += 2) {
      for (let cellZ = spans[layers] as number; cellZ <= (spans[layers + 1] as number); cellZ++) {
        for (let rows = 4; rows < 8; rows += 2) {
          for (let cellY = spans[rows] as number; cellY <= (spans[rows + 1] as number); cellY++) {
            for (let columns = 0; columns < 4; columns += 2) {
              const first = spans[columns] as number;
              const last = spans[columns + 1] as number;
              let block = 0;
              for (let cellX = first; cellX <= last; cellX++) {
                const column = cellX & (HASH_BLOCK - 1);
                if (cellX === first || column === 0) block = this.block(level, cellX, cellY, cellZ);
                let id = heads[(block + column) & mask] as number;
                while (id !== NONE) {
                  const record = WORDS * id;
                  // Few objects of other cells in the same bucket are near enough to be asked for theirs.
                  if (
                    id > above &&
                    this.isWithin(record, x, y, z, radius, balls) &&
                    words[record + CELL_X] === cellX &&
                    words[record + CELL_Y] === cellY &&
                    words[record + CELL_Z] === cellZ &&
                    words[record + LEVEL] === level
                  ) {
                    this.push(id);
                  }
                  id = words[record + NEXT] as number;
                }
              }
            }
          }
        }
      }
    }
  }

  /** Writes the cells along an axis that places within reach may be in to `spans`; returns how many. */
  private span(axis: number, level: number, centre: number, reach: number): number {
    const wide = reach + (this.slack[axis] as number);
    const period = this.periods[axis] as number;
    if (period === Number.POSITIVE_INFINITY) {
      const first = this.cellAlong(axis, level, centre - wide);
      return this.writeSpan(axis, first, this.cellAlong(axis, level, centre + wide), 1, 0);
    }
    const end = this.highest[LEVELS * axis + level] as number;
    const low = this.origins[axis] as number;
    const below = centre - wide < low;
    const above = centre + wide >= low + period;
    if (!below && !above) {
      const first = this.cellAlong(axis, level, centre - wide);
      return this.writeSpan(axis, first, this.cellAlong(axis, level, centre + wide), 1, 0);
    }
    // The cells at the beginning up to one, and those at the end from another.
    const last = this.cellAlong(axis, level, above ? centre + wide - period : centre + wide);
    const first = this.cellAlong(axis, level, below ? centre - wide + period : centre - wide);
    if ((below && above) || last >= first) return this.writeSpan(axis, 0, end, 1, 0);
    return this.writeSpan(axis, 0, last, first, end);
  }

  private writeSpan(axis: number, first: number, last: number, second: number, end: number): number {
    const { spans } = this;
    const place = 4 * axis;
    spans[place] = first;
    spans[place + 1] = last;
    spans[place + 2] = second;
    spans[place + 3] = end;
    return last - first + 1 + (end - second + 1);
  }

  private isWithin(record: number, x: number, y: number, z: number, radius: number, balls: boolean): boolean {
    const squared = this.distanceSquared(record, x, y, z);
    if (!balls) return squared <= radius * radius;
    const sum = radius + (this.reals[record + RADIUS] as number);
    const excess = squared - sum * sum;
    // What rounding takes from the sum counts as much again as all else, and a period may be far longer than it.
    const noise = 2 ** -48 * this.longestPeriod;
    const band = 2 * wrappedBand(sum, this.longestPeriod) + noise * noise;
    if (excess > band) return false;
    return excess < -band || this.overlapsExactly(record, x, y, z, radius);
  }

  private distanceSquared(record: number, x: number, y: number, z: number): number {
    const { reals, periods } = this;
    let dx = (reals[record + X] as number) - x;
    let dy = (reals[record + Y] as number) - y;
    let dz = (reals[record + Z] as number) - z;
    if (this.wraps) {
      dx = around(dx, periods[0] as number);
      dy = around(dy, periods[1] as number);
      dz = around(dz, periods[2] as number);
    }
    return dx * dx + dy * dy + dz * dz;
  }

  private overlapsExactly(record: number, x: number, y: number, z: number, radius: number): boolean {
    const { centres, reals, periodList } = this;
    const dimensions = periodList.length;
    const centre = [x, y, z];
    for (let axis = 0; axis < dimensions; axis++) {
      centres[axis] = centre[axis] as number;
      centres[dimensions + axis] = reals[record + axis] as number;
    }
    return ballsOverlap(centres, 0, 1, radius, reals[record + RADIUS] as number, periodList);
  }

  private push(id: number): void {
    if (this.foundEnd === this.found.length) this.found = longer(this.found);
    this.found[this.foundEnd++] = id;
  }

  /** Sorts what was found from `begin` on; returns where it ends. */
  private sortFound(begin: number): number {
    const { found, foundEnd } = this;
    if (foundEnd - begin > SHORT_ANSWER) {
      found.subarray(begin, foundEnd).sort();
      return foundEnd;
    }
    for (let index = begin + 1; index < foundEnd; index++) {
      const moving = found[index] as number;
      let place = index;
      while (place > begin && (found[place - 1] as number) > moving) {
        found[place] = found[place - 1] as number;
        place--;
      }
      found[place] = moving;
    }
    return foundEnd;
  }
}

/** As many finite numbers as there are dimensions: told without making a message. */
function isVector(value: ArrayLike<number>, dimensions: number): boolean {
  if (typeof value !== 'object' || value === null || value.length !== dimensions) return false;
  for (let axis = 0; axis < dimensions; axis++) {
    const component: unknown = value[axis];
    if (typeof component !== 'number' || !Number.isFinite(Math.fround(component))) return false;
  }
  return true;
}

function longer(words: Uint32Array): Uint32Array<ArrayBuffer> {
  const copy = new Uint32Array(Math.max(64, 2 * words.length));
  copy.set(words);
  return copy;
}
