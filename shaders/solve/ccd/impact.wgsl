// The paths of fast particles: where they are on them, and when two of them meet. The law is in src/core/ccd/law.ts; twins:
// src/core/ccd/paths.ts, src/core/ccd/impact.ts. Needs a world, box_* and block_*, where sizes differ contact, and of the kernel
// position_in, velocity_in: the ends of a substep's motion. A time is a share of the substep.

// Squares of FAST_SHARE, which is TO_WALL too, and of what OVERLAP_SHARE leaves of a diameter.
const FAST_SQUARED = 1.0 / f32(CCD_PARTS * CCD_PARTS);
const NEAR_SQUARED = f32((CCD_PARTS - 1) * (CCD_PARTS - 1)) * FAST_SQUARED;

// A key later than any.
const NEVER = 0xffffffffu;
const NO_CLOSING = (1u << CLOSING_BITS) - 1u;

// From its beginning to its end.
fn way_of(slot: u32) -> Vector {
  return substep.dt * load_vector(velocity_in[slot]);
}

// Neither set aside, nor to be.
fn is_live(body: PackedBody) -> bool {
#if VARIABLE_RADII
  return is_finite(place_of(body)) && has_size(radius_of(body));
#else
  return is_finite(place_of(body));
#endif
}

fn diameter_squared(body: PackedBody) -> f32 {
#if VARIABLE_RADII
  return thickness_of(body) * thickness_of(body);
#else
  return substep.diameter_squared;
#endif
}

fn is_fast(way: Vector, body: PackedBody) -> bool {
  return dot(way, way) > FAST_SQUARED * diameter_squared(body);
}

// How far inside the walls a centre stays; where all are of one size, the walls are there.
fn margin_of(body: PackedBody) -> Vector {
#if VARIABLE_RADII
  return reach_of(body);
#else
  return Vector();
#endif
}

fn place_at(slot: u32, way: Vector, time: f32) -> Vector {
  return place_of(position_in[slot]) - (1.0 - time) * way;
}

// Of two keys the lower comes first: the tick, then how fast two close in.
fn key_of_end(time: f32) -> u32 {
  return (u32(time * f32(CCD_TICKS)) << CLOSING_BITS) | NO_CLOSING;
}

fn key_of_hit(time: f32, closing: f32) -> u32 {
  return key_of_end(time) - (bitcast<u32>(closing) >> (31u - CLOSING_BITS));
}

fn time_of_key(key: u32) -> f32 {
  return f32(key >> CLOSING_BITS) * (1.0 / f32(CCD_TICKS));
}

// Whether a key is of a tick before that of a time.
fn is_before(key: u32, time: f32) -> bool {
  return (key >> CLOSING_BITS) < u32(time * f32(CCD_TICKS));
}

#if VARIABLE_RADII
// All places of the one's centre at which two overlap by more than they may on a path are, seen from the other, a box of
// half extents `sides`, rounded by `round`.
struct Near {
  sides: Vector,
  round: f32,
}

fn nearness(body: PackedBody, other: PackedBody) -> Near {
  let slack = min(thickness_of(body), thickness_of(other)) / f32(CCD_PARTS);
#if HAS_BOXES
  let half = upper_of(body.shape);
  let other_half = upper_of(other.shape);
  let round = rounding_of(half, radius_of(body)) + rounding_of(other_half, radius_of(other));
  let sides = half + other_half;
  return Near(select(sides - slack, sides, round > 0.0), max(0.0, round - slack));
#else
  return Near(Vector(), radius_of(body) + radius_of(other) - slack);
#endif
}
#endif

// Whether two that are too near already come nearer, by more than rounding makes of two that bear on each other: by a tick
// of their way. `speed_squared`: of what `approach` is a part of.
fn closes_in(approach: f32, speed_squared: f32) -> bool {
  return approach * f32(CCD_TICKS) < -sqrt(speed_squared);
}

#if HAS_BOXES
// How far one is from where two are too near, below 0 there, and the way out: of unit length, or 0 where there is none.
struct Gap {
  width: f32,
  normal: Vector,
}

fn gap_at(apart: Vector, near: Near) -> Gap {
  let beyond = abs(apart) - near.sides;
  let outside = max(beyond, Vector());
  let squared = dot(outside, outside);
  if (squared > 0.0) {
    let distance = sqrt(squared);
    return Gap(distance - near.round, sign(apart) * outside / distance);
  }
  let axis = least_deep(beyond);
  return Gap(beyond[axis] - near.round, select(Vector(), sign(apart), AXES == Extent(axis)));
}

// Tangents at most: each but the last halves what is left, and ticks are 2^14.
const MOST_TANGENTS = 24u;

// A step of less does not change the tick, but where ticks meet.
const SHORTEST_STEP = 1.0 / f32(8u * CCD_TICKS);

