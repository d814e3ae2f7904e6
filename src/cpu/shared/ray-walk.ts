/**
 * Finds the balls that a ray meets, in doubles. In a periodic world, the ray wraps at most MOST_PERIODS times along
 * each axis. Each ball counts once, where the ray first meets it.
 *
 * The walk goes through layers along z, the rows of each layer, and the cells of each row. It narrows the times to
 * those at which the ray is near the layer, then near the row. It searches only the cells near the ray at these times,
 * each image of a cell once. A time is a distance along the ray, in lengths of the direction. All ranges are widened by
 * more than the rounding errors.
 */
import { MOST_PERIODS } from '../../core/base/constants';
import { snap } from '../../core/world/cells';
import type { World } from '../../core/world/world';

/** The particles that a ray meets, by distance and then by id. */
export interface RayHits {
  /** Ids. */
  readonly ids: Uint32Array;
  /** Distances along the ray, in lengths of the direction. */
  readonly distances: Float64Array;
}

export interface Ray {
  readonly origin: readonly number[];
  readonly direction: readonly number[];
  readonly greatestDistance: number;
}

/**
 * Moves the origin into the world and may round it. If the origin is so far out that doubles do not resolve a period
 * there, the ray begins at the low end of the axis.
 */
export function wrapRay(
  { min, period }: Pick<World, 'min' | 'period'>,
  { origin, direction, greatestDistance }: Ray,
): Ray {
  const inside = origin.map((coordinate, axis) => {
    const [low, length] = [min[axis] as number, period[axis] as number];
    if (length === 0) return coordinate;
    const position = coordinate - length * Math.floor((coordinate - low) / length);
    return Math.abs(position - low) <= 2 * length ? position : low;
  });
  return { origin: inside, direction, greatestDistance };
}

type Range = readonly [number, number];

/** Greater than any coordinate of a ball's centre. */
const FAR_OFF = 2 ** 130;

const UNSHIFTED = [0, 0, 0];

export interface RayWorld extends Pick<World, 'dimensions' | 'min' | 'period'> {
  /**
   * Along each axis, a bound on the coordinates of cell edges, for rounding margins. It is 0 if cells are counted from
   * coordinate 0, because then edges are not rounded.
   */
  readonly extents: readonly number[];
}

export function rayWorldOf({ kind, dimensions, period, min, cells, cellSize }: World): RayWorld {
  const extents = cells.map((count, axis) =>
    kind === 'unbounded' ? 0 : Math.abs(min[axis] as number) + (count + 2) * cellSize,
  );
  return { dimensions, min, period, extents };
}

export class Path {
  readonly reach: number;
  /** True if the ray may meet more than one image of a particle. */
  readonly repeats: boolean;
  readonly wraps: boolean;
  /** How far from the ray to look for centres, along each axis. */
  readonly near: readonly number[];
  private readonly origin: readonly number[];
  private readonly direction: readonly number[];
  private readonly directionSquared: number;
  /** The image tested last, and the one that the ray meets first: offsets along each axis, in periods. */
  private readonly image: number[];
  private readonly firstImage: number[];
  private firstTime = -1;

  /**
   * `greatest` is the largest radius. `tolerance` must exceed the relative error of cells and of everything computed
   * here. `stride` is the number of words from one position to the next.
   */
  constructor(
    private readonly world: RayWorld,
    { origin, direction, greatestDistance }: Ray,
    private readonly greatest: number,
    private readonly tolerance: number,
    private readonly stride: number = world.dimensions,
  ) {
    const { period, extents } = world;
    this.image = origin.map(() => 0);
    this.firstImage = origin.map(() => 0);
    this.origin = origin;
    this.direction = direction;
    this.directionSquared = direction.reduce((sum, value) => sum + value * value, 0);
    this.reach = direction.reduce((reach, value, axis) => {
      const length = period[axis] as number;
      const most = length > 0 ? MOST_PERIODS * length : 4 * FAR_OFF;
      return value === 0 ? reach : Math.min(reach, most / Math.abs(value));
    }, greatestDistance);
    this.near = origin.map(
      (value, axis) => greatest + tolerance * (Math.abs(value) + (extents[axis] as number) + greatest),
    );
    this.wraps = period.some((length) => length > 0);
    this.repeats = period.some((length, axis) => {
      const travel = Math.abs(direction[axis] as number) * this.reach + 2 * greatest;
      return length > 0 && travel > 0.99 * length;
    });
  }

