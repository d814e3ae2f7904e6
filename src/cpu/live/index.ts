/**
 * An index of single objects, which is never rebuilt. Ordering: answers depend on the objects alone, not on the calls
 * that added, moved or resized them.
 * Guarantee: exact tests on the 32-bit numbers decide which objects overlap.
 */

import { checkFunction, checkInteger, checkKnownKeys, checkVector } from '../../core/base/checks';
import { ArgumentError, CellstormError, LimitError } from '../../core/base/errors';
import { MAX_PARTICLES } from '../../core/simulation/ids';
import type { PairList } from '../../core/simulation/simulation';
import { type Bounds, type BoundsOptions, defineBounds } from '../../core/world/bounds';
import { wrapAxis } from '../../core/world/cells';
import { checkDiameter, WORLD_NAMES } from '../../core/world/world';
import type { Nearest } from '../equal/nearest';
import { sortPairs } from '../equal/search';
import { FreeIds } from '../shared/free-ids';
import { checkNearest, checkRay, checkReach } from '../shared/given';
import { lengthenPairs, reserve } from '../shared/lattice';
import type { RayHits } from '../shared/ray-walk';
import { findInBoxLive } from './box';
import { LEVEL, LiveCells, NONE, RADIUS, WORDS } from './cells';
import { checkRadius, halfPeriod, isVector, vectorOf } from './checks';
import { Found } from './found';
import { DistanceSearch } from './near';
import { findAlongRayLive } from './ray';

/** Options of `createCpuIndex`. */
export interface CpuIndexOptions extends Omit<BoundsOptions, 'crowds'> {
  /** Greatest number of objects. Memory is reserved for all of them. */
  readonly capacity: number;
  /**
   * Radius of objects that are added without a radius: 2⁻⁴¹ to 2⁵⁹, and at most half the shortest period. Default:
   * `add` requires a radius.
   */
  readonly radius?: number | undefined;
  /**
   * Least edge of cells, rounded up to a power of two. Set it if objects are small compared with the radius of `near`.
   * Default: cells as small as their objects allow.
   */
  readonly cellSize?: number | undefined;
}

/** `crowds` is left out, because it splits work among the threads of a GPU. */
const BOUNDS_NAMES = WORLD_NAMES.filter((name) => name !== 'crowds');

const ADVICE = 'use forEachPair, which needs no list';

const OPTION_NAMES = ['dimensions', ...BOUNDS_NAMES, 'capacity', 'radius'] as const;

/**
 * Creates an empty index.
 *
 * @example
 * ```ts
 * const index = createCpuIndex({ dimensions: 2, min: [0, 0], max: [100, 100], capacity: 10_000, radius: 0.5 });
 * const id = index.add([3, 4]);
 * index.add([3.5, 4]);
 * index.move(id, [3.1, 4]);
 * index.overlapping(id, (other) => console.log(other));
 * ```
 */
export function createCpuIndex(options: CpuIndexOptions): CpuIndex {
  checkKnownKeys('options', options, OPTION_NAMES);
  const { capacity, radius, cellSize } = options;
  const bounds = defineBounds(options);
  checkInteger('capacity', capacity, 0, MAX_PARTICLES);
  if (radius !== undefined) checkRadius(radius, halfPeriod(bounds));
  if (cellSize !== undefined) checkDiameter('cellSize', cellSize);
  return reserve(capacity, () => new CpuIndex(bounds, capacity, radius, cellSize));
}

/**
 * An index of balls, for programs in which few of many objects move. Each object is added, moved, resized and removed
 * on its own. Centres and radii are stored as 32-bit floats; a periodic world wraps centres. Two objects overlap if the
 * distance of their centres is less than the sum of their radii.
 */
