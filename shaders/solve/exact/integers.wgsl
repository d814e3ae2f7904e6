// Integer arithmetic of exact simulations: every device computes the same bits. Floats only guess quotients and roots,
// which are then corrected. "Rounded" means to the nearest whole number, and if two are equally near, to the even one.
// So opposite numbers have opposite results. Twin: src/core/exact/integers.ts. docs/design/exact.md derives the ranges.

const FRACTION_BITS = 15u;
const ONE = 32768i;

// Masks the lower half of a word.
const LOW_BITS = 65535i;

// A factor packs 16 significant bits and, above them, the number of bits after the point.
alias Factor = u32;

// A vector of sums, with 64 bits per component, so that any number of contacts fits.
struct WideSum {
  high: Lattice,
  low: Extent,
}

fn added(sum: WideSum, more: Lattice) -> WideSum {
  let words = bitcast<Extent>(more);
  let low = sum.low + words;
  return WideSum(sum.high + (more >> Extent(31u)) + select(Lattice(), Lattice(1), low < words), low);
}

fn total_of(high: i32, low: u32, limit: i32) -> i32 {
  let word = i32(low);
  return select(select(limit, -limit, high < 0i), clamp(word, -limit, limit), high == (word >> 31u));
}

// Returns the sums, limited to −limit … limit.
fn totals_of(sum: WideSum, limit: i32) -> Lattice {
  var totals = Lattice();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    totals[axis] = total_of(sum.high[axis], sum.low[axis], limit);
  }
  return totals;
}

// Returns value / 2^bits, rounded. |value| must be below 2^31 − 2^(bits − 1), and `bits` above 0.
fn shift_rounded(value: i32, bits: u32) -> i32 {
  return (value + i32((1u << (bits - 1u)) - 1u) + ((value >> bits) & 1i)) >> bits;
}

// A 64-bit whole number.
struct Wide {
  high: i32,
  low: u32,
}

fn add_low(wide: Wide, more: u32) -> Wide {
  let low = wide.low + more;
  return Wide(wide.high + select(0i, 1i, low < more), low);
}

fn times(value: i32, factor: Factor) -> Wide {
  let significand = factor & 0xffffu;
  let upper = (value >> 16u) * i32(significand);
  return add_low(Wide(upper >> 16u, u32(upper) << 16u), (u32(value) & 0xffffu) * significand);
}

// Rounds down. The result must fit 32 bits, and `bits` must be from 1 to 31.
fn shift_wide(wide: Wide, bits: u32) -> i32 {
  return i32((u32(wide.high) << (32u - bits)) | (wide.low >> bits));
}

// Returns value · factor, rounded.
fn scaled(value: i32, factor: Factor) -> i32 {
  let bits = factor >> 16u;
  let wide = times(value, factor);
  return shift_wide(add_low(wide, (1u << (bits - 1u)) - 1u + ((wide.low >> bits) & 1u)), bits);
}

// Returns value · fraction / ONE, rounded. `fraction` is from −ONE to ONE.
fn share_of(value: i32, fraction: i32) -> i32 {
  // The upper half of `value` contributes an even whole number, so it does not change how a tie is rounded.
  return 2i * ((value >> 16u) * fraction) + shift_rounded((value & LOW_BITS) * fraction, FRACTION_BITS);
}

fn shares_of(value: i32, direction: Lattice) -> Lattice {
  var shares = Lattice();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    shares[axis] = share_of(value, direction[axis]);
  }
  return shares;
}

// Returns the share of each number. `fraction` is from 0 to ONE.
fn parts_of(values: Lattice, fraction: i32) -> Lattice {
  var parts = Lattice();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    parts[axis] = share_of(values[axis], fraction);
  }
  return parts;
}

fn scaled_all(values: Lattice, factor: Factor) -> Lattice {
  var all = Lattice();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    all[axis] = scaled(values[axis], factor);
  }
  return all;
}

// Returns the dot product of a vector and a direction, rounded once.
fn dot_with(vector: Lattice, direction: Lattice) -> i32 {
  var upper = 0i;
  var lower = 0i;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    upper += (vector[axis] >> FRACTION_BITS) * direction[axis];
    lower += (vector[axis] & (ONE - 1i)) * direction[axis];
  }
  let odd = (upper + (lower >> FRACTION_BITS)) & 1i;
  return upper + ((lower + (ONE / 2i - 1i) + odd) >> FRACTION_BITS);
}

// Returns a · ONE / b, rounded down, for 0 <= a <= b < 2^28 and b > 0. Sets `rest` to the remainder.
fn quotient(a: i32, b: i32, rest: ptr<function, i32>) -> i32 {
  let guess = i32(f32(a) / f32(b) * f32(ONE));
  // Products wrap around; their difference fits. The guess is off by at most one.
  *rest = a * ONE - guess * b;
  let step = select(select(0i, 1i, *rest >= b), -1i, *rest < 0i);
  *rest -= step * b;
  return guess + step;
}

// Returns a / b as a fraction of ONE, rounded down, for 0 <= a <= b and b > 0. If b is at least 2^28, ignores the
// lowest three bits of both.
fn ratio_of(a: i32, b: i32) -> i32 {
  let bits = select(0u, 3u, b >= (1i << 28u));
  var rest = 0i;
  return quotient(a >> bits, b >> bits, &rest);
}

// Returns a component of a vector divided by the vector's length, rounded towards 0.
fn direction_part(component: i32, length: i32) -> i32 {
  let part = ratio_of(min(abs(component), length), length);
  return select(part, -part, component < 0i);
}

fn direction_of(vector: Lattice, length: i32) -> Lattice {
  var direction = Lattice();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    direction[axis] = direction_part(vector[axis], length);
  }
  return direction;
}

// Use this instead of the greatest of abs(vector): if the vector is a difference, NVIDIA's compiler (driver 580) leaves
// out the `abs`.
fn is_within(vector: Lattice, limit: i32) -> bool {
  return all(vector < Lattice(limit)) && all(vector > Lattice(-limit));
}

// Returns the sum of squares, which may wrap around.
fn squared_sum(vector: Lattice) -> i32 {
  var sum = 0i;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    sum += vector[axis] * vector[axis];
  }
  return sum;
}

// Returns the length of a vector with components of at most 2^20, rounded down. Sets `rest` to the squared length minus
// the square of the result.
fn short_root(vector: Lattice, rest: ptr<function, i32>) -> i32 {
  let floats = Vector(vector);
  var guess = i32(sqrt(dot(floats, floats)));
  // The squares wrap around; their difference fits. The guess is off by at most two.
  *rest = squared_sum(vector) - guess * guess;
  for (var round = 0u; round < 2u; round++) {
    let step = select(select(0i, 1i, *rest > 2i * guess), -1i, *rest < 0i);
    *rest -= step * (2i * guess + step);
    guess += step;
  }
  return guess;
}

fn short_length(vector: Lattice) -> i32 {
  var rest = 0i;
  return short_root(vector, &rest);
}

// Returns the length of a vector, rounded down. Cuts off low bits of large numbers.
fn length_of(vector: Lattice) -> i32 {
  let bits = select(select(11u, 6u, is_within(vector, 1i << 26u)), 0u, is_within(vector, 1i << 20u));
  // A shift rounds down. Adding 2^bits - 1 to negative components makes it round towards 0.
  let cut = (vector + select(Lattice(), Lattice((1i << bits) - 1i), vector < Lattice())) >> Extent(bits);
  return short_length(cut) << bits;
}
