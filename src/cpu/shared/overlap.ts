/**
 * Decides exactly whether two particles overlap. Searches make these tests only for distances² so close to
 * diameter² that rounding may decide. Also wraps positions and distances in periodic worlds.
 * Guarantee: the answer is that of exact arithmetic on the 32-bit coordinates, whatever their values.
 */
import { wrapAxis, wrapOnce } from '../../core/world/cells';
import type { World } from '../../core/world/world';

const { fround } = Math;

/** Wraps the finite positions of particles from `first` up to `end` in place, by at most one period. */
export function wrapOnceIn(world: World, positions: Float32Array, first: number, end: number): void {
  const edges = world.period.map((period, axis) => fround((world.min[axis] as number) + period));
  wrapWith(world, positions, first, end, edges, wrapOnce);
}

/** Like wrapOnceIn, but by any number of periods. */
export function wrapIn(world: World, positions: Float32Array, first: number, end: number): void {
  const edges = world.period.map((period, axis) => fround((world.min[axis] as number) + period));
  wrapWith(world, positions, first, end, edges, wrapAxis);
}

function wrapWith(
  world: World,
  positions: Float32Array,
  first: number,
  end: number,
  highest: readonly number[],
  move: (world: World, position: number, axis: number) => number,
): void {
  const { dimensions, period } = world;
  const low = world.min.map((value, axis) => (period[axis] === 0 ? Number.NEGATIVE_INFINITY : value));
  const high = highest.map((value, axis) => (period[axis] === 0 ? Number.POSITIVE_INFINITY : value));
  for (let word = dimensions * first; word < dimensions * end; word += dimensions) {
    let isInside = true;
    for (let axis = 0; axis < dimensions; axis++) {
      const position = positions[word + axis] as number;
      if (!(position >= (low[axis] as number) && position < (high[axis] as number))) isInside = false;
    }
    if (isInside) continue;
    const vector = positions.subarray(word, word + dimensions);
    if (!vector.every(Number.isFinite)) continue;
    for (let axis = 0; axis < dimensions; axis++) vector[axis] = move(world, vector[axis] as number, axis);
  }
}

/**
 * Returns the distance of minimum images along an axis. `apart` is the difference of the coordinates. `period` is
 * infinite if the axis does not wrap.
 */
export function minimumDistance(apart: number, period: number): number {
  const distance = Math.abs(apart);
  return Math.min(distance, Math.abs(period - distance));
}

/**
 * A share of diameter². If a computed distance² differs from diameter² by less than this share, rounding may have put
 * the distance² on the wrong side. Each rounding adds a relative error of at most 2⁻⁵³. Seven of these add up: a
 * difference counts twice, because it is squared; then come the square, two sums, diameter², and its product with
 * SURELY or PERHAPS. Together they are less than 8 · 2⁻⁵³ = ROUNDING_BAND.
 */
export const ROUNDING_BAND = 2 ** -50;

/** Like ROUNDING_BAND, as a share of `(sum of radii)²`. Twice as large, because the sum of radii may be rounded too. */
export const SUM_BAND = 2 * ROUNDING_BAND;

/**
 * Like ROUNDING_BAND · diameter², for minimum images.
 *
 * Derivation, with P the longest period:
 * - Along an axis, the coordinates' difference is at most about P. Rounding changes it by at most about 2⁻⁵³ P.
 * - P minus that difference is rounded by at most as much again.
 * - So the distance along an axis is off by less than e = 3 · 2⁻⁵³ P.
 * - A distance² near diameter² is then off by at most 2 √3 · e · diameter, because e² is far smaller. That is less
 *   than 2⁻⁴⁹ P · diameter. The bound uses twice that.
 */
export function wrappedBand(diameter: number, longestPeriod: number): number {
  return ROUNDING_BAND * diameter * diameter + 2 ** -48 * diameter * longestPeriod;
}

/**
 * If the distance² of a pair in doubles is below diameter² · SURELY, the pair overlaps. If it is above diameter² ·
 * PERHAPS, the pair does not. The loops for bounded worlds keep all pairs that may overlap, and dropApart tests them
 * afterwards. If a loop called the exact test, V8 would keep the loop's numbers in memory, not in registers.
 */
export const SURELY = 1 - ROUNDING_BAND;
export const PERHAPS = 1 + ROUNDING_BAND;

/**
 * Removes the pairs of slots that do not overlap. The others keep their order. Returns their end. Each given pair must
 * have a distance² of at most diameter² · PERHAPS.
 */
export function dropApart(
  words: Int32Array | Uint32Array,
  begin: number,
  end: number,
  positions: Float32Array,
  dimensions: number,
  diameter: number,
): number {
  const surely = diameter * diameter * SURELY;
  let length = begin;
  for (let word = begin; word < end; word += 2) {
    const slot = words[word] as number;
    const other = words[word + 1] as number;
    words[length] = slot;
    words[length + 1] = other;
    const from = dimensions * slot;
    const to = dimensions * other;
    const x = positions[from] as number;
    const y = positions[from + 1] as number;
    const z = dimensions === 3 ? (positions[from + 2] as number) : 0;
    const otherX = positions[to] as number;
    const otherY = positions[to + 1] as number;
    const otherZ = dimensions === 3 ? (positions[to + 2] as number) : 0;
    const dx = otherX - x;
    const dy = otherY - y;
    const dz = otherZ - z;
    const squared = dx * dx + dy * dy + dz * dz;
    if (squared < surely || overlapsInSpace(x, y, z, otherX, otherY, otherZ, diameter)) length += 2;
  }
  return length;
}

