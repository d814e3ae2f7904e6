// Motion on the paths of a substep: positions, impacts, and cells around a piece of a path. Times are shares of the
// substep. src/core/ccd/law.ts states the law; twins: src/core/ccd/paths.ts, src/core/ccd/impact.ts. position_in and
// velocity_in are those after integration.
// Needs: OVERLAP_SHARE, substep, velocity_in, is_finite, has_size, position_in, rounding_of.
// Needs: shallowest_axis, MOST_TANGENTS, SHORTEST_TANGENT, level_of, grid, PIECE_SHARE, Block, box_in_world, Box.
// Needs: block_on, block_between, greatest_on.

const NEAR_SHARE = 1.0 - OVERLAP_SHARE;

// A key later than any end of a path.
const NEVER = 0xffffffffu;
const NO_CLOSING = (1u << CLOSING_BITS) - 1u;

// Returns the vector from the beginning to the end of a particle's path.
fn way_of(slot: u32) -> Vector {
  return substep.dt * load_vector(velocity_in[slot]);
}

// Returns false for particles that the next sort puts behind all active slots.
fn is_valid(body: PackedBody) -> bool {
#if VARIABLE_RADII
  return is_finite(body_position(body)) && has_size(radius_of(body));
#else
  return is_finite(body_position(body));
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
  return dot(way, way) > FAST_SHARE * FAST_SHARE * diameter_squared(body);
}

// Returns how far inside `lower` and `upper` a centre stays. Without VARIABLE_RADII, these limits already allow for the
// radius.
fn margin_of(body: PackedBody) -> Vector {
#if VARIABLE_RADII
  return reach_of(body);
#else
  return Vector();
#endif
}

fn position_at(slot: u32, way: Vector, time: f32) -> Vector {
  return body_position(position_in[slot]) - (1.0 - time) * way;
}

// Keys order ends of paths by tick, then by descending closing speed.
fn key_of_end(time: f32) -> u32 {
  return (u32(time * f32(CCD_TICKS)) << CLOSING_BITS) | NO_CLOSING;
}

fn key_of_hit(time: f32, closing: f32) -> u32 {
  return key_of_end(time) - (bitcast<u32>(closing) >> (31u - CLOSING_BITS));
}

fn time_of_key(key: u32) -> f32 {
  return f32(key >> CLOSING_BITS) * (1.0 / f32(CCD_TICKS));
}

// Returns true if the tick of `key` is earlier than that of `time`.
fn is_before(key: u32, time: f32) -> bool {
  return (key >> CLOSING_BITS) < u32(time * f32(CCD_TICKS));
}

#if VARIABLE_RADII
// States when two bodies overlap by more than a path allows. Consider a box around 0 with half extents `sides`. The
// overlap is too deep if the difference of the centres is nearer than `round` to this box.
struct Near {
  sides: Vector,
  round: f32,
}

fn nearness(body: PackedBody, other: PackedBody) -> Near {
  let slack = OVERLAP_SHARE * min(thickness_of(body), thickness_of(other));
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

// Returns whether two bodies that are already too near approach fast enough for a hit: -approach > speed / CCD_TICKS.
// Rounding may make resting bodies approach, but not so fast. `approach` is the relative motion along the normal. The
// caller may multiply `approach` by a factor if it multiplies `speed_squared` by the square of that factor.
fn closes_in(approach: f32, speed_squared: f32) -> bool {
  return approach * f32(CCD_TICKS) < -sqrt(speed_squared);
}

#if HAS_BOXES
// `width`: how far two bodies may still approach; negative if they are too near. `normal` points away from the other
// body, or is 0.
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
  let axis = shallowest_axis(beyond);
  return Gap(beyond[axis] - near.round, select(Vector(), sign(apart), AXES == Extent(axis)));
}

// Finds a hit with a box by Newton's method. The gap is convex, so no tangent reaches zero after the hit.
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
    if (step < SHORTEST_TANGENT) {
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

// Returns the key of a hit, or NEVER. `apart` is the first position minus the second at `since`; `motion` is the first
// path minus the second. Bodies that are already too near hit at once if they approach fast enough (closes_in).
fn impact(apart: Vector, motion: Vector, since: f32, body: PackedBody, other: PackedBody) -> u32 {
#if VARIABLE_RADII
  return impact_of(apart, motion, since, nearness(body, other));
#else
  return impact_of_balls(apart, motion, since, NEAR_SHARE * NEAR_SHARE * substep.diameter_squared);
#endif
}

// With variable radii, paths are listed in cells of their particle's level, and hits are searched on all occupied
// levels.
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

// Returns the greatest length of a piece. In a periodic world, pieces are so short that nearest images stay nearest.
// Twin: longestPiece in src/core/ccd/law.ts.
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

// Returns how many pieces are followed. If a tick has more than PIECES_PER_TICK pieces, the path ends where it begins.
fn followed_pieces(cuts: f32) -> f32 {
  return select(min(cuts, f32(MOST_PIECES)), 1.0, cuts > f32(PIECES_PER_TICK) * f32(CCD_TICKS));
}

fn block_around(slot: u32, way: Vector, since: f32, to: f32, level: u32, margin: Vector) -> Block {
  let begin = position_at(slot, way, since);
  let end = position_at(slot, way, to);
  let box = box_in_world(Box(min(begin, end) - margin, max(begin, end) + margin));
#if VARIABLE_RADII
  return block_on(level, box.low, box.high);
#else
  return block_between(box.low, box.high);
#endif
}

// Returns a margin around a piece of a path, multiplied by `wider`. If a particle on `level` can be hit from the piece,
// the particle's centre is within the margin.
fn margin_to(body: PackedBody, level: u32, wider: f32) -> Vector {
#if VARIABLE_RADII
  return wider * (reach_of(body) + Vector(greatest_on(level)));
#else
  return Vector(wider * substep.diameter);
#endif
}

// Returns true if a block has more cells along an axis than it could have in exact arithmetic. Rounding causes this far
// from the origin and on very long paths. The piece inside such a block cannot be followed.
fn is_coarse(block: Block) -> bool {
  return any(block.length > Extent(4u * PIECE_CELLS));
}