// The gap is a convex function of time: a tangent never meets zero too late.
fn impact_of_boxes(apart: Vector, motion: Vector, since: f32, near: Near) -> u32 {
  var later = 0.0;
  var slope = 0.0;
  for (var tangent = 0u; tangent < MOST_TANGENTS; tangent++) {
    let gap = gap_at(apart + later * motion, near);
    slope = dot(gap.normal, motion);
    if (!(slope < 0.0)) {
      return NEVER;
    }
    if (gap.width <= 0.0) {
      if (later == 0.0 && !closes_in(slope, dot(motion, motion))) {
        return NEVER;
      }
      break;
    }
    let step = gap.width / -slope;
    later += step;
    if (!(since + later <= 1.0)) {
      return NEVER;
    }
    if (step < SHORTEST_STEP) {
      break;
    }
  }
  return key_of_hit(since + later, -slope);
}
#endif

fn impact_of_balls(apart: Vector, motion: Vector, since: f32, near_squared: f32) -> u32 {
  let approach = dot(apart, motion);
  if (!(approach < 0.0)) {
    return NEVER;
  }
  let squared = dot(apart, apart);
  let gap = squared - near_squared;
  if (gap <= 0.0) {
    return select(NEVER, key_of_hit(since, -approach / sqrt(squared)), closes_in(approach, squared * dot(motion, motion)));
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
  return key_of_hit(time, root / sqrt(near_squared));
}

#if VARIABLE_RADII
fn impact_of(apart: Vector, motion: Vector, since: f32, near: Near) -> u32 {
#if HAS_BOXES
  if (any(near.sides > Vector())) {
    return impact_of_boxes(apart, motion, since, near);
  }
#endif
  return impact_of_balls(apart, motion, since, near.round * near.round);
}
#endif

// The key of the hit of two that are `apart` at a time, of which the one moves with `motion` seen from the other: at
// once if they are too near and approach each other, NEVER if they do not come so near.
fn impact(apart: Vector, motion: Vector, since: f32, body: PackedBody, other: PackedBody) -> u32 {
#if VARIABLE_RADII
  return impact_of(apart, motion, since, nearness(body, other));
#else
  return impact_of_balls(apart, motion, since, NEAR_SQUARED * substep.diameter_squared);
#endif
}

// Where sizes differ, a particle is filed in cells of its own level, and others are looked for on every level that there is
// anybody on.
#if VARIABLE_RADII
fn level_of_body(body: PackedBody) -> u32 {
  return level_of(radius_of(body));
}

fn cell_size_on(level: u32) -> f32 {
  return grid.cell_size * f32(1u << level);
}

fn greatest_diameter() -> f32 {
  return 2.0 * grid.greatest_radius;
}
#else
fn level_of_body(body: PackedBody) -> u32 {
  return 0u;
}

fn cell_size_on(level: u32) -> f32 {
  return grid.cell_size;
}

fn greatest_diameter() -> f32 {
  return substep.diameter;
}
#endif

// Of a period: no piece of a path is longer.
const PIECE_SHARE = 0.25;

// A path is followed in pieces of equal length, at most so long: in a world that wraps around, short enough that of
// another particle the nearest image stays the nearest. Twin: longestPiece.
fn longest_piece(body: PackedBody, cells: f32) -> f32 {
  var longest = cells * cell_size_on(level_of_body(body));
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let nearest = PIECE_SHARE * grid.period[axis] - 0.5 * greatest_diameter();
    longest = select(longest, min(longest, nearest), grid.period[axis] > 0.0);
  }
  return longest;
}

fn cuts_of(way: Vector, longest: f32) -> f32 {
  return max(1.0, ceil(length(way) / longest));
}

// Of so many pieces. Where all that may be are not a tick, the path ends where it begins.
fn followed_pieces(cuts: f32) -> f32 {
  return select(min(cuts, f32(MOST_PIECES)), 1.0, cuts > f32(MOST_PIECES) * f32(CCD_TICKS));
}

// The cells of a level that a piece of a path passes, and those so near to it.
fn block_around(slot: u32, way: Vector, since: f32, to: f32, level: u32, margin: Vector) -> Block {
  let begin = place_at(slot, way, since);
  let end = place_at(slot, way, to);
  let box = box_in_world(Box(min(begin, end) - margin, max(begin, end) + margin));
#if VARIABLE_RADII
  return block_on(level, box.low, box.high);
#else
  return block_between(box.low, box.high);
#endif
}

// How far around a piece the centres of those on a level may be whom it is held against: what both reach, times something.
fn margin_to(body: PackedBody, level: u32, wider: f32) -> Vector {
#if VARIABLE_RADII
  return wider * (reach_of(body) + Vector(greatest_on(level)));
#else
  return Vector(wider * substep.diameter);
#endif
}

// Whether rounding makes more of a piece than it is: so far out, or on so long a way, that one cannot be followed.
fn is_coarse(block: Block) -> bool {
  return any(block.length > Extent(4u * PIECE_CELLS));
}
