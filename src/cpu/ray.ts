/**
 * Purpose: which balls around particles a ray meets, in each kind of world. Inputs: a canonical order and its
 * positions, a ray, a radius. Output: the sources of the particles and their distances, by distance and then by source.
 * Where the world wraps around, so does the ray, MOST_PERIODS along an axis at most, and a ball counts where it is first
 * met. Decided in doubles.
 *
 * The walk is that of shaders/measure/rays.wgsl: layers of cells along z, for each the times at which the ray is near
 * it, for these the rows along y, for each the cells along x. Each cell is looked at once. Everything is widened by
 * 2⁻²⁰, since cells are those of 32-bit floats.
 */
import { MOST_PERIODS } from '../core/constants';
import { FARTHEST_CELL, type World } from '../core/world';
import { visitCells } from './hashed';
import { lowerBound } from './lattice';
import type { CellOrder } from './order';

export interface RayHits {
  readonly ids: Uint32Array;
  /** In lengths of the direction. */
  readonly distances: Float64Array;
}

/** Two numbers, the lower one first. */
type Range = readonly [number, number];

const WIDENED = 2 ** -20;

/** Nothing is farther away than this. */
const FAR_OFF = 2 ** 130;

interface Meeting {
  readonly distance: number;
  /** Numbers of periods that the image is away. */
  readonly image: readonly number[];
}

class Path {
  readonly reach: number;
  private readonly directionSquared: number;
  private readonly near: readonly number[];
  /** Whether it may meet more than one image of a particle. */
  readonly repeats: boolean;

  constructor(
    readonly world: World,
    readonly origin: readonly number[],
    readonly direction: readonly number[],
    greatestDistance: number,
    private readonly radius: number,
  ) {
    const { period } = world;
    this.directionSquared = direction.reduce((sum, value) => sum + value * value, 0);
    this.reach = direction.reduce((reach, value, axis) => {
      const length = period[axis] as number;
      const most = length > 0 ? MOST_PERIODS * length : 4 * FAR_OFF;
      return value === 0 ? reach : Math.min(reach, most / Math.abs(value));
    }, greatestDistance);
    this.near = origin.map((value, axis) => {
      const extent =
        world.kind === 'unbounded' ? 0 : Math.abs(world.min[axis] as number) + this.lengthOf(axis);
      return radius + WIDENED * (Math.abs(value) + extent + radius);
    });
    this.repeats = period.some((length, axis) => {
      const way = Math.abs(direction[axis] as number) * this.reach + 2 * radius;
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
      const near = (this.near[axis] as number) + WIDENED * Math.abs(way);
      return [place - near, place + near] as const;
    }) as [Range, Range];
    return [Math.min(ends[0][0], ends[1][0]), Math.max(ends[0][1], ends[1][1])];
  }

  /** Of a span of times, that in which centres between two coordinates may be met; empty if it descends. */
  narrow(axis: number, low: number, high: number, times: Range): Range {
    const speed = this.direction[axis] as number;
    if (Math.abs(speed) * this.reach < this.radius) return times;
    const near = this.near[axis] as number;
    const from = (low - near - WIDENED * Math.abs(low) - (this.origin[axis] as number)) / speed;
    const to = (high + near + WIDENED * Math.abs(high) - (this.origin[axis] as number)) / speed;
    const early = Math.min(from, to);
    const late = Math.max(from, to);
    return [
      Math.max(times[0], early - WIDENED * Math.abs(early)),
      Math.min(times[1], late + WIDENED * Math.abs(late)),
    ];
  }

