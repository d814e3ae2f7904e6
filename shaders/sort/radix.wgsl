// Sorts keys by one digit, for a radix sort from the least significant digit. `radix_count` counts the keys of each run
// by digit. A scan, ordered by digit and then run, gives target indices. `radix_scatter` moves the keys. One thread
// reads a run in order, so the sort is stable. Signed and float keys are converted to unsigned on the first read and
// back on the last write.
// Needs: radix, KEYS_SIGNED, KEYS_FLOAT, RADIX_DIGITS, grid, RADIX_RUN, linear_workgroup, key_in, counts, starts.
// Needs: key_out, payload_out, payload_in.

struct Radix {
  shift: u32,
  // The types of the keys read and written, each a constant KEYS_….
  read: u32,
  written: u32,
}

#if WIDE
// A key of two words: the low word, then the high word.
alias Key = vec2u;
const SIGN_BIT = vec2u(0u, SIGN);
const INFINITY = 0x7ff00000u;
#else
alias Key = u32;
const SIGN_BIT = SIGN;
const INFINITY = 0x7f800000u;
#endif

const SIGN = 0x80000000u;

fn high_word(key: Key) -> u32 {
#if WIDE
  return key.y;
#else
  return key;
#endif
}

fn is_nan(key: Key) -> bool {
#if WIDE
  // A NaN may have the high word of infinity and a low word that is not 0; min(key.x, 1) covers it.
  return (key.y & ~SIGN) + min(key.x, 1u) > INFINITY;
#else
  return (key & ~SIGN) > INFINITY;
#endif
}

// Converts a key to an unsigned number of the same order. Flips all bits of negative floats and the sign bit of other
// floats, so −0 comes before 0. Every NaN becomes the last key.
fn to_unsigned(key: Key) -> Key {
  if (radix.read == KEYS_SIGNED) {
    return key ^ SIGN_BIT;
  }
  if (radix.read == KEYS_FLOAT) {
    if (is_nan(key)) {
      return ~Key();
    }
    return select(key | SIGN_BIT, ~key, (high_word(key) & SIGN) != 0u);
  }
  return key;
}

fn from_unsigned(key: Key) -> Key {
  if (radix.written == KEYS_SIGNED) {
    return key ^ SIGN_BIT;
  }
  if (radix.written == KEYS_FLOAT) {
    return select(~key, key & ~SIGN_BIT, (high_word(key) & SIGN) != 0u);
  }
  return key;
}

fn digit_of(key: Key) -> u32 {
#if WIDE
  let word = select(key.x, key.y, radix.shift >= 32u);
  return (word >> (radix.shift & 31u)) & (RADIX_DIGITS - 1u);
#else
  return (key >> radix.shift) & (RADIX_DIGITS - 1u);
#endif
}

fn runs() -> u32 {
  return (grid.count + RADIX_RUN - 1u) / RADIX_RUN;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn radix_count(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let run = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (run >= runs()) {
    return;
  }
  var found: array<u32, RADIX_DIGITS>;
  let first = run * RADIX_RUN;
  let end = min(first + RADIX_RUN, grid.count);
  for (var index = first; index < end; index++) {
    found[digit_of(to_unsigned(key_in[index]))] += 1u;
  }
  for (var digit = 0u; digit < RADIX_DIGITS; digit++) {
    counts[digit * runs() + run] = found[digit];
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn radix_scatter(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let run = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (run >= runs()) {
    return;
  }
  var next_index: array<u32, RADIX_DIGITS>;
  for (var digit = 0u; digit < RADIX_DIGITS; digit++) {
    next_index[digit] = starts[digit * runs() + run];
  }
  let first = run * RADIX_RUN;
  let end = min(first + RADIX_RUN, grid.count);
  for (var index = first; index < end; index++) {
    let key = to_unsigned(key_in[index]);
    let digit = digit_of(key);
    let next = next_index[digit];
    next_index[digit] = next + 1u;
    if (next < grid.count) {
      key_out[next] = from_unsigned(key);
#if PAYLOAD
      payload_out[next] = payload_in[index];
#endif
    }
  }
}
