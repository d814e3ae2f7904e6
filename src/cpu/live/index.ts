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
 * live-cells.ts files the objects by cell, on a level for each doubling of the radius. A search looks into the levels
 * that hold something, and where that would be more cells than objects, at the objects of that level instead; it keeps
 * what it finds in an array that grows with the longest answer.
 */

import { checkFunction, checkInteger, checkKnownKeys, checkVector } from '../../core/base/checks';
import { ArgumentError, CellstormError, LimitError } from '../../core/base/errors';
import { MAX_PARTICLES } from '../../core/simulation/ids';
import type { PairList } from '../../core/simulation/simulation';
import { type Bounds, type BoundsOptions, defineBounds } from '../../core/world/bounds';
import { wrapCoordinate } from '../../core/world/cells';
import {
  checkDiameter,
  type Dimensions,
  LARGEST_DIAMETER,
  SMALLEST_DIAMETER,
  WORLD_NAMES,
  type World,
} from '../../core/world/world';
import type { Nearest } from '../equal/nearest';
import { sortPairs } from '../equal/search';
import { FreeIds } from '../shared/free-ids';
import { checkNearest, checkRay, checkReach } from '../shared/given';
import { lengthenPairs, reserve } from '../shared/lattice';
import type { RayHits } from '../shared/ray-walk';
import { findInBoxLive } from './box';
import { LEVEL, LiveCells, NONE, RADIUS, WORDS } from './cells';
import { Found } from './found';
import { Nearness } from './near';
import { findAlongRayLive } from './ray';

export interface CpuIndexOptions extends Omit<BoundsOptions, 'crowds'> {
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

/** What is made for crowds splits work among threads, and here is one. */
const PLACE_NAMES = WORLD_NAMES.filter((name) => name !== 'crowds');

/** Of a list of pairs that is too long. */
const INSTEAD = 'forEachPair takes none for them';

const OPTION_NAMES = ['dimensions', ...PLACE_NAMES, 'capacity', 'radius'] as const;

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
  private readonly cells: LiveCells;
  private readonly free: FreeIds;
  /** What searches under way have found. */
  private readonly found = new Found();
  private readonly nearness: Nearness;
  private readonly wraps: boolean;
  private readonly halfPeriod: number;
  /** A place that was given, rounded and brought in. */
  private readonly place = new Float32Array(3);
  private living = 0;
  /** No id from here on is in use. */
  private end = 0;
  /** Calls of the caller's functions under way. */
  private visits = 0;

  /** Use createCpuIndex, which checks its arguments. */
  constructor(
    /** The box, and along which axes it wraps around. */
    readonly bounds: Bounds,
    readonly capacity: number,
    private readonly defaultRadius: number | undefined,
    cellSize: number | undefined,
  ) {
    this.cells = new LiveCells(bounds, capacity, cellSize);
    this.free = new FreeIds(capacity);
    this.nearness = new Nearness(this.cells, bounds.period, this.found);
    this.wraps = bounds.kind === 'periodic';
    this.halfPeriod = halfPeriod(bounds);
  }

  /** Objects in the index. */
  get count(): number {
    return this.living;
  }

  get memoryBytes(): number {
    const { cells, free, found, nearness, place } = this;
    const parts = [cells, free, nearness].map(({ memoryBytes }) => memoryBytes);
    return parts.reduce((sum, bytes) => sum + bytes, found.ids.byteLength + place.byteLength);
  }

  has(id: number): boolean {
    return id >>> 0 === id && id < this.end && this.cells.words[WORDS * id + LEVEL] !== NONE;
  }

  /** Where the centre of an object is: rounded to 32-bit floats, in a periodic world inside the box. A copy. */
  position(id: number): number[] {
    const record = this.recordOf(id);
    return Array.from(this.cells.reals.subarray(record, record + this.bounds.dimensions));
  }

