/**
 * Finds a point's corners: the faces or cell centres around it, four in 2D and eight in 3D. A corner's weight falls off
 * linearly over one cell along each axis. Points are in units of cells. For speed, the code writes out x, y and z.
 * Points are arrays, because V8 would put fractional arguments on the heap.
 */
import type { Lattice } from '../lattice';

/** Sets of corners, one bit per corner: the lower corners along an axis, and the set of all corners. */
const LOWER_X = 0b01010101;
const LOWER_Y = 0b00110011;
const LOWER_Z = 0b00001111;
const ALL = 0b11111111;

/** Finds corners. Bit `axis` of a corner's number is set if the corner is the upper one along that axis. */
export class Corners {
  readonly count: number;
  /** Differences in index from the first corner to each corner. */
  readonly offsets: Int32Array;
  /** Weights of the last find(). */
  readonly weights = new Float64Array(8);
  /** Index of the first corner in an array over the lattice. */
  entry = 0;
  /** A bit per corner, 1 if the corner is beyond an end of the lattice. */
  beyond = 0;
  private readonly lower = new Float64Array(3);
  private readonly shares = new Float64Array(3);
  private readonly is3D: boolean;
  private readonly cellsX: number;
  private readonly cellsY: number;
  private readonly cellsZ: number;
  private readonly row: number;
  private readonly plane: number;
  private readonly first: number;
  private readonly size: number;

  constructor({ dimensions, cells, strides, first, size }: Lattice) {
    this.is3D = dimensions === 3;
    [this.cellsX, this.cellsY, this.cellsZ] = cells;
    [, this.row, this.plane] = strides;
    this.first = first;
    this.size = size;
    this.count = this.is3D ? 8 : 4;
    this.offsets = Int32Array.from(
      { length: 8 },
      (_, corner) => (corner & 1) + ((corner >> 1) & 1) * this.row + (corner >> 2) * this.plane,
    );
  }

  /**
   * Finds the corners among the faces perpendicular to an axis; axis −1 means cell centres. With `clamped` (for
   * reading), the outermost corners get the weight of corners beyond the ends. Without it (for scattering), `beyond`
   * marks the corners beyond the ends.
   */
  find(axis: number, point: Float64Array, clamped: boolean): void {
    const { lower, shares, weights } = this;
    const lastX = this.cellsX - (axis === 0 ? 0 : 1);
    const lastY = this.cellsY - (axis === 1 ? 0 : 1);
    const lastZ = this.cellsZ - (axis === 2 ? 0 : 1);
    let x = (point[0] as number) - (axis === 0 ? 0 : 0.5);
    let y = (point[1] as number) - (axis === 1 ? 0 : 0.5);
    let z = this.is3D ? (point[2] as number) - (axis === 2 ? 0 : 0.5) : 0;
    if (clamped) {
      x = within(x, lastX);
      y = within(y, lastY);
      z = within(z, lastZ);
    }
    const leftmost = clamped ? lowerOf(x, lastX) : Math.floor(x);
    const lowest = clamped ? lowerOf(y, lastY) : Math.floor(y);
    const foremost = clamped && this.is3D ? lowerOf(z, lastZ) : Math.floor(z);
    this.beyond =
      beyondEnds(leftmost, lastX, LOWER_X) |
      beyondEnds(lowest, lastY, LOWER_Y) |
      beyondEnds(foremost, lastZ, LOWER_Z);
    this.entry = this.first + leftmost + lowest * this.row + foremost * this.plane;
    const right = x - leftmost;
    const up = y - lowest;
    const back = z - foremost;
    const left = 1 - right;
    const down = 1 - up;
    const front = 1 - back;
    weights[0] = left * down * front;
    weights[1] = right * down * front;
    weights[2] = left * up * front;
    weights[3] = right * up * front;
    weights[4] = left * down * back;
    weights[5] = right * down * back;
    weights[6] = left * up * back;
    weights[7] = right * up * back;
    lower[0] = leftmost + (axis === 0 ? 0 : 0.5);
    lower[1] = lowest + (axis === 1 ? 0 : 0.5);
    lower[2] = foremost + (axis === 2 ? 0 : 0.5);
    shares[0] = right;
    shares[1] = up;
    shares[2] = back;
  }

