// The paths of fast particles: where they are on them, and when two of them meet. The law is in src/core/flight.ts; twin:
// src/core/paths.ts. Needs a world, box_* and block_*, and of the kernel position_in, velocity_in: the ends of a
// substep's motion. A time is a share of the substep.

// Squares of FAST_SHARE, which is TO_WALL too, and NEAR_SHARE.
const FAST_SQUARED = 1.0 / f32(FLIGHT_PARTS * FLIGHT_PARTS);
const NEAR_SQUARED = f32((FLIGHT_PARTS - 1) * (FLIGHT_PARTS - 1)) * FAST_SQUARED;

// A key later than any.
const NEVER = 0xffffffffu;
const NO_CLOSING = (1u << CLOSING_BITS) - 1u;

// From its beginning to its end.
fn way_of(slot: u32) -> Vector {
  return substep.dt * load_vector(velocity_in[slot]);
}

fn is_fast(way: Vector) -> bool {
  return dot(way, way) > FAST_SQUARED * substep.diameter_squared;
}

fn place_at(slot: u32, way: Vector, time: f32) -> Vector {
  return load_vector(position_in[slot]) - (1.0 - time) * way;
}

// Of two keys the lower comes first: the tick, then how fast two close in.
fn key_of_end(time: f32) -> u32 {
  return (u32(time * f32(FLIGHT_TICKS)) << CLOSING_BITS) | NO_CLOSING;
}

fn key_of_hit(time: f32, closing: f32) -> u32 {
  return key_of_end(time) - (bitcast<u32>(closing) >> (31u - CLOSING_BITS));
}

fn time_of_key(key: u32) -> f32 {
  return f32(key >> CLOSING_BITS) * (1.0 / f32(FLIGHT_TICKS));
}

// Whether a key is of a tick before that of a time.
fn is_before(key: u32, time: f32) -> bool {
  return (key >> CLOSING_BITS) < u32(time * f32(FLIGHT_TICKS));
}

// The key of the hit of two that are `apart` at a time, of which the one moves with `motion` seen from the other: at once
// if they are too near and approach each other, NEVER if they do not come so near.
fn impact(apart: Vector, motion: Vector, since: f32) -> u32 {
  let approach = dot(apart, motion);
  if (!(approach < 0.0)) {
    return NEVER;
  }
  let squared = dot(apart, apart);
  let gap = squared - NEAR_SQUARED * substep.diameter_squared;
  if (gap <= 0.0) {
    return key_of_hit(since, -approach / sqrt(squared));
  }
  let discriminant = approach * approach - dot(motion, motion) * gap;
  if (discriminant < 0.0) {
    return NEVER;
  }
  let root = sqrt(discriminant);
  let time = since + gap / (root - approach);
  if (!(time <= 1.0)) {
    return NEVER;
  }
  return key_of_hit(time, root / sqrt(NEAR_SQUARED * substep.diameter_squared));
}

// A path is followed in pieces of equal length, at most so long: in a world that wraps around, short enough that the
// nearest image stays the nearest. Twin: longestPiece.
fn longest_piece(cells: f32) -> f32 {
  var longest = cells * grid.cell_size;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let nearest = 0.25 * grid.period[axis] - 0.5 * substep.diameter;
    longest = select(longest, min(longest, nearest), grid.period[axis] > 0.0);
  }
  return longest;
}

fn cuts_of(way: Vector, longest: f32) -> f32 {
  return max(1.0, ceil(length(way) / longest));
}

// Of so many pieces. Where all that may be are not a tick, the path ends where it begins.
fn followed_pieces(cuts: f32) -> f32 {
  return select(min(cuts, f32(MOST_PIECES)), 1.0, cuts > f32(MOST_PIECES) * f32(FLIGHT_TICKS));
}

// The cells of a piece and of what is so near to it.
fn block_around(slot: u32, way: Vector, since: f32, to: f32, margin: f32) -> Block {
  let begin = place_at(slot, way, since);
  let end = place_at(slot, way, to);
  let box = brought_in(Box(min(begin, end) - Vector(margin), max(begin, end) + Vector(margin)));
  return block_between(box.low, box.high);
}

// Whether rounding makes more of a piece than it is: so far out, or on so long a way, that one cannot be followed.
fn is_coarse(block: Block) -> bool {
  return any(block.length > Extent(4u * PIECE_CELLS));
}
