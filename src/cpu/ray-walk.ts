/**
 * Purpose: the way of a ray through cells, and the balls that it meets, whatever balls and cells there are: ray.ts asks
 * for those of a grid with one diameter, level-ray.ts for those of a grid with radii. Inputs: a ray that begins in the
 * world, the cells along each axis, and how to look into them. Outputs: sources and distances, by distance and then by
 * source. Where the world wraps around, so does the ray, MOST_PERIODS along an axis at most, and a ball counts where it
 * is first met. Decided in doubles.
 *
 * The walk is that of shaders/measure/rays.wgsl: layers of cells along z, for each the times at which the ray is near
 * it, for these the rows along y, for each the cells along x. Each cell is looked at once. Everything is widened by
 * more than rounding takes where cells are told.
 */
import { MOST_PERIODS } from '../core/constants';
import type { World } from '../core/world';

export interface RayHits {
  readonly ids: Uint32Array;
  /** In lengths of the direction. */
  readonly distances: Float64Array;
}

export interface Ray {
  readonly origin: readonly number[];
  readonly direction: readonly number[];
  readonly greatestDistance: number;
}

/** Two numbers, the lower one first. */
type Range = readonly [number, number];

/** Nothing is farther away than this. */
const FAR_OFF = 2 ** 130;

/** The image that a particle is itself. */
const HERE = [0, 0, 0];

interface Meeting {
  readonly distance: number;
  /** Numbers of periods that the image is away. */
  readonly image: readonly number[];
}

/** A ray and how far beside it to look. */
export class Path {
  readonly reach: number;
  /** Whether it may meet more than one image of a particle; whether there are images at all. */
  readonly repeats: boolean;
  readonly wraps: boolean;
  private readonly origin: readonly number[];
  private readonly direction: readonly number[];
  private readonly directionSquared: number;
  private readonly near: readonly number[];

  /**
   * `greatest`: of the radii of the balls. `widened`: more than the share of a coordinate that the cells, and all that
   * is computed here, are off by.
   */
  constructor(
    private readonly world: World,
    { origin, direction, greatestDistance }: Ray,
    private readonly greatest: number,
    private readonly widened: number,
  ) {
    const { period } = world;
    this.origin = origin;
    this.direction = direction;
    this.directionSquared = direction.reduce((sum, value) => sum + value * value, 0);
    this.reach = direction.reduce((reach, value, axis) => {
      const length = period[axis] as number;
      const most = length > 0 ? MOST_PERIODS * length : 4 * FAR_OFF;
      return value === 0 ? reach : Math.min(reach, most / Math.abs(value));
    }, greatestDistance);
    this.near = origin.map((value, axis) => {
      const extent =
        world.kind === 'unbounded' ? 0 : Math.abs(world.min[axis] as number) + this.lengthOf(axis);
      return greatest + widened * (Math.abs(value) + extent + greatest);
    });
    this.wraps = period.some((length) => length > 0);
    this.repeats = period.some((length, axis) => {
      const way = Math.abs(direction[axis] as number) * this.reach + 2 * greatest;
      return length > 0 && way > 0.99 * length;
    });
  }

  get whole(): Range {
    return [0, this.reach];
  }

  private lengthOf(axis: number): number {
    return ((this.world.cells[axis] as number) + 2) * this.world.cellSize;
  }

  /** Least and greatest coordinate along an axis of centres that may be met between two times. */
  sweep(axis: number, times: Range): Range {
    const ends = times.map((time) => {
      // A ray that rests along an axis does so for ever.
      const way = (this.direction[axis] as number) === 0 ? 0 : (this.direction[axis] as number) * time;
      const place = (this.origin[axis] as number) + way;
      const near = (this.near[axis] as number) + this.widened * Math.abs(way);
      return [place - near, place + near] as const;
    }) as [Range, Range];
    return [Math.min(ends[0][0], ends[1][0]), Math.max(ends[0][1], ends[1][1])];
  }

  /** Of a span of times, that in which centres between two coordinates may be met; empty if it descends. */
  narrow(axis: number, low: number, high: number, times: Range): Range {
    const { widened } = this;
    const speed = this.direction[axis] as number;
    if (Math.abs(speed) * this.reach < this.greatest) return times;
    const near = this.near[axis] as number;
    const from = (low - near - widened * Math.abs(low) - (this.origin[axis] as number)) / speed;
    const to = (high + near + widened * Math.abs(high) - (this.origin[axis] as number)) / speed;
    const early = Math.min(from, to);
    const late = Math.max(from, to);
    return [
      Math.max(times[0], early - widened * Math.abs(early)),
      Math.min(times[1], late + widened * Math.abs(late)),
    ];
  }