export class CpuIndex {
  private readonly cells: LiveCells;
  private readonly free: FreeIds;
  private readonly found = new Found();
  private readonly search: DistanceSearch;
  private readonly wraps: boolean;
  private readonly halfPeriod: number;
  /** The position given to `add` or `move`, rounded and wrapped. */
  private readonly loaded = new Float32Array(3);
  private living = 0;
  /** All ids from this one on are free. */
  private end = 0;
  /** Number of searches in progress that call a `visit` function. */
  private visits = 0;

  /** Use createCpuIndex, which checks its arguments. @hideconstructor */
  constructor(
    /** The box, if there is one, and the axes along which it wraps. */
    readonly bounds: Bounds,
    /** Greatest number of objects. */
    readonly capacity: number,
    private readonly defaultRadius: number | undefined,
    cellSize: number | undefined,
  ) {
    this.cells = new LiveCells(bounds, capacity, cellSize);
    this.free = new FreeIds(capacity);
    this.search = new DistanceSearch(this.cells, bounds.period, this.found);
    this.wraps = bounds.kind === 'periodic';
    this.halfPeriod = halfPeriod(bounds);
  }

  /** Number of objects in the index. */
  get count(): number {
    return this.living;
  }

  /** Bytes of all arrays. */
  get memoryBytes(): number {
    const { cells, free, found, search, loaded } = this;
    const parts = [cells, free, search].map(({ memoryBytes }) => memoryBytes);
    return parts.reduce((sum, bytes) => sum + bytes, found.ids.byteLength + loaded.byteLength);
  }

  /** Returns whether an object has this id. */
  has(id: number): boolean {
    if (typeof id !== 'number' || id >>> 0 !== id) return false;
    return id < this.end && this.cells.words[WORDS * id + LEVEL] !== NONE;
  }

  /** Returns a copy of an object's centre, rounded to 32-bit floats and, in a periodic world, wrapped into the box. */
  position(id: number): number[] {
    const record = this.recordOf(id);
    return Array.from(this.cells.reals.subarray(record, record + this.bounds.dimensions));
  }

  /** Returns an object's radius, rounded to a 32-bit float. */
  radius(id: number): number {
    return this.cells.reals[this.recordOf(id) + RADIUS] as number;
  }

  /**
   * Adds an object. Returns its id: the lowest free id. `radius` is from 2⁻⁴¹ to 2⁵⁹, and at most half the shortest
   * period. Default: the option `radius`.
   */
  add(position: ArrayLike<number>, radius: number | undefined = this.defaultRadius): number {
    this.checkIdle();
    this.loadPosition('position', position);
    checkRadius(radius, this.halfPeriod);
    if (this.living === this.capacity) {
      throw new LimitError(
        'capacity',
        `This CpuIndex is full: its capacity is ${this.capacity}. Remove an object first, or create the index with a larger capacity.`,
      );
    }
    const id = this.free.take();
    this.writePosition(id);
    this.cells.reals[WORDS * id + RADIUS] = radius;
    this.cells.attach(id, this.cells.levelOfRadius(radius));
    this.living++;
    if (id >= this.end) this.end = id + 1;
    return id;
  }

  /** Moves an object's centre. */
  move(id: number, position: ArrayLike<number>): void {
    this.checkIdle();
    this.recordOf(id);
    this.loadPosition('position', position);
    this.writePosition(id);
    this.cells.relink(id);
  }

  /** Changes an object's radius. */
  resize(id: number, radius: number): void {
    this.checkIdle();
    const record = this.recordOf(id);
    checkRadius(radius, this.halfPeriod);
    const { cells } = this;
    cells.reals[record + RADIUS] = radius;
    const level = cells.levelOfRadius(radius);
    if (level === cells.words[record + LEVEL]) return;
    cells.detach(record);
    cells.attach(id, level);
  }

  /** Removes an object. Its id becomes free. */
  remove(id: number): void {
    this.checkIdle();
    const record = this.recordOf(id);
    const { words } = this.cells;
    this.cells.detach(record);
    words[record + LEVEL] = NONE;
    this.free.release(id);
    this.living--;
    while (this.end > 0 && words[WORDS * (this.end - 1) + LEVEL] === NONE) this.end--;
  }

