/**
 * Finds the pairs of boxes that overlap. Sweeps along x through each row, and through pairs of rows. Each pair is
 * listed once, the lower id first.
 */

import { lengthenPairs } from '../shared/lattice';
import { type BoxOrder, CORNERS } from './order';

export class BoxSweep {
  words = new Uint32Array(0);
  length = 0;
  private level = 0;
  private row = 0;
  private advice = '';

  constructor(private readonly order: BoxOrder) {}

  begin(advice: string): void {
    this.advice = advice;
    this.level = 0;
    this.row = 0;
    this.length = 0;
  }

  advance(): boolean {
    const { starts, levelRows } = this.order;
    const rows = levelRows[levelRows.length - 1] as number;
    while (this.row < rows && starts[this.row] === starts[this.row + 1]) this.row++;
    if (this.row >= rows) return false;
    while (this.row >= (levelRows[this.level + 1] as number)) this.level++;
    this.searchRow(this.row++);
    return true;
  }

  /** Compares a row with itself and with later rows nearby, on its level and on higher ones. */
  private searchRow(row: number): void {
    const { order, level } = this;
    const { starts, levelRows } = order;
    const first = starts[row] as number;
    const end = starts[row + 1] as number;
    const inLevel = row - (levelRows[level] as number);
    const width = order.rowsAt(0, level);
    const y = inLevel % width;
    const z = (inLevel - y) / width;
    this.sweepWithin(first, end);
    for (let higher = level; higher < order.levels; higher++) {
      const begin = levelRows[higher] as number;
      if (starts[begin] === starts[levelRows[higher + 1] as number]) continue;
      const shift = higher - level;
      const rowsY = order.rowsAt(0, higher);
      const rowsZ = order.rowsAt(1, higher);
      const lastY = Math.min(rowsY - 1, (y + 1) >> shift);
      const lastZ = Math.min(rowsZ - 1, (z + 1) >> shift);
      for (let otherZ = Math.max(0, (z >> shift) - 1); otherZ <= lastZ; otherZ++) {
        for (let otherY = Math.max(0, (y >> shift) - 1); otherY <= lastY; otherY++) {
          const other = begin + otherZ * rowsY + otherY;
          if (other <= row) continue;
          const otherFirst = starts[other] as number;
          const otherEnd = starts[other + 1] as number;
          if (otherFirst < otherEnd) this.sweepBetween(first, end, otherFirst, otherEnd);
        }
      }
    }
  }

  private sweepWithin(first: number, end: number): void {
    const { corners } = this.order;
    for (let slot = first; slot < end; slot++) this.sweep(corners, slot, slot + 1, end);
  }

  /** Goes through two rows together by low x, and tests each box against later boxes of the other row. */
  private sweepBetween(first: number, end: number, otherFirst: number, otherEnd: number): void {
    const { corners } = this.order;
    let slot = first;
    let other = otherFirst;
    while (slot < end && other < otherEnd) {
      if ((corners[CORNERS * slot] as number) <= (corners[CORNERS * other] as number)) {
        this.sweep(corners, slot++, other, otherEnd);
      } else {
        this.sweep(corners, other++, slot, end);
      }
    }
  }

  private sweep(corners: Float32Array, slot: number, from: number, end: number): void {
    const first = CORNERS * slot;
    const highX = corners[first + 3] as number;
    const lowY = corners[first + 1] as number;
    const highY = corners[first + 4] as number;
    const lowZ = corners[first + 2] as number;
    const highZ = corners[first + 5] as number;
    const last = CORNERS * end;
    for (let other = CORNERS * from; other < last; other += CORNERS) {
      if ((corners[other] as number) > highX) return;
      if (
        (corners[other + 1] as number) <= highY &&
        (corners[other + 4] as number) >= lowY &&
        (corners[other + 2] as number) <= highZ &&
        (corners[other + 5] as number) >= lowZ
      ) {
        this.meet(slot, other / CORNERS);
      }
    }
  }

  private meet(slot: number, other: number): void {
    const { ids, shifts } = this.order;
    const first = ids[slot] as number;
    const second = ids[other] as number;
    if (((shifts[slot] as number) | (shifts[other] as number)) !== 0 && !this.isFirstMeeting(slot, other))
      return;
    const { length } = this;
    if (length === this.words.length) {
      this.words = lengthenPairs(this.words, length, Math.max(1024, 2 * length), this.advice);
    }
    this.words[length] = first < second ? first : second;
    this.words[length + 1] = first < second ? second : first;
    this.length = length + 2;
  }

  /**
   * Two boxes may overlap in several pairs of slots, because images have slots, too. The cases along each axis are, in
   * this order: no box is shifted, the box with the lower id is, the other box is. (If both are shifted, they also
   * overlap unshifted.) Returns true only for the first case in which the boxes overlap.
   */
  private isFirstMeeting(slot: number, other: number): boolean {
    const { ids, sources, shifts, unsortedCorners, dimensions, periods } = this.order;
    if (ids[slot] === ids[other]) return false;
    const swapped = (ids[slot] as number) > (ids[other] as number);
    const [one, two] = swapped ? [other, slot] : [slot, other];
    for (let axis = 0; axis < dimensions; axis++) {
      const shiftOne = ((shifts[one] as number) >> axis) & 1;
      const shiftTwo = ((shifts[two] as number) >> axis) & 1;
      if (shiftOne + shiftTwo === 0) continue;
      if (shiftOne + shiftTwo === 2) return false;
      const a = CORNERS * (sources[one] as number) + axis;
      const b = CORNERS * (sources[two] as number) + axis;
      const [lowA, highA] = [unsortedCorners[a] as number, unsortedCorners[a + 3] as number];
      const [lowB, highB] = [unsortedCorners[b] as number, unsortedCorners[b + 3] as number];
      if (lowA <= highB && lowB <= highA) return false;
      const period = periods[axis] as number;
      const shifted = Math.fround(highA - period);
      if (shiftTwo === 1 && highA >= period && shifted >= lowB && Math.fround(lowA - period) <= highB)
        return false;
    }
    return true;
  }
}