  /** As it is kept: rounded to a 32-bit float. */
  radius(id: number): number {
    return this.cells.reals[this.recordOf(id) + RADIUS] as number;
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
    this.writePlace(id);
    this.cells.reals[WORDS * id + RADIUS] = radius;
    this.cells.file(id, this.cells.levelOfRadius(radius));
    this.living++;
    if (id >= this.end) this.end = id + 1;
    return id;
  }

  /** Puts the centre of an object elsewhere. */
  move(id: number, position: ArrayLike<number>): void {
    this.checkIdle();
    this.recordOf(id);
    this.takePlace('position', position);
    this.writePlace(id);
    this.cells.refile(id);
  }

  /** Gives an object another radius. */
  resize(id: number, radius: number): void {
    this.checkIdle();
    const record = this.recordOf(id);
    checkRadius(radius, this.halfPeriod);
    const { cells } = this;
    cells.reals[record + RADIUS] = radius;
    const level = cells.levelOfRadius(radius);
    if (level === cells.words[record + LEVEL]) return;
    cells.unfile(record);
    cells.file(id, level);
  }

  /** Takes an object out; its id is free for another. */
  remove(id: number): void {
    this.checkIdle();
    const record = this.recordOf(id);
    const { words } = this.cells;
    this.cells.unfile(record);
    words[record + LEVEL] = NONE;
    this.free.release(id);
    this.living--;
    while (this.end > 0 && words[WORDS * (this.end - 1) + LEVEL] === NONE) this.end--;
  }

  /** Takes out all objects. */
  clear(): void {
    this.checkIdle();
    this.cells.clear();
    this.free.releaseAll();
    this.living = 0;
    this.end = 0;
  }

  /**
   * Calls `visit` for every object whose centre is no farther than `radius` from a point, by ascending id. Any point
   * and any radius will do, Infinity too, but where the world wraps around, of which distances are those of the nearest
   * images, half the shortest period at most, or Infinity. Distances are rounded as doubles are.
   */
  near(point: ArrayLike<number>, radius: number, visit: (id: number, distanceSquared: number) => void): void {
    checkFunction('visit', visit);
    this.checkNear(point, radius);
    const x = this.foldPoint(point, 0);
    const y = this.foldPoint(point, 1);
    const z = this.foldPoint(point, 2);
    const { found, nearness } = this;
    const begin = found.end;
    this.visits++;
    try {
      const end = this.searchNear(x, y, z, radius);
      for (let index = begin; index < end; index++) {
        const id = found.ids[index] as number;
        visit(id, nearness.distanceSquared(WORDS * id, x, y, z));
      }
    } finally {
      this.visits--;
      found.end = begin;
    }
  }

  /** The same as an array of its own. */
  findNear(point: ArrayLike<number>, radius: number): Uint32Array {
    this.checkNear(point, radius);
    const { found } = this;
    const begin = found.end;
    try {
      const [x, y, z] = [0, 1, 2].map((axis) => this.foldPoint(point, axis)) as [number, number, number];
      const end = this.searchNear(x, y, z, radius);
      return found.ids.slice(begin, end);
    } finally {
      found.end = begin;
    }
  }

  /**
   * The k objects whose centres are nearest to a point and no farther than `radius`, or as many as there are: the
   * nearest first, of those equally far the lower id; their radii do not matter. Any point and any radius; default:
   * however far. Where the world wraps around, distances are those of the nearest images. Distances are rounded as
   * doubles are.
   */
  nearest(point: ArrayLike<number>, k: number, radius = Number.POSITIVE_INFINITY): Nearest {
    checkNearest(point, k, radius, this.bounds);
    const [x, y, z] = [0, 1, 2].map((axis) => this.foldPoint(point, axis)) as [number, number, number];
    return this.nearness.nearest(x, y, z, k, radius);
  }