  /** Removes all objects. */
  clear(): void {
    this.checkIdle();
    this.cells.clear();
    this.free.releaseAll();
    this.living = 0;
    this.end = 0;
  }

  /**
   * Calls `visit` for every object whose centre is no farther than `radius` from a point, by ascending id. `radius`
   * must be above 0; in a periodic world, also at most half the shortest period, or Infinity. Distances are those of
   * minimum images, rounded to doubles.
   */
  near(point: ArrayLike<number>, radius: number, visit: (id: number, distanceSquared: number) => void): void {
    checkFunction('visit', visit);
    this.checkNear(point, radius);
    const x = this.wrappedCoordinate(point, 0);
    const y = this.wrappedCoordinate(point, 1);
    const z = this.wrappedCoordinate(point, 2);
    const { found, search } = this;
    const begin = found.end;
    this.visits++;
    try {
      const end = this.searchNear(x, y, z, radius);
      for (let index = begin; index < end; index++) {
        const id = found.ids[index] as number;
        visit(id, search.distanceSquared(WORDS * id, x, y, z));
      }
    } finally {
      this.visits--;
      found.end = begin;
    }
  }

  /** Returns the ids that `near` visits, in a new array. */
  findNear(point: ArrayLike<number>, radius: number): Uint32Array {
    this.checkNear(point, radius);
    const { found } = this;
    const begin = found.end;
    try {
      const [x, y, z] = [0, 1, 2].map((axis) => this.wrappedCoordinate(point, axis)) as [
        number,
        number,
        number,
      ];
      const end = this.searchNear(x, y, z, radius);
      return found.ids.slice(begin, end);
    } finally {
      found.end = begin;
    }
  }

  /**
   * Returns the k objects whose centres are nearest to a point, no farther than `radius`, by distance and then by id.
   * There may be fewer. Distances are those of minimum images, rounded to doubles. Default radius: Infinity.
   */
  nearest(point: ArrayLike<number>, k: number, radius = Number.POSITIVE_INFINITY): Nearest {
    checkNearest(point, k, radius, this.bounds);
    const [x, y, z] = [0, 1, 2].map((axis) => this.wrappedCoordinate(point, axis)) as [
      number,
      number,
      number,
    ];
    return this.search.nearest(x, y, z, k, radius);
  }

  /** Calls `visit` for every object that overlaps the object `id`, by ascending id. */
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

  /** Returns the ids that `overlapping` visits, in a new array. */
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
   * Calls `visit` for every overlapping pair once, the lower id first. Allocates no list of pairs. Ordering: pairs come
   * by the id of the object in the smaller cell (in cells of one size, by the lower id), then by the other id.
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
        for (let index = 0; index < cells.occupiedLevels; index++) {
          const other = cells.occupied[index] as number;
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

  /** Returns every overlapping pair once, sorted by the first id and then the second, in a new array. */
  findPairs(): PairList {
    let pairs = new Uint32Array(2 * this.living);
    let length = 0;
    this.forEachPair((first, second) => {
      if (length === pairs.length) pairs = lengthenPairs(pairs, length, Math.max(64, 2 * length), ADVICE);
      pairs[length++] = first;
      pairs[length++] = second;
    });
    return { count: length / 2, pairs: sortPairs(pairs, length, this.end, ADVICE) };
  }

  /**
   * Calls `visit` for every object whose centre is in a box, bounds included, by ascending id. A box with `min` above
   * `max` along an axis is empty. In a periodic world, any image of the object counts.
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

  /** Returns the ids that `inBox` visits, in a new array. */
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
   * Calls `visit` for every object that a ray meets, by distance and then by id. The ray is origin + t · direction with
   * 0 ≤ t ≤ greatestDistance, which may be Infinity. An object's distance is the least t whose point is in its ball. In
   * a periodic world the ray wraps, up to 64 periods along each axis, and meets each object only once. Leave out
   * `radius`.
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

  /** Returns the objects that `alongRay` visits, in new arrays. Leave out `radius`. */
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
    checkRay(ray, bounds);
    if (radius !== undefined) {
      throw new ArgumentError('radius', radius, 'left out, because each ball has its own radius');
    }
    return findAlongRayLive(cells, bounds, ray);
  }