  /** The time at which the ray first meets an image of a ball, or −1. */
  meet(positions: Float32Array, slot: number, image: readonly number[], radius: number): number {
    const { world, direction, reach } = this;
    const { dimensions } = world;
    let along = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      along += this.away(positions, slot, image, axis) * (direction[axis] as number);
    }
    const middle = along / this.directionSquared;
    const nearest = Math.max(0, Math.min(middle, reach));
    let squared = 0;
    let footSquared = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const away = this.away(positions, slot, image, axis);
      squared += (away - nearest * (direction[axis] as number)) ** 2;
      footSquared += (away - middle * (direction[axis] as number)) ** 2;
    }
    if (!(squared <= radius * radius)) return -1;
    const halfTime = Math.sqrt(Math.max(radius * radius - footSquared, 0) / this.directionSquared);
    return Math.max(0, Math.min(middle - halfTime, reach));
  }

  /** Of all images of a ball the one that is met first. */
  firstMeeting(positions: Float32Array, slot: number, radius: number): Meeting | undefined {
    const { dimensions, period } = this.world;
    const image = new Array<number>(dimensions).fill(0);
    let first: Meeting | undefined;
    const go = (axis: number, times: Range): void => {
      if (axis < 0) {
        const distance = this.meet(positions, slot, image, radius);
        if (distance >= 0 && (first === undefined || distance < first.distance)) {
          first = { distance, image: [...image] };
        }
        return;
      }
      const length = period[axis] as number;
      const coordinate = positions[dimensions * slot + axis] as number;
      const [low, high] = this.sweep(axis, times);
      const from = length > 0 ? Math.ceil((low - coordinate) / length) : 0;
      const to = length > 0 ? Math.floor((high - coordinate) / length) : 0;
      for (let count = from; count <= to; count++) {
        image[axis] = count;
        const place = coordinate + count * length;
        const span = this.narrow(axis, place, place, times);
        if (span[0] <= span[1]) go(axis - 1, span);
      }
    };
    go(dimensions - 1, this.whole);
    return first;
  }

  private away(positions: Float32Array, slot: number, image: readonly number[], axis: number): number {
    const { dimensions, period } = this.world;
    const place = positions[dimensions * slot + axis] as number;
    return place - (this.origin[axis] as number) + (image[axis] as number) * (period[axis] as number);
  }
}

/** How cells lie along an axis. */
export interface CellsAlong {
  readonly cellSize: number;
  readonly inverseCellSize: number;
  /** Where the cell `zero` begins. */
  readonly low: number;
  readonly zero: number;
  /** Least and greatest number of a cell. Along an axis that wraps around, 0 and the last, which takes in the rest. */
  readonly first: number;
  readonly last: number;
  /** 0 along axes that do not wrap around: there, what lies farther out belongs to the outermost cells. */
  readonly period: number;
}

/** Layers of cells along an axis; where it wraps around they are numbered on beyond the ends. */
export class Layers {
  private readonly first: number;
  private readonly last: number;
  private readonly cellSize: number;
  private readonly inverseCellSize: number;
  private readonly low: number;
  private readonly zero: number;
  private readonly period: number;
  /** In a period. */
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
    const place = coordinate - this.low - periods * this.period;
    const cell = Math.floor(place * this.inverseCellSize) + this.zero;
    return Math.max(this.first, Math.min(cell, this.last)) + periods * this.cells;
  }

  within([low, high]: Range): Range {
    return [this.at(low), this.at(high)];
  }

  periodsOf(layer: number): number {
    return this.period > 0 ? Math.floor(layer / this.cells) : 0;
  }

  /** The cells that a layer is one of. */
  cellOf(layer: number): number {
    return layer - this.periodsOf(layer) * this.cells;
  }

  /** Where a layer begins and ends. The outermost cells along an axis that does not wrap around have no end. */
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

  /** The last of a range of layers that are in one period with its first. */
  endOfPeriod(first: number, last: number): number {
    return this.period > 0 ? Math.min(last, (this.periodsOf(first) + 1) * this.cells - 1) : last;
  }
}

/** A slot, and the numbers of periods that its image is away. */
export type Consider = (slot: number, image: readonly number[]) => void;

/** Calls `consider` for each slot in some cells of a row, with an image: from and up to a column, its row and layer. */
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
    this.axes = cells.map((along) => new Layers(along)) as [Layers, Layers, Layers?];
  }

  /** About so many rows of cells are passed; if each cell takes a lookup, so many of these. */
  lookups(areCellsSingle: boolean): number {
    const lengths = this.axes.map((layers, axis) => {
      const [first, last] = (layers as Layers).within(this.path.sweep(axis, this.path.whole));
      return last - first + 1;
    });
    const [columns, rows, layers = 1] = lengths as [number, number, number?];
    return 3 * (rows + layers) + (areCellsSingle ? columns : 0);
  }

  /** Every particle that the ray may come near, with the image. */
  go(visitRow: VisitRow, consider: Consider): void {
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

/** What a ray has met. */
export class Meetings {
  private readonly found: { readonly id: number; readonly distance: number }[] = [];

  constructor(
    private readonly source: Uint32Array,
    private readonly positions: Float32Array,
  ) {}

  /** Takes a ball in that is met as an image, if that is the first of its images that is. */
  add(path: Path, slot: number, image: readonly number[], radius: number, distance: number): void {
    if (path.repeats) {
      const first = path.firstMeeting(this.positions, slot, radius);
      if (!first?.image.every((count, axis) => count === image[axis])) return;
    }
    this.found.push({ id: this.source[slot] as number, distance });
  }

  /** Takes a ball in, if any of its images is met. */
  ask(path: Path, slot: number, radius: number): void {
    const { positions, source, found } = this;
    const distance = path.wraps
      ? (path.firstMeeting(positions, slot, radius)?.distance ?? -1)
      : path.meet(positions, slot, HERE, radius);
    if (distance >= 0) found.push({ id: source[slot] as number, distance });
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
