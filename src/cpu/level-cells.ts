/**
 * Purpose: cells of particles that each have a radius of their own, and the bucket of the table that a cell is filed
 * in. The levels are those of src/core/levels.ts; places are scaled in doubles, and along axes that do not wrap around
 * by a power of two, which rounds nothing however far out a particle is.
 * Guarantee: two particles closer than the edge of a level's cells are in adjacent cells of that level.
 */
import { HASH_BLOCK, HASH_BLOCK_SHIFT } from '../core/constants';
import { FARTHEST_CELL, type World } from '../core/world';

export class LevelCells {
  /** Of three axes: what a place is counted from, and multiplied with; first and last cell of the lowest level. */
  private readonly origins = new Float64Array(3);
  private readonly scales = new Float64Array(3);
  private readonly lowest = new Float64Array(3);
  private readonly highest = new Float64Array(3);
  /** Cells of the lowest level along axes that wrap around, 0 along others. */
  private readonly counts = new Int32Array(3);
  private readonly periods: readonly number[];
  private readonly mask: number;

  constructor(world: World) {
    const { dimensions, period, min, cells, baseDiameter, cellCount } = world;
    this.mask = cellCount - 1;
    this.periods = period;
    for (let axis = 0; axis < dimensions; axis++) {
      const wraps = (period[axis] as number) > 0;
      this.origins[axis] = wraps ? (min[axis] as number) : 0;
      this.scales[axis] = wraps ? world.inverseCellSize : 1 / baseDiameter;
      this.counts[axis] = wraps ? (cells[axis] as number) : 0;
      this.lowest[axis] = wraps ? 0 : -FARTHEST_CELL;
      this.highest[axis] = wraps ? (cells[axis] as number) - 1 : FARTHEST_CELL;
    }
  }

  /** Coordinate of a place's cell on a level. */
  at(place: number, axis: number, level: number): number {
    const scaled = (place - (this.origins[axis] as number)) * (this.scales[axis] as number);
    const low = this.lowest[axis] as number;
    const high = this.highest[axis] as number;
    const finest = Math.floor(scaled < low ? low : scaled > high ? high : scaled);
    return this.coarser(finest, axis, 0, level);
  }

  /** From a cell of a level to the one of a higher level that it lies in. The last of an axis takes in what is left. */
  coarser(coordinate: number, axis: number, level: number, higher: number): number {
    const shifted = coordinate >> (higher - level);
    const count = this.counts[axis] as number;
    return count === 0 ? shifted : Math.min(shifted, (count >> higher) - 1);
  }

  /** A cell beside another, brought in across an end. */
  broughtIn(coordinate: number, axis: number, level: number): number {
    const count = (this.counts[axis] as number) >> level;
    if (count === 0) return coordinate;
    return coordinate < 0 ? coordinate + count : coordinate >= count ? coordinate - count : coordinate;
  }

  /** As bucketAt of src/core/levels.ts, without its arrays. In the plane, z is 0. */
  bucket(x: number, y: number, z: number, level: number): number {
    let hash = Math.imul(level, 0x9e3779b9) ^ Math.imul(x >> HASH_BLOCK_SHIFT, 0x8da6b343);
    hash ^= Math.imul(y, 0xd8163841) ^ Math.imul(z, 0xcb1ab31f);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
    hash ^= hash >>> 15;
    return (Math.imul(hash, HASH_BLOCK) & this.mask) + (x & (HASH_BLOCK - 1));
  }

  /** Cells that reach into radius of a place in the world, and one to spare, in parts: first and last of each. */
  within(place: number, radius: number, axis: number, level: number): number[] {
    const count = (this.counts[axis] as number) >> level;
    if (count === 0)
      return [this.at(place - radius, axis, level) - 1, this.at(place + radius, axis, level) + 1];
    const low = this.origins[axis] as number;
    const period = this.periods[axis] as number;
    const below = place - radius < low;
    const above = place + radius >= low + period;
    // Numbers below 0 and from `count` on are those of cells at the other end.
    const first =
      this.at(below ? place - radius + period : place - radius, axis, level) - (below ? count : 0) - 1;
    const last =
      this.at(above ? place + radius - period : place + radius, axis, level) + (above ? count : 0) + 1;
    if (last - first + 1 >= count) return [0, count - 1];
    if (first < 0) return [0, last, first + count, count - 1];
    return last >= count ? [0, last - count, first, count - 1] : [first, last];
  }
}
