// The table of chunks, which query/chunks.wgsl writes. Cuts along the last axis divide space into parts. Cuts along the
// axis before it divide each of these parts, now called regions, and so on. The parts along x are the chunks. A part
// contains its low bound, but not its high one. Bounds are keys: their order as unsigned numbers is the order of the
// coordinates.
// Needs: table, chunks, boxes, snap, is_finite.

struct Chunks {
  axis: u32,
  // `starts`, `lows` and `regions` are indices of `table`, one per axis. From `starts` on: the first part of each
  // region, then the number of parts.
  starts: Extent,
  // From `lows` on: the low bound of each part; 0 for a region's first part, NO_CUT for an unused part.
  lows: Extent,
  // From `regions` on: the region of each part.
  regions: Extent,
  // The region of invalid boxes: greater than all others.
  invalid_region: u32,
  // The largest number of memberships.
  most_members: u32,
}

const NO_CUT = 0xffffffffu;

#if READS_TABLE
// The table begins with the number of parts along each axis.
fn parts_of(axis: u32) -> u32 {
  return table[axis];
}

fn regions_of(axis: u32) -> u32 {
  if (axis == DIMENSIONS - 1u) {
    return 1u;
  }
  return parts_of(axis + 1u);
}

// Returns a region's last part whose low bound is not above the key.
fn part_of(axis: u32, region: u32, key: u32) -> u32 {
  var low = table[chunks.starts[axis] + region];
  var high = table[chunks.starts[axis] + region + 1u];
  while (high - low > 1u && high > low) {
    let middle = (low + high) / 2u;
    if (table[chunks.lows[axis] + middle] <= key) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}
#endif

#if READS_BOXES
struct CornerBox {
  low: Vector,
  high: Vector,
  valid: bool,
}

fn box_of(id: u32) -> CornerBox {
  let low_in = load_vector(boxes[2u * id]);
  let high_in = load_vector(boxes[2u * id + 1u]);
  let low = snap(low_in);
  let high = snap(high_in);
  return CornerBox(low, high, is_finite(low_in) && is_finite(high_in) && all(low <= high));
}
#endif

// Flips the sign bit of positive coordinates and all bits of negative ones.
fn key_of(coordinate: f32) -> u32 {
  let bits = bitcast<u32>(coordinate);
  return select(bits | 0x80000000u, ~bits, (bits & 0x80000000u) != 0u);
}

fn coordinate_of(key: u32) -> f32 {
  return bitcast<f32>(select(~key, key & 0x7fffffffu, (key & 0x80000000u) != 0u));
}