  /** Returns the signed distance along an axis, in cells, from the point to a corner of the last find(). */
  offsetTo(corner: number, axis: number, point: Float64Array): number {
    return (this.lower[axis] as number) + ((corner >> axis) & 1) - (point[axis] as number);
  }

  /** Returns a field's slope along an axis, per cell, at the point of the last find(). */
  slope(field: Float64Array, offset: number, axis: number): number {
    const { offsets, count, shares } = this;
    const first = offset + this.entry;
    const one = axis === 0 ? 1 : 0;
    const two = axis === 2 ? 1 : 2;
    const upperOne = shares[one] as number;
    const upperTwo = shares[two] as number;
    let sum = 0;
    for (let corner = 0; corner < count; corner++) {
      const weight =
        ((corner >> one) & 1 ? upperOne : 1 - upperOne) * ((corner >> two) & 1 ? upperTwo : 1 - upperTwo);
      const value = field[first + (offsets[corner] as number)] as number;
      sum += ((corner >> axis) & 1 ? weight : -weight) * value;
    }
    return sum;
  }

  /**
   * Writes the velocity at a point: along each axis, the weighted sum of the faces' velocities, with clamped corners.
   * Does not call find(), which would double the time because it passes results in arrays.
   */
  velocityAt(point: Float64Array, field: Float64Array, out: Float64Array): void {
    const { is3D, row, plane, first, size } = this;
    const x = point[0] as number;
    const y = point[1] as number;
    const z = point[2] as number;
    for (let axis = 0; axis < (is3D ? 3 : 2); axis++) {
      const lastX = this.cellsX - (axis === 0 ? 0 : 1);
      const lastY = this.cellsY - (axis === 1 ? 0 : 1);
      const lastZ = this.cellsZ - (axis === 2 ? 0 : 1);
      const atX = within(axis === 0 ? x : x - 0.5, lastX);
      const atY = within(axis === 1 ? y : y - 0.5, lastY);
      const leftmost = lowerOf(atX, lastX);
      const lowest = lowerOf(atY, lastY);
      const right = atX - leftmost;
      const up = atY - lowest;
      const left = 1 - right;
      const down = 1 - up;
      const entry = axis * size + first + leftmost + row * lowest;
      let sum = 0;
      if (is3D) {
        const atZ = within(axis === 2 ? z : z - 0.5, lastZ);
        const foremost = lowerOf(atZ, lastZ);
        const back = atZ - foremost;
        const front = 1 - back;
        const near = entry + plane * foremost;
        const far = near + plane;
        sum += left * down * front * (field[near] as number);
        sum += right * down * front * (field[near + 1] as number);
        sum += left * up * front * (field[near + row] as number);
        sum += right * up * front * (field[near + row + 1] as number);
        sum += left * down * back * (field[far] as number);
        sum += right * down * back * (field[far + 1] as number);
        sum += left * up * back * (field[far + row] as number);
        sum += right * up * back * (field[far + row + 1] as number);
      } else {
        sum += left * down * (field[entry] as number);
        sum += right * down * (field[entry + 1] as number);
        sum += left * up * (field[entry + row] as number);
        sum += right * up * (field[entry + row + 1] as number);
      }
      out[axis] = sum;
    }
  }
}

function within(coordinate: number, last: number): number {
  return Math.min(Math.max(coordinate, 0), last);
}

/** Returns the index along an axis of the corner below `coordinate`, which must be from 0 to `last`. */
function lowerOf(coordinate: number, last: number): number {
  return Math.min(Math.floor(coordinate), last - 1);
}

/** Returns the set of corners below 0 or above `last` along an axis. `lowers`: the lower corners along that axis. */
function beyondEnds(lower: number, last: number, lowers: number): number {
  return (lower < 0 || lower > last ? lowers : 0) | (lower < -1 || lower >= last ? ALL ^ lowers : 0);
}