  get whole(): Range {
    return [0, this.reach];
  }

  /** Returns a range of coordinates that contains the centres of all balls that the ray meets between two times. */
  sweep(axis: number, [from, to]: Range): Range {
    return [this.lowest(axis, from, to), this.highest(axis, from, to)];
  }

  /**
   * Narrows a range of times to those at which the ray may meet balls with centres between two coordinates. An empty
   * range ends before it begins.
   */
  narrow(axis: number, low: number, high: number, [from, to]: Range): Range {
    return [this.entry(axis, low, high, from), this.exit(axis, low, high, to)];
  }

  private lowest(axis: number, from: number, to: number): number {
    return Math.min(this.edge(axis, from, -1), this.edge(axis, to, -1));
  }

  private highest(axis: number, from: number, to: number): number {
    return Math.max(this.edge(axis, from, 1), this.edge(axis, to, 1));
  }

  /** Returns the coordinate at the edge of the searched margin, below the ray (`side` −1) or above it (1). */
  private edge(axis: number, time: number, side: 1 | -1): number {
    const speed = this.direction[axis] as number;
    // Prevents 0 · Infinity, which is NaN.
    const travel = speed === 0 ? 0 : speed * time;
    const near = (this.near[axis] as number) + this.tolerance * Math.abs(travel);
    return (this.origin[axis] as number) + travel + side * near;
  }

  private entry(axis: number, low: number, high: number, from: number): number {
    if (this.hardlyMoves(axis)) return from;
    const early = Math.min(this.timeAt(axis, low, -1), this.timeAt(axis, high, 1));
    return Math.max(from, early - this.tolerance * Math.abs(early));
  }

  private exit(axis: number, low: number, high: number, to: number): number {
    if (this.hardlyMoves(axis)) return to;
    const late = Math.max(this.timeAt(axis, low, -1), this.timeAt(axis, high, 1));
    return Math.min(to, late + this.tolerance * Math.abs(late));
  }

  /**
   * Returns whether the ray travels less than the greatest radius along an axis. Its direction may then be too small to
   * divide by.
   */
  private hardlyMoves(axis: number): boolean {
    return Math.abs(this.direction[axis] as number) * this.reach < this.greatest;
  }

  /** Returns the time at which the edge below the ray (`side` 1) or above it (−1) reaches a coordinate. */
  private timeAt(axis: number, position: number, side: 1 | -1): number {
    const near = (this.near[axis] as number) + this.tolerance * Math.abs(position);
    return (position + side * near - (this.origin[axis] as number)) / (this.direction[axis] as number);
  }