/** Returns whether two discs overlap. Touching (distance = diameter) is not overlapping. */
export function overlapsInPlane(ax: number, ay: number, bx: number, by: number, diameter: number): boolean {
  const dx = ax - bx;
  const dy = ay - by;
  if (isExactDifference(ax, bx, dx) && isExactDifference(ay, by, dy) && Math.fround(diameter) === diameter) {
    // Numbers of 24 bits have exact squares in doubles. Only the sum rounds, and its error is known.
    const xx = dx * dx;
    const yy = dy * dy;
    const sum = xx + yy;
    const excess = sum - diameter * diameter;
    return excess === 0 ? sumError(xx, yy, sum) < 0 : excess < 0;
  }
  return overlapsExactly([ax, ay], [bx, by], diameter);
}

export function overlapsInSpace(
  ax: number,
  ay: number,
  az: number,
  bx: number,
  by: number,
  bz: number,
  diameter: number,
): boolean {
  const dx = ax - bx;
  const dy = ay - by;
  const dz = az - bz;
  if (
    isExactDifference(ax, bx, dx) &&
    isExactDifference(ay, by, dy) &&
    isExactDifference(az, bz, dz) &&
    Math.fround(diameter) === diameter
  ) {
    const flat = dx * dx + dy * dy;
    const sum = flat + dz * dz;
    const flatError = sumError(dx * dx, dy * dy, flat);
    const error = sumError(flat, dz * dz, sum);
    // The sum is close to diameter², so the excess is exact. If one of the two errors is 0, a single addition remains,
    // and rounding does not change its sign.
    const excess = sum - diameter * diameter;
    if (flatError === 0 || error === 0) return excess + (flatError + error) < 0;
  }
  return overlapsExactly([ax, ay, az], [bx, by, bz], diameter);
}

export function overlapsWrapped(
  positions: Float32Array,
  slot: number,
  other: number,
  diameter: number,
  periods: readonly number[],
): boolean {
  const dimensions = periods.length;
  const apart = (axis: number) =>
    exactlyApart(
      positions[dimensions * slot + axis] as number,
      positions[dimensions * other + axis] as number,
      periods[axis] as number,
    );
  const x = apart(0);
  const y = apart(1);
  const z = dimensions === 3 ? apart(2) : 0;
  if (x + y + z >= 0) return overlapsInSpace(x, y, z, 0, 0, 0, diameter);
  const [a, b] = [vectorOf(positions, slot, dimensions), vectorOf(positions, other, dimensions)];
  return overlapsExactly(a, b, diameter, periods);
}

/** Returns whether two balls overlap, even if a double cannot hold the sum of their radii exactly. */
export function ballsOverlap(
  positions: Float32Array,
  slot: number,
  other: number,
  radius: number,
  otherRadius: number,
  periods: readonly number[],
): boolean {
  const sum = radius + otherRadius;
  const rest = sumError(radius, otherRadius, sum);
  if (rest === 0) return overlapsWrapped(positions, slot, other, sum, periods);
  const [a, b] = [vectorOf(positions, slot, periods.length), vectorOf(positions, other, periods.length)];
  return overlapsExactly(a, b, sum, periods, rest);
}

function vectorOf(positions: Float32Array, slot: number, dimensions: number): number[] {
  return Array.from(positions.subarray(dimensions * slot, dimensions * (slot + 1)));
}

/** Returns the distance of the minimum images along an axis; NaN if this distance or |a − b| is not a 32-bit float. */
function exactlyApart(a: number, b: number, period: number): number {
  const direct = a - b;
  if (!isExactDifference(a, b, direct)) return Number.NaN;
  const apart = Math.abs(direct);
  const wrapped = Math.abs(period - apart);
  if (!(wrapped < apart)) return apart;
  return isExactDifference(period, apart, period - apart) ? wrapped : Number.NaN;
}

/** Returns true if `difference` is a − b without rounding, and a 32-bit float. */
function isExactDifference(a: number, b: number, difference: number): boolean {
  return Math.fround(difference) === difference && a - difference === b && difference + b === a;
}

/** Returns the rounding error of a sum of two doubles (Knuth's TwoSum). */
function sumError(a: number, b: number, sum: number): number {
  const bRounded = sum - a;
  return a - (sum - bRounded) + (b - bRounded);
}

/** Compares in integers. If `diameter` is a rounded sum of radii, `rest` is its rounding error. */
function overlapsExactly(
  a: readonly number[],
  b: readonly number[],
  diameter: number,
  periods?: readonly number[],
  rest = 0,
): boolean {
  let squares = 0n;
  for (let axis = 0; axis < a.length; axis++) {
    let difference = toInteger(a[axis] as number) - toInteger(b[axis] as number);
    const period = periods?.[axis] ?? Number.POSITIVE_INFINITY;
    if (Number.isFinite(period)) difference = exactMinimumDistance(difference, toInteger(period));
    squares += difference * difference;
  }
  const limit = toInteger(diameter) + toInteger(rest);
  return squares < limit * limit;
}

function exactMinimumDistance(difference: bigint, period: bigint): bigint {
  const rest = difference % period;
  const apart = rest < 0n ? -rest : rest;
  return 2n * apart > period ? period - apart : apart;
}

const bits = new DataView(new ArrayBuffer(8));

/** Returns a finite double times 2¹⁰⁷⁴, which is an integer. */
function toInteger(value: number): bigint {
  bits.setFloat64(0, value);
  const word = bits.getBigUint64(0);
  const exponent = (word >> 52n) & 0x7ffn;
  const fraction = word & 0xf_ffff_ffff_ffffn;
  const magnitude = exponent === 0n ? fraction : (fraction | 0x10_0000_0000_0000n) << (exponent - 1n);
  return word >> 63n === 0n ? magnitude : -magnitude;
}