  /** Calls `visit` for every object that overlaps one, by ascending id. */
  overlapping(id: number, visit: (other: number) => void): void {
    checkFunction('visit', visit);
    const record = this.recordOf(id);
    const { found } = this;
    const begin = found.end;
    this.visits++;
    try {
      const end = this.searchOverlapping(record);
      for (let index = begin; index < end; index++) {
        const other = found.ids[index] as number;
        if (other !== id) visit(other);
      }
    } finally {
      this.visits--;
      found.end = begin;
    }
  }

  /** The same as an array of its own. */
  findOverlapping(id: number): Uint32Array {
    const record = this.recordOf(id);
    const { found } = this;
    const begin = found.end;
    try {
      const end = this.searchOverlapping(record);
      return found.ids.subarray(begin, end).filter((other) => other !== id);
    } finally {
      found.end = begin;
    }
  }

  /**
   * Calls `visit` for every overlapping pair once, the lower id first; takes no memory for the pairs. Pairs belong to
   * the one in the smaller cells, of two in cells of one size to the lower id: they come by the one that they belong
   * to ascending, then by the other.
   */
  forEachPair(visit: (first: number, second: number) => void): void {
    checkFunction('visit', visit);
    const { cells, found } = this;
    const begin = found.end;
    this.visits++;
    try {
      for (let id = 0; id < this.end; id++) {
        const level = cells.words[WORDS * id + LEVEL] as number;
        if (level === NONE) continue;
        for (let place = 0; place < cells.occupiedLevels; place++) {
          const other = cells.occupied[place] as number;
          if (other >= level) this.searchAround(WORDS * id, other, other === level ? id : NONE);
        }
        const end = found.sort(begin);
        for (let index = begin; index < end; index++) {
          const other = found.ids[index] as number;
          if (other < id) visit(other, id);
          else visit(id, other);
        }
        found.end = begin;
      }
    } finally {
      this.visits--;
      found.end = begin;
    }
  }

  /** Every overlapping pair once, sorted by the first id and then the second, in an array of their own. */
  findPairs(): PairList {
    let pairs = new Uint32Array(2 * this.living);
    let length = 0;
    this.forEachPair((first, second) => {
      if (length === pairs.length) pairs = lengthenPairs(pairs, length, Math.max(64, 2 * length), INSTEAD);
      pairs[length++] = first;
      pairs[length++] = second;
    });
    return { count: length / 2, pairs: sortPairs(pairs, length, this.end, INSTEAD) };
  }

  /**
   * Calls `visit` for every object whose centre is in a box, bounds included, ids ascending; radii do not matter. Any
   * box will do: of one whose `min` is above its `max` along an axis nothing is in it. Where the world wraps around, an
   * object is in a box if one of its images is.
   */
  inBox(min: ArrayLike<number>, max: ArrayLike<number>, visit: (id: number) => void): void {
    checkFunction('visit', visit);
    const { found } = this;
    const begin = found.end;
    this.visits++;
    try {
      const end = this.searchBox(min, max);
      for (let index = begin; index < end; index++) visit(found.ids[index] as number);
    } finally {
      this.visits--;
      found.end = begin;
    }
  }

  /** The same as an array of its own. */
  findInBox(min: ArrayLike<number>, max: ArrayLike<number>): Uint32Array {
    const { found } = this;
    const begin = found.end;
    try {
      const end = this.searchBox(min, max);
      return found.ids.slice(begin, end);
    } finally {
      found.end = begin;
    }
  }

  /**
   * Calls `visit` for every ball that a ray meets, each of its own radius, by distance and then by id. The ray is the
   * places origin + t · direction with 0 ≤ t ≤ greatestDistance (Infinity will do); a ball is met if its centre is no
   * farther from one of them than its radius, and the least such t is its distance. Where the world wraps around, so
   * does the ray, up to 64 periods, and a ball counts where it is first met. Decided in doubles.
   */
  alongRay(
    origin: ArrayLike<number>,
    direction: ArrayLike<number>,
    greatestDistance: number,
    visit: (id: number, distance: number) => void,
    radius?: undefined,
  ): void {
    checkFunction('visit', visit);
    const { ids, distances } = this.findAlongRay(origin, direction, greatestDistance, radius);
    this.visits++;
    try {
      ids.forEach((id, index) => {
        visit(id, distances[index] as number);
      });
    } finally {
      this.visits--;
    }
  }