  /** Returns the time at which the ray first meets an image of a ball, or −1. */
  meet(positions: Float32Array, slot: number, image: readonly number[], radius: number): number {
    const { world, direction, reach } = this;
    const { dimensions } = world;
    let product = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      product += this.offset(positions, slot, image, axis) * (direction[axis] as number);
    }
    const middle = product / this.directionSquared;
    const nearest = Math.max(0, Math.min(middle, reach));
    let squared = 0;
    let footSquared = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const offset = this.offset(positions, slot, image, axis);
      squared += (offset - nearest * (direction[axis] as number)) ** 2;
      footSquared += (offset - middle * (direction[axis] as number)) ** 2;
    }
    if (!(squared <= radius * radius)) return -1;
    const halfTime = Math.sqrt(Math.max(radius * radius - footSquared, 0) / this.directionSquared);
    return Math.max(0, Math.min(middle - halfTime, reach));
  }

  /** Returns the time at which the ray first meets any image of a ball, or −1. Sets `firstImage`. */
  meetFirst(positions: Float32Array, slot: number, radius: number): number {
    this.firstTime = -1;
    if (this.isInside(positions, slot)) {
      this.seek(positions, slot, radius, this.world.dimensions - 1, 0, this.reach);
    }
    return this.firstTime;
  }

  /**
   * Returns whether a centre is inside the world along all periodic axes. Grids wrap centres by at most one period.
   * Rays leave out those that are still outside: `seek` would not end if one were very far away.
   */
  isInside(positions: Float32Array, slot: number): boolean {
    const { dimensions, min, period } = this.world;
    for (let axis = 0; axis < dimensions; axis++) {
      const length = period[axis] as number;
      const low = min[axis] as number;
      const coordinate = positions[this.stride * slot + axis] as number;
      // Like wrapOnce, treat a coordinate less than 2⁻¹²⁶ below the low end as the low end.
      const isAbove = snap(Math.fround(coordinate - low)) >= 0;
      if (length > 0 && !(isAbove && coordinate <= Math.fround(low + length))) return false;
    }
    return true;
  }

  wasFirst(image: readonly number[]): boolean {
    const { firstImage } = this;
    for (let axis = 0; axis < firstImage.length; axis++) if (firstImage[axis] !== image[axis]) return false;
    return true;
  }

  private seek(
    positions: Float32Array,
    slot: number,
    radius: number,
    axis: number,
    from: number,
    to: number,
  ): void {
    const { world, image, firstImage } = this;
    if (axis < 0) {
      const time = this.meet(positions, slot, image, radius);
      if (time < 0 || (this.firstTime >= 0 && this.firstTime <= time)) return;
      this.firstTime = time;
      for (let other = 0; other < image.length; other++) firstImage[other] = image[other] as number;
      return;
    }
    const length = world.period[axis] as number;
    const coordinate = positions[this.stride * slot + axis] as number;
    const first = length > 0 ? Math.ceil((this.lowest(axis, from, to) - coordinate) / length) : 0;
    const last = length > 0 ? Math.floor((this.highest(axis, from, to) - coordinate) / length) : 0;
    for (let count = first; count <= last; count++) {
      image[axis] = count;
      const position = coordinate + count * length;
      const early = this.entry(axis, position, position, from);
      const late = this.exit(axis, position, position, to);
      if (early <= late) this.seek(positions, slot, radius, axis - 1, early, late);
    }
  }

  private offset(positions: Float32Array, slot: number, image: readonly number[], axis: number): number {
    const { period } = this.world;
    const position = positions[this.stride * slot + axis] as number;
    return position - (this.origin[axis] as number) + (image[axis] as number) * (period[axis] as number);
  }
}

export interface CellsAlong {
  readonly cellSize: number;
  readonly inverseCellSize: number;
  /** The coordinate at which the cell with the number `zero` begins. */
  readonly low: number;
  readonly zero: number;
  /** Least and greatest cell number. Along an axis that wraps, the last cell includes the rest of the period. */
  readonly first: number;
  readonly last: number;
  /** The period. If the axis does not wrap, it is 0, and the outermost cells include everything farther out. */
  readonly period: number;
}

/** The layers of cells along one axis. If the axis wraps, layers beyond its ends have numbers, too. */
export class Layers {
  private readonly first: number;
  private readonly last: number;
  private readonly cellSize: number;
  private readonly inverseCellSize: number;
  private readonly low: number;
  private readonly zero: number;
  private readonly period: number;
  private readonly cells: number;

  constructor({ cellSize, inverseCellSize, low, zero, first, last, period }: CellsAlong) {
    this.cellSize = cellSize;
    this.inverseCellSize = inverseCellSize;
    this.low = low;
    this.zero = zero;
    this.first = first;
    this.last = last;
    this.period = period;
    this.cells = last + 1;
  }

  at(coordinate: number): number {
    const periods = this.period > 0 ? Math.floor((coordinate - this.low) / this.period) : 0;
    const position = coordinate - this.low - periods * this.period;
    const cell = Math.floor(position * this.inverseCellSize) + this.zero;
    return Math.max(this.first, Math.min(cell, this.last)) + periods * this.cells;
  }

  within([low, high]: Range): Range {
    return [this.at(low), this.at(high)];
  }

  /** Returns the average number of layers within `near` of a position. */
  width(near: number): number {
    return 1 + 2 * near * this.inverseCellSize;
  }

  periodsOf(layer: number): number {
    return this.period > 0 ? Math.floor(layer / this.cells) : 0;
  }

  cellOf(layer: number): number {
    return layer - this.periodsOf(layer) * this.cells;
  }

  /** Returns the coordinates at which a layer begins and ends. */
  extentOf(layer: number): Range {
    const { cellSize, low, zero, period, first, last } = this;
    if (period === 0) {
      return [
        layer <= first ? -FAR_OFF : low + (layer - zero) * cellSize,
        layer >= last ? FAR_OFF : low + (layer - zero + 1) * cellSize,
      ];
    }
    const start = low + this.periodsOf(layer) * period;
    const cell = this.cellOf(layer);
    return [start + cell * cellSize, cell >= last ? start + period : start + (cell + 1) * cellSize];
  }