  private checkIdle(): void {
    if (this.visits === 0) return;
    throw new CellstormError(
      'This CpuIndex is running near, overlapping, forEachPair, inBox or alongRay. Until that method returns, you may search it but not change it.',
    );
  }

  private recordOf(id: number): number {
    if (!this.has(id)) throw new ArgumentError('id', id, 'the id of an object in this CpuIndex');
    return WORDS * id;
  }

  private loadPosition(argument: string, position: ArrayLike<number>): void {
    const { bounds, loaded } = this;
    if (!isVector(position, bounds.dimensions)) checkVector(argument, position, bounds.dimensions);
    for (let axis = 0; axis < bounds.dimensions; axis++) loaded[axis] = position[axis] as number;
    if (!this.wraps) return;
    for (let axis = 0; axis < bounds.dimensions; axis++) {
      loaded[axis] = wrapAxis(bounds, loaded[axis] as number, axis);
    }
  }

  private writePosition(id: number): void {
    const { loaded } = this;
    const { reals } = this.cells;
    const record = WORDS * id;
    reals[record] = loaded[0] as number;
    reals[record + 1] = loaded[1] as number;
    reals[record + 2] = loaded[2] as number;
  }

  private checkNear(point: ArrayLike<number>, radius: number): void {
    const { dimensions } = this.bounds;
    if (!isVector(point, dimensions)) checkVector('point', point, dimensions);
    checkReach(radius, this.halfPeriod);
  }

  /** Returns a coordinate of a point, wrapped along axes that wrap; 0 for z in 2D. */
  private wrappedCoordinate(point: ArrayLike<number>, axis: number): number {
    const { bounds } = this;
    if (axis === bounds.dimensions) return 0;
    const coordinate = point[axis] as number;
    const period = bounds.period[axis] as number;
    if (period === 0) return coordinate;
    return coordinate - period * Math.floor((coordinate - (bounds.min[axis] as number)) / period);
  }

  /** searchNear, searchOverlapping and searchBox append sorted ids to `found`, and return their end. */
  private searchNear(x: number, y: number, z: number, radius: number): number {
    const { cells, found, search } = this;
    const begin = found.end;
    for (let index = 0; index < cells.occupiedLevels; index++) {
      search.find(cells.occupied[index] as number, x, y, z, radius, false, NONE);
    }
    return found.sort(begin);
  }

  /** Also finds the object itself. */
  private searchOverlapping(record: number): number {
    const { cells, found } = this;
    const begin = found.end;
    for (let index = 0; index < cells.occupiedLevels; index++) {
      this.searchAround(record, cells.occupied[index] as number, NONE);
    }
    return found.sort(begin);
  }

  /** Appends the level's objects that overlap the object in `record` and have ids above `above`. */
  private searchAround(record: number, level: number, above: number): void {
    const { reals } = this.cells;
    const x = reals[record] as number;
    const y = reals[record + 1] as number;
    const z = reals[record + 2] as number;
    this.search.find(level, x, y, z, reals[record + RADIUS] as number, true, above);
  }

  private searchBox(min: ArrayLike<number>, max: ArrayLike<number>): number {
    const { bounds, cells, found } = this;
    const begin = found.end;
    const low = vectorOf('min', min, bounds.dimensions);
    const high = vectorOf('max', max, bounds.dimensions);
    findInBoxLive(cells, bounds, low, high, found);
    return found.sort(begin);
  }
}