  /** The same as arrays of their own. */
  findAlongRay(
    origin: ArrayLike<number>,
    direction: ArrayLike<number>,
    greatestDistance: number,
    radius?: undefined,
  ): RayHits {
    const { bounds, cells } = this;
    const ray = {
      origin: vectorOf('origin', origin, bounds.dimensions),
      direction: vectorOf('direction', direction, bounds.dimensions),
      greatestDistance,
    };
    checkRay(ray, bounds as World);
    if (radius !== undefined) {
      throw new ArgumentError(
        'radius',
        radius,
        'left out where radii are given, since each ball has its own',
      );
    }
    return findAlongRayLive(cells, bounds, ray);
  }

  private checkIdle(): void {
    if (this.visits === 0) return;
    throw new CellstormError(
      'This CpuIndex is in the middle of near, overlapping, forEachPair, inBox or alongRay, so until that returns it can only be asked.',
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
      place[axis] = wrapCoordinate(bounds, place[axis] as number, axis);
    }
  }

  private writePlace(id: number): void {
    const { place } = this;
    const { reals } = this.cells;
    const record = WORDS * id;
    reals[record] = place[0] as number;
    reals[record + 1] = place[1] as number;
    reals[record + 2] = place[2] as number;
  }

  private checkNear(point: ArrayLike<number>, radius: number): void {
    const { dimensions } = this.bounds;
    if (!isVector(point, dimensions)) checkVector('point', point, dimensions);
    checkReach(radius, this.halfPeriod);
  }

  /** A coordinate of a point, along axes that wrap around in the box; a plane is at 0. */
  private foldPoint(point: ArrayLike<number>, axis: number): number {
    const { bounds } = this;
    if (axis === bounds.dimensions) return 0;
    const coordinate = point[axis] as number;
    const period = bounds.period[axis] as number;
    if (period === 0) return coordinate;
    return coordinate - period * Math.floor((coordinate - (bounds.min[axis] as number)) / period);
  }

  /** Finds what is near a place, ids ascending; returns where what was found ends. */
  private searchNear(x: number, y: number, z: number, radius: number): number {
    const { cells, found, nearness } = this;
    const begin = found.end;
    for (let place = 0; place < cells.occupiedLevels; place++) {
      nearness.find(cells.occupied[place] as number, x, y, z, radius, false, NONE);
    }
    return found.sort(begin);
  }

  /** The same for what overlaps an object, itself included. */
  private searchOverlapping(record: number): number {
    const { cells, found } = this;
    const begin = found.end;
    for (let place = 0; place < cells.occupiedLevels; place++) {
      this.searchAround(record, cells.occupied[place] as number, NONE);
    }
    return found.sort(begin);
  }

  /** The objects of a level that overlap one, with an id above another. */
  private searchAround(record: number, level: number, above: number): void {
    const { reals } = this.cells;
    const x = reals[record] as number;
    const y = reals[record + 1] as number;
    const z = reals[record + 2] as number;
    this.nearness.find(level, x, y, z, reals[record + RADIUS] as number, true, above);
  }

  /** Finds what is in a box, ids ascending; returns where what was found ends. */
  private searchBox(min: ArrayLike<number>, max: ArrayLike<number>): number {
    const { bounds, cells, found } = this;
    const begin = found.end;
    const low = vectorOf('min', min, bounds.dimensions);
    const high = vectorOf('max', max, bounds.dimensions);
    findInBoxLive(cells, bounds, low, high, found);
    return found.sort(begin);
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

function vectorOf(argument: string, value: ArrayLike<number>, dimensions: Dimensions): number[] {
  if (!isVector(value, dimensions)) checkVector(argument, value, dimensions);
  return Array.from(value);
}
