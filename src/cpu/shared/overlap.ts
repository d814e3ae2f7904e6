/**
 * Decides whether two particles overlap, on the real numbers that their 32-bit coordinates are. The pair loops compare
 * distances in doubles and call this file only for the rare pairs whose distance² is within rounding of diameter².
 * Guarantee: the answer is that of exact arithmetic, whatever the coordinates.
 */

/**
 * Share of diameter² within which a distance² in doubles may be on the wrong side. Differences, squares and their sum
 * are each within 2⁻⁵³, diameter² and its product with SURELY or PERHAPS too: less than eight of these together.
 */
export const ROUNDING_BAND = 2 ** -50;

/**
 * The band of the distance² of minimum images, absolute. Along each axis, a difference of up to about the period P and
 * then P minus it are rounded, each by 2⁻⁵³ P. That is 2 √3 · 3 · 2⁻⁵³ P on d² near the diameter, less than 2⁻⁴⁹ of
 * diameter · P; squares of such errors are far smaller.
 */
export function wrappedBand(diameter: number, longestPeriod: number): number {
  return ROUNDING_BAND * diameter * diameter + 2 ** -48 * diameter * longestPeriod;
}

/**
 * A pair with a distance² in doubles below diameter² · SURELY overlaps; above diameter² · PERHAPS it does not. The pair
 * loops keep all pairs that may overlap and count those that surely do. The exact test of the others runs after the
 * loop, because a call inside it makes V8 keep its numbers in memory.
 */
export const SURELY = 1 - ROUNDING_BAND;
export const PERHAPS = 1 + ROUNDING_BAND;

/**
 * From the pairs of slots from word `begin` up to `end`, which all may overlap, keeps those that do, in their order.
 * Returns the index of the word after them.
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

/** Touching (distance = diameter) is not overlapping. */
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
    // This close to diameter² the excess is exact, and one more addition keeps its sign.
    const excess = sum - diameter * diameter;
    if (flatError === 0 || error === 0) return excess + (flatError + error) < 0;
  }
  return overlapsExactly([ax, ay, az], [bx, by, bz], diameter);
}

/** True if the minimum images of two slots overlap, in 2D or 3D. `periods` are infinite along axes that do not wrap. */
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

/**
 * True if the minimum images of two slots are closer than the sum of their radii. That sum is not always a double.
 */
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

/** Distance of the minimum images along an axis, or NaN if it is no 32-bit float. */
function exactlyApart(a: number, b: number, period: number): number {
  const direct = a - b;
  if (!isExactDifference(a, b, direct)) return Number.NaN;
  const apart = Math.abs(direct);
  const around = Math.abs(period - apart);
  if (!(around < apart)) return apart;
  return isExactDifference(period, apart, period - apart) ? around : Number.NaN;
}

/** True if a difference of two 32-bit floats is exact and a 32-bit float itself. */
function isExactDifference(a: number, b: number, difference: number): boolean {
  return Math.fround(difference) === difference && a - difference === b && difference + b === a;
}

/** The rounding error of a sum of two doubles (Knuth's TwoSum). */
function sumError(a: number, b: number, sum: number): number {
  const bRounded = sum - a;
  return a - (sum - bRounded) + (b - bRounded);
}

/** `rest`: the rounding error of the diameter. */
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
    if (Number.isFinite(period)) difference = minimumDistance(difference, toInteger(period));
    squares += difference * difference;
  }
  const limit = toInteger(diameter) + toInteger(rest);
  return squares < limit * limit;
}

function minimumDistance(difference: bigint, period: bigint): bigint {
  const rest = difference % period;
  const apart = rest < 0n ? -rest : rest;
  return 2n * apart > period ? period - apart : apart;
}

const bits = new DataView(new ArrayBuffer(8));

/** A finite double times 2¹⁰⁷⁴, which is an integer. */
function toInteger(value: number): bigint {
  bits.setFloat64(0, value);
  const word = bits.getBigUint64(0);
  const exponent = (word >> 52n) & 0x7ffn;
  const fraction = word & 0xf_ffff_ffff_ffffn;
  const magnitude = exponent === 0n ? fraction : (fraction | 0x10_0000_0000_0000n) << (exponent - 1n);
  return word >> 63n === 0n ? magnitude : -magnitude;
}