  endOfPeriod(first: number, last: number): number {
    return this.period > 0 ? Math.min(last, (this.periodsOf(first) + 1) * this.cells - 1) : last;
  }
}

/** Receives a slot and, along each axis, the number of periods to its image. */
export type Consider = (slot: number, image: readonly number[]) => void;

/** Calls `consider` for each slot in a row's cells from `first` to `last`. The ray passes this `image` of the row. */
export type VisitRow = (
  first: number,
  last: number,
  row: number,
  layer: number,
  image: readonly number[],
  consider: Consider,
) => void;

export class Walk {
  private readonly axes: readonly [Layers, Layers, Layers?];

  constructor(
    readonly path: Path,
    cells: readonly CellsAlong[],
  ) {
    this.axes = cells.map((axis) => new Layers(axis)) as [Layers, Layers, Layers?];
  }

  /** Estimates the lookups: one per row of cells near the ray, or one per cell. */
  lookups(isLookupPerCell: boolean): number {
    const { path, axes } = this;
    const lengths = axes.map((layers, axis) => {
      const [first, last] = (layers as Layers).within(path.sweep(axis, path.whole));
      return last - first + 1;
    });
    const [, rows, layers = 1] = lengths as [number, number, number?];
    if (!isLookupPerCell) return 3 * (rows + layers);
    // If the origin is far away, rounding alone may make the searched strip many cells wide.
    const widths = lengths.map((length, axis) =>
      Math.min(length, (axes[axis] as Layers).width(path.near[axis] as number)),
    );
    return lengths.reduce(
      (sum, length, axis) =>
        sum + widths.reduce((product, width, other) => (other === axis ? product : product * width), length),
      0,
    );
  }

  visit(visitRow: VisitRow, consider: Consider): void {
    const { path, axes } = this;
    const [alongX, alongY, alongZ] = axes;
    const [firstLayer, lastLayer] = alongZ ? alongZ.within(path.sweep(2, path.whole)) : [0, 0];
    for (let layer = firstLayer; layer <= lastLayer; layer++) {
      const times = alongZ ? path.narrow(2, ...alongZ.extentOf(layer), path.whole) : path.whole;
      if (times[0] > times[1]) continue;
      const [firstRow, lastRow] = alongY.within(path.sweep(1, times));
      for (let row = firstRow; row <= lastRow; row++) {
        const span = path.narrow(1, ...alongY.extentOf(row), times);
        if (span[0] > span[1]) continue;
        const [firstColumn, lastColumn] = alongX.within(path.sweep(0, span));
        const image = [0, alongY.periodsOf(row), alongZ ? alongZ.periodsOf(layer) : 0];
        const y = alongY.cellOf(row);
        const z = alongZ ? alongZ.cellOf(layer) : 0;
        for (let column = firstColumn; column <= lastColumn; ) {
          const end = alongX.endOfPeriod(column, lastColumn);
          const x = alongX.cellOf(column);
          image[0] = alongX.periodsOf(column);
          visitRow(x, x + end - column, y, z, image, consider);
          column = end + 1;
        }
      }
    }
  }
}

export class RayHitList {
  private readonly found: { readonly id: number; readonly distance: number }[] = [];

  /** `source` holds the id of each slot. Default: the id is the slot itself. */
  constructor(
    private readonly positions: Float32Array,
    private readonly source?: Uint32Array,
  ) {}

  /** Adds a ball if `image` is its first image on the ray. */
  add(path: Path, slot: number, image: readonly number[], radius: number, distance: number): void {
    const isFirst = path.repeats
      ? path.meetFirst(this.positions, slot, radius) >= 0 && path.wasFirst(image)
      : path.isInside(this.positions, slot);
    if (isFirst) this.push(slot, distance);
  }

  addAnyImage(path: Path, slot: number, radius: number): void {
    const { positions } = this;
    const distance = path.wraps
      ? path.meetFirst(positions, slot, radius)
      : path.meet(positions, slot, UNSHIFTED, radius);
    if (distance >= 0) this.push(slot, distance);
  }

  private push(slot: number, distance: number): void {
    this.found.push({ id: this.source ? (this.source[slot] as number) : slot, distance });
  }

  inOrder(): RayHits {
    const { found } = this;
    found.sort((a, b) => a.distance - b.distance || a.id - b.id);
    return {
      ids: Uint32Array.from(found, ({ id }) => id),
      distances: Float64Array.from(found, ({ distance }) => distance),
    };
  }
}
