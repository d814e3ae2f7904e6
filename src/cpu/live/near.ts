/**
 * Finds objects of an index that are near a position or overlap a ball. Distances are those of minimum images.
 * Guarantee: overlaps are decided exactly on the 32-bit numbers, whatever the radii.
 */

import type { Visit } from '../equal/near';
import { type Nearest, widen } from '../equal/nearest';
import { ballsOverlap, minimumDistance, wrappedBand } from '../shared/overlap';
import { type LiveCells, RADIUS, WORDS } from './cells';
import type { Found } from './found';

/** This factor makes up for the rounding errors of a sum of two doubles and of a distance². */
const WIDER = 1 + 2 ** -48;

export class DistanceSearch {
  private x = 0;
  private y = 0;
  private z = 0;
  private radius = 0;
  private balls = false;
  private above = 0;
  private readonly periods: readonly number[];
  private readonly wraps: boolean;
  private readonly longestPeriod: number;
  private readonly centres: Float32Array;
  private readonly consider: (id: number) => void;

  constructor(
    private readonly cells: LiveCells,
    period: readonly number[],
    found: Found,
  ) {
    this.periods = period.map((length) => length || Number.POSITIVE_INFINITY);
    this.longestPeriod = Math.max(...period);
    this.wraps = this.longestPeriod > 0;
    this.centres = new Float32Array(2 * period.length);
    this.consider = (id) => {
      if (id > this.above && this.isWithin(WORDS * id)) found.push(id);
    };
  }

  get memoryBytes(): number {
    return this.centres.byteLength;
  }

  /**
   * Finds objects of a level with ids above `above`: those that overlap a ball or, without `balls`, those whose centres
   * are within `radius`.
   */
  find(level: number, x: number, y: number, z: number, radius: number, balls: boolean, above: number): void {
    const { cells } = this;
    this.x = x;
    this.y = y;
    this.z = z;
    this.radius = radius;
    this.balls = balls;
    this.above = above;
    const reach = (balls ? radius + cells.greatestRadius(level) : radius) * WIDER;
    cells.visitAround(level, x, y, z, reach, this.consider);
  }

  /**
   * The first search radius is at most the cell edge of the level with the most objects. So a few large or small
   * objects do not decide it.
   */
  nearest(x: number, y: number, z: number, k: number, radius: number): Nearest {
    const { cells } = this;
    const { counts, occupied, occupiedLevels } = cells;
    let activeCount = 0;
    let fullest = 0;
    for (const level of occupied.subarray(0, occupiedLevels)) {
      activeCount += counts[level] as number;
      if ((counts[level] as number) > (counts[fullest] as number)) fullest = level;
    }
    const near = (reach: number, visit: Visit) => {
      const limit = reach * reach;
      const consider = (id: number) => {
        const squared = this.distanceSquared(WORDS * id, x, y, z);
        if (squared <= limit) visit(id, squared);
      };
      for (let index = 0; index < occupiedLevels; index++) {
        cells.visitAround(occupied[index] as number, x, y, z, reach * WIDER, consider);
      }
    };
    return widen(k, radius, {
      activeCount,
      dimensions: this.periods.length,
      cellSize: 2 * cells.greatestRadius(fullest),
      // `near` allows any reach: it visits each object once, and per level at most as many cells as objects.
      halfPeriod: Number.POSITIVE_INFINITY,
      near,
      all: (visit) => near(radius, visit),
    });
  }

  distanceSquared(record: number, x: number, y: number, z: number): number {
    const { reals, periods } = this.cells;
    let dx = (reals[record] as number) - x;
    let dy = (reals[record + 1] as number) - y;
    let dz = (reals[record + 2] as number) - z;
    if (this.wraps) {
      dx = minimumDistance(dx, periods[0] as number);
      dy = minimumDistance(dy, periods[1] as number);
      dz = minimumDistance(dz, periods[2] as number);
    }
    return dx * dx + dy * dy + dz * dz;
  }

  private isWithin(record: number): boolean {
    const { radius } = this;
    const squared = this.distanceSquared(record, this.x, this.y, this.z);
    if (!this.balls) return squared <= radius * radius;
    const sum = radius + (this.cells.reals[record + RADIUS] as number);
    const excess = squared - sum * sum;
    // The factor 2 is for the rounded sum of radii. `noise` bounds the rounding error of a distance along one axis. It
    // matters if a period is far longer than the radii.
    const noise = 2 ** -48 * this.longestPeriod;
    const band = 2 * wrappedBand(sum, this.longestPeriod) + noise * noise;
    if (excess > band) return false;
    return excess < -band || this.overlapsExactly(record);
  }

  private overlapsExactly(record: number): boolean {
    const { centres, periods } = this;
    const { reals } = this.cells;
    const dimensions = periods.length;
    const centre = [this.x, this.y, this.z];
    for (let axis = 0; axis < dimensions; axis++) {
      centres[axis] = centre[axis] as number;
      centres[dimensions + axis] = reals[record + axis] as number;
    }
    return ballsOverlap(centres, 0, 1, this.radius, reals[record + RADIUS] as number, periods);
  }
}
