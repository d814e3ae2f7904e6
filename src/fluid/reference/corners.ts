/**
 * Purpose: the faces or the middles of cells around a place, with weights that fall off linearly over one cell along each axis.
 * Inputs: a place, in cells. Outputs: entries of the lattice, weights, their slopes, and values of fields at the place.
 * It is asked a dozen times for each particle in a substep, so it is laid out for speed: what all corners share is worked out
 * once, in arrays that are used again.
 */
import type { Lattice } from '../lattice';

/** Of the corners 0 to 7, a bit each: those at the lower and at the upper end of each axis. */
const LOW = [0b01010101, 0b00110011, 0b00001111] as const;
const HIGH = [0b10101010, 0b11001100, 0b11110000] as const;

/** Four corners in the plane, eight in space. Bit `axis` of a corner's number says that it is the upper one along that axis. */
export class Corners {
  readonly count: number;
  /** From the first corner's entry to each. */
  readonly offsets: Int32Array;
  readonly weights = new Float64Array(8);
  /** Entry of the first corner. */
  entry = 0;
  /** A bit for each corner that is beyond an end of the lattice. */
  beyond = 0;
  private readonly at = new Float64Array(3);
  // Along each axis first among the middles of cells, then among the faces across it.
  /** The lower neighbour, and how far the place is from it, in cells. */
  private readonly lower = new Int32Array(6);
  private readonly shares = new Float64Array(6);
  private readonly ends = new Uint8Array(6);
  /** Which of these the corners are among, for each axis. */
  private readonly chosen = new Uint8Array(3);

  constructor(private readonly lattice: Lattice) {
    const { dimensions, strides } = lattice;
    this.count = 1 << dimensions;
    this.offsets = Int32Array.from({ length: 8 }, (_, corner) =>
      [0, 1, 2].reduce((sum, axis) => sum + ((corner >> axis) & 1) * (strides[axis] as number), 0),
    );
  }

  /**
   * Goes to a place. `clamped`: where corners are beyond an end their weight is given to the last ones, as is right for
   * reading; else they are marked in `beyond`, as is right for giving.
   */
  locate(place: ArrayLike<number>, clamped: boolean): void {
    const { dimensions, cells } = this.lattice;
    for (let axis = 0; axis < dimensions; axis++) {
      const own = place[axis] as number;
      this.at[axis] = own;
      for (let among = 0; among < 2; among++) {
        const last = (cells[axis] as number) - 1 + among;
        let at = among === 1 ? own : own - 0.5;
        if (clamped) at = Math.min(Math.max(at, 0), last);
        let floor = Math.floor(at);
        if (clamped) floor = Math.min(floor, last - 1);
        const entry = 2 * axis + among;
        this.lower[entry] = floor;
        this.shares[entry] = at - floor;
        this.ends[entry] =
          (floor < 0 || floor > last ? (LOW[axis] as number) : 0) |
          (floor < -1 || floor >= last ? (HIGH[axis] as number) : 0);
      }
    }
  }

  /** The corners among the faces across an axis, or with axis −1 among the middles of cells. */
  choose(axis: number): void {
    const { lower, shares, ends, weights, chosen } = this;
    const { first, strides, dimensions } = this.lattice;
    const x = axis === 0 ? 1 : 0;
    const y = axis === 1 ? 3 : 2;
    const z = axis === 2 ? 5 : 4;
    chosen[0] = x;
    chosen[1] = y;
    chosen[2] = z;
    this.entry =
      first + (lower[x] as number) + (lower[y] as number) * strides[1] + (lower[z] as number) * strides[2];
    this.beyond = (ends[x] as number) | (ends[y] as number) | (ends[z] as number);
    const [right, up, back] = [shares[x] as number, shares[y] as number, shares[z] as number];
    const [left, down, front] = [1 - right, 1 - up, 1 - back];
    weights[0] = left * down * front;
    weights[1] = right * down * front;
    weights[2] = left * up * front;
    weights[3] = right * up * front;
    if (dimensions === 2) return;
    weights[4] = left * down * back;
    weights[5] = right * down * back;
    weights[6] = left * up * back;
    weights[7] = right * up * back;
  }

  /** From the place to a corner along an axis, in cells. */
  way(corner: number, axis: number): number {
    const entry = this.chosen[axis] as number;
    return (
      (this.lower[entry] as number) +
      ((corner >> axis) & 1) +
      0.5 * (1 - (entry & 1)) -
      (this.at[axis] as number)
    );
  }

  /** The value of a field at the place. */
  sum(field: Float64Array, offset: number): number {
    const { weights, offsets, count } = this;
    const first = offset + this.entry;
    let sum = 0;
    for (let corner = 0; corner < count; corner++)
      sum += (weights[corner] as number) * (field[first + (offsets[corner] as number)] as number);
    return sum;
  }

  /** Its slope along an axis, a cell. */
  slope(field: Float64Array, offset: number, axis: number): number {
    const { offsets, count, shares, chosen } = this;
    const first = offset + this.entry;
    // The other axes; in the plane the share of the third is 0.
    const one = axis === 0 ? 1 : 0;
    const two = axis === 2 ? 1 : 2;
    const upperOne = shares[chosen[one] as number] as number;
    const upperTwo = shares[chosen[two] as number] as number;
    let sum = 0;
    for (let corner = 0; corner < count; corner++) {
      const weight =
        ((corner >> one) & 1 ? upperOne : 1 - upperOne) * ((corner >> two) & 1 ? upperTwo : 1 - upperTwo);
      const value = field[first + (offsets[corner] as number)] as number;
      sum += ((corner >> axis) & 1 ? weight : -weight) * value;
    }
    return sum;
  }
}