  /** The time at which the ray first meets an image of a particle, or −1. */
  meet(positions: Float32Array, slot: number, image: readonly number[]): number {
    const { world, direction, radius, reach } = this;
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

  /** Of all images of a particle the one that is met first. */
  firstMeeting(positions: Float32Array, slot: number): Meeting | undefined {
    const { dimensions, period } = this.world;
    const image = new Array<number>(dimensions).fill(0);
    let first: Meeting | undefined;
    const go = (axis: number, times: Range): void => {
      if (axis < 0) {
        const distance = this.meet(positions, slot, image);
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

/** Layers of cells along an axis; where it wraps around they are numbered on beyond the ends. */
class Layers {
  private readonly cells: number;
  private readonly low: number;
  private readonly period: number;
  /** Empty cells at each end of an axis that does not wrap around. */
  private readonly ring: number;
  private readonly isUnbounded: boolean;

  constructor(
    private readonly world: World,
    axis: number,
  ) {
    this.isUnbounded = world.kind === 'unbounded';
    this.cells = world.cells[axis] as number;
    this.low = world.min[axis] as number;
    this.period = world.period[axis] as number;
    this.ring = this.period > 0 ? 0 : 1;
  }

  at(coordinate: number): number {
    const { inverseCellSize } = this.world;
    if (this.isUnbounded) {
      return Math.max(-FARTHEST_CELL, Math.min(Math.floor(coordinate * inverseCellSize), FARTHEST_CELL));
    }
    const periods = this.period > 0 ? Math.floor((coordinate - this.low) / this.period) : 0;
    const place = coordinate - this.low - periods * this.period;
    const last = this.cells - 2 * this.ring - 1;
    const cell = Math.max(0, Math.min(Math.floor(place * inverseCellSize), last));
    return cell + this.ring + periods * this.cells;
  }

  within([low, high]: Range): Range {
    return [this.at(low), this.at(high)];
  }

  periodsOf(layer: number): number {
    return this.period > 0 ? Math.floor(layer / this.cells) : 0;
  }

  /** As keys have it: those along an axis that wraps around begin at 1. */
  keyOf(layer: number): number {
    return this.period > 0 ? layer - this.periodsOf(layer) * this.cells + 1 : layer;
  }

  /** Where a layer begins and ends. Outside a box, particles belong to the outermost cells: these have no end. */
  extentOf(layer: number): Range {
    const { cellSize } = this.world;
    if (this.isUnbounded) {
      return [
        layer <= -FARTHEST_CELL ? -FAR_OFF : layer * cellSize,
        layer >= FARTHEST_CELL ? FAR_OFF : (layer + 1) * cellSize,
      ];
    }
    const periods = this.periodsOf(layer);
    const cell = layer - periods * this.cells - this.ring;
    const isLast = cell >= this.cells - 2 * this.ring - 1;
    const low = this.low + periods * this.period;
    const end = isLast ? (this.period > 0 ? low + this.period : FAR_OFF) : low + (cell + 1) * cellSize;
    return [cell <= 0 && this.period === 0 ? -FAR_OFF : low + cell * cellSize, end];
  }

  /** A range of layers in parts, none of them across an end of the world. */
  forEachPeriod([first, last]: Range, call: (first: number, last: number) => void): void {
    if (this.period === 0) {
      call(first, last);
      return;
    }
    for (let layer = first; layer <= last; ) {
      const end = Math.min(last, (this.periodsOf(layer) + 1) * this.cells - 1);
      call(layer, end);
      layer = end + 1;
    }
  }
}

export function findAlongRay(
  order: CellOrder,
  positions: Float32Array,
  origin: readonly number[],
  direction: readonly number[],
  greatestDistance: number,
  radius: number,
): RayHits {
  const { live, source, lattice } = order;
  const { world } = lattice;
  // One period is as good as another to begin in.
  const start = origin.map((value, axis) => {
    const length = world.period[axis] as number;
    return length > 0 ? value - length * Math.floor((value - (world.min[axis] as number)) / length) : value;
  });
  const path = new Path(world, start, direction, greatestDistance, radius);
  const found: { readonly id: number; readonly distance: number }[] = [];
  const consider = (slot: number, image: readonly number[]) => {
    let distance = path.meet(positions, slot, image);
    if (distance >= 0 && path.repeats) {
      const first = path.firstMeeting(positions, slot);
      const isFirst = first?.image.every((count, axis) => count === image[axis]);
      distance = first && isFirst ? first.distance : -1;
    }
    if (distance >= 0) found.push({ id: source[slot] as number, distance });
  };
  if (!walk(order, path, consider)) {
    for (let slot = 0; slot < live; slot++) {
      const first = path.firstMeeting(positions, slot);
      if (first) found.push({ id: source[slot] as number, distance: first.distance });
    }
  }
  found.sort((a, b) => a.distance - b.distance || a.id - b.id);
  return {
    ids: Uint32Array.from(found, ({ id }) => id),
    distances: Float64Array.from(found, ({ distance }) => distance),
  };
}

/** Every particle that the ray may come near, with the image; false where it is less work to ask all of them. */
function walk(
  order: CellOrder,
  path: Path,
  consider: (slot: number, image: readonly number[]) => void,
): boolean {
  const { live } = order;
  const { world, direction } = path;
  const { dimensions } = world;
  const axes = direction.map((_, axis) => new Layers(world, axis)) as [Layers, Layers, Layers?];
  const [alongX, alongY, alongZ] = axes;
  const lengths = axes.map((layers, axis) => {
    const [first, last] = (layers as Layers).within(path.sweep(axis, path.whole));
    return last - first + 1;
  });
  // Rows are found by searching keys, but those of an unbounded world cell by cell.
  const [columns, rows, layers = 1] = lengths as [number, number, number?];
  if (3 * (rows + layers) + (world.kind === 'unbounded' ? columns : 0) > live) return false;
  const visitRow = (row: number, layer: number, cells: Range) => {
    const image = [0, alongY.periodsOf(row), alongZ?.periodsOf(layer) ?? 0].slice(0, dimensions);
    if (world.kind === 'unbounded') {
      const corner = (x: number) => [x, row, layer].slice(0, dimensions);
      visitCells(order, corner(cells[0]), corner(cells[1]), (slot) => consider(slot, image));
      return;
    }
    const { keys, lattice } = order;
    const rowKey = (alongZ?.keyOf(layer) ?? 0) * lattice.layerStride + alongY.keyOf(row) * lattice.rowStride;
    alongX.forEachPeriod(cells, (first, last) => {
      image[0] = alongX.periodsOf(first);
      const lastKey = rowKey + alongX.keyOf(last);
      let slot = lowerBound(keys, live, rowKey + alongX.keyOf(first));
      for (; (keys[slot] as number) <= lastKey; slot++) consider(slot, image);
    });
  };
  const [firstLayer, lastLayer] = alongZ ? alongZ.within(path.sweep(2, path.whole)) : [0, 0];
  for (let layer = firstLayer; layer <= lastLayer; layer++) {
    const times = alongZ ? path.narrow(2, ...alongZ.extentOf(layer), path.whole) : path.whole;
    if (times[0] > times[1]) continue;
    const [firstRow, lastRow] = alongY.within(path.sweep(1, times));
    for (let row = firstRow; row <= lastRow; row++) {
      const span = path.narrow(1, ...alongY.extentOf(row), times);
      if (span[0] <= span[1]) visitRow(row, layer, alongX.within(path.sweep(0, span)));
    }
  }
  return true;
}
