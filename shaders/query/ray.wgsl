// Computes when a ray comes near a coordinate, and which balls it meets.
//
// A ray is origin + t * direction, 0 <= t <= reach. The ray meets a ball if one of these positions is inside the ball
// or on its surface. The least such t is the distance. A ball of a radius below 2^-63 may act as a point, because a
// device may flush the square to 0.
//
// Spans of time and coordinates are rounded outwards, so that the walk misses no ball. With u = 2^-24, origin o and
// direction d, the greatest errors are
//   position o + t * d:                           2 u * (|o| + |t * d|)
//   border of a layer:                            3 u * the coordinate of the border
//   coordinate that decides a particle's cell:    4 u * extent_of (see src/core/world/world.ts)
//   quotient:                                     5 u * the quotient (2.5 ulp, as WGSL allows)
// All spans are widened by 16 u (2^-20) times the sum of these magnitudes. This also covers `hit_time`, whose error is
// less than 8 u times the distance.
// Needs: rays, is_finite, wrap, grid, parameters, extent_of, level_walked, greatest_on, layer_at, snap.

struct Rays {
  ray_count: u32,
  // The radius of all particles; unused with variable radii.
  radius: f32,
  radius_squared: f32,
}

// `rays` holds floats as bits: origin, direction, reach. In 3D, vectors start at multiples of four words.
const RAY_WORDS = 2u * DIMENSIONS + 2u;
const DIRECTION_WORD = 2u * DIMENSIONS - 2u;
const REACH_WORD = 3u * DIMENSIONS - 2u;

const WIDENED = 0x1p-20f;
// A ray slower than this along an axis counts as near all layers of the axis at all times.
const STILL = 0x1p-50f;
// Limits the origin's coordinates, and the ray's length along each axis that is not periodic. The square of twice this
// number is finite.
const FARTHEST_MET = 0x1p62f;
const INFINITE_BITS = 0x7f800000u;
const MISSED = -1.0;

struct Path {
  origin: Vector,
  direction: Vector,
  direction_squared: f32,
  // The greatest distance, or MISSED if the ray can meet nothing.
  reach: f32,
  // Per axis, the greatest distance from a meeting point to the ball's centre. It does not include the rounding error
  // that grows along the ray.
  near: Vector,
  // True if the ray may meet several images of a particle.
  repeats: bool,
}

fn vector_at(word: u32) -> Vector {
  var vector = Vector();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    vector[axis] = bitcast<f32>(rays[word + axis]);
  }
  return vector;
}

fn path_of(number: u32) -> Path {
  let word = RAY_WORDS * number;
  var path = Path();
  path.reach = MISSED;
  path.origin = vector_at(word);
  path.direction = vector_at(word + DIRECTION_WORD);
  let reach_bits = rays[word + REACH_WORD];
  if (
    !is_finite(path.origin) || !is_finite(path.direction) || reach_bits > INFINITE_BITS
      || any(abs(path.origin) > Vector(FARTHEST_MET)) || any(abs(path.direction) > Vector(0x1p30f))
  ) {
    return path;
  }
  path.direction_squared = dot(path.direction, path.direction);
  if (path.direction_squared < 0x1p-60f) {
    return path;
  }
  path.origin = wrap(path.origin);
  var reach = 0x1p120f;
  if (reach_bits < INFINITE_BITS) {
    reach = bitcast<f32>(reach_bits);
  }
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let speed = abs(path.direction[axis]);
    let period = grid.period[axis];
    if (speed > STILL) {
      reach = min(reach, select(FARTHEST_MET, f32(MOST_PERIODS) * period, period > 0.0) / speed);
    }
  }
  // A long ray may exceed MOST_PERIODS even along an axis on which it is slow.
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let speed = abs(path.direction[axis]);
    let most = f32(MOST_PERIODS) * grid.period[axis];
    if (most > 0.0 && speed * reach > most) {
      reach = most / speed;
    }
  }
  path.reach = reach;
#if VARIABLE_RADII
  return path;
#else
  return path_among(path, parameters.radius);
#endif
}

// Adds the values that depend on the greatest radius.
fn path_among(path: Path, radius: f32) -> Path {
  var among = path;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let period = grid.period[axis];
    let length = abs(path.direction[axis]) * path.reach + 2.0 * radius;
    among.repeats = among.repeats || (period > 0.0 && length > 0.99 * period);
    let magnitude = abs(path.origin[axis]) + extent_of(axis) + radius;
    among.near[axis] = radius + WIDENED * magnitude;
  }
  return among;
}

#if VARIABLE_RADII
// Adds the values that depend on the level, and sets `level_walked`.
fn path_on(path: Path, level: u32) -> Path {
  level_walked = level;
  return path_among(path, min(greatest_on(level), grid.greatest_radius));
}

fn radius_squared_of(body: PackedBody) -> f32 {
  return radius_of(body) * radius_of(body);
}
#else
fn radius_squared_of(body: PackedBody) -> f32 {
  return parameters.radius_squared;
}
#endif

// Returns the range of coordinates, along an axis, of the centres of balls that the ray may meet between two times.
fn sweep(path: Path, axis: u32, times: vec2f) -> vec2f {
  let moved = path.direction[axis] * times;
  let at = path.origin[axis] + moved;
  let near = path.near[axis] + WIDENED * abs(moved);
  return vec2f(min(at.x - near.x, at.y - near.y), max(at.x + near.x, at.y + near.y));
}

// Returns the times at which the ray may meet balls whose centres lie between `low` and `high` along an axis. If there
// are none, .x > .y.
fn narrowed(path: Path, axis: u32, low: f32, high: f32, times: vec2f) -> vec2f {
  let speed = path.direction[axis];
  if (abs(speed) <= STILL) {
    return times;
  }
  let near = path.near[axis];
  let ends = (vec2f(low - near - WIDENED * abs(low), high + near + WIDENED * abs(high)) - path.origin[axis]) / speed;
  let early = min(ends.x, ends.y);
  let late = max(ends.x, ends.y);
  return vec2f(max(times.x, early - WIDENED * abs(early)), min(times.y, late + WIDENED * abs(late)));
}

fn layers_within(coordinates: vec2f, axis: u32) -> vec2i {
  return vec2i(layer_at(coordinates.x, axis), layer_at(coordinates.y, axis));
}

fn length_of(layers: vec2i) -> f32 {
  return f32(layers.y) - f32(layers.x) + 1.0;
}

fn layer_in(layers: vec2i, step: u32, speed: f32) -> i32 {
  return select(layers.x + i32(step), layers.y - i32(step), speed < 0.0);
}

// Returns when a ray first meets the ball at origin + away, or MISSED.
fn hit_time(path: Path, away: Vector, radius_squared: f32) -> f32 {
  if (any(abs(away) > Vector(2.0 * FARTHEST_MET))) {
    return MISSED;
  }
  // Dividing by the length of a unit direction would only add rounding errors.
  let is_unit = path.direction_squared == 1.0;
  let along = dot(away, path.direction);
  let middle = select(along / path.direction_squared, along, is_unit);
  let apart = away - path.direction * clamp(middle, 0.0, path.reach);
  if (dot(apart, apart) > radius_squared) {
    return MISSED;
  }
  let foot = away - path.direction * middle;
  let half_chord = sqrt(max(radius_squared - dot(foot, foot), 0.0));
  let half_time = select(half_chord / sqrt(path.direction_squared), half_chord, is_unit);
  return clamp(middle - half_time, 0.0, path.reach);
}

#if WRAPS
struct Meeting {
  distance: f32,
  image: Lattice,
}

// Returns false for a far position that wrap_once left outside the world. Rays never meet particles at such positions.
fn is_in_box(position: Vector) -> bool {
  let is_inside = (snap(position - grid.origin) >= Vector()) & (position <= grid.origin + grid.period);
  return all(is_inside | (grid.period == Vector()));
}

// Returns the first and last image of a coordinate that the ray may meet between two times. The number of an image is
// its offset in periods.
fn images_between(path: Path, axis: u32, coordinate: f32, times: vec2f) -> vec2i {
  if (grid.period[axis] == 0.0) {
    return vec2i();
  }
  let periods = (sweep(path, axis, times) - coordinate) * grid.inverse_period[axis];
  return vec2i(i32(ceil(periods.x)), i32(floor(periods.y)));
}

fn times_at(path: Path, axis: u32, coordinate: f32, image: i32, times: vec2f) -> vec2f {
  let shifted = coordinate + f32(image) * grid.period[axis];
  return narrowed(path, axis, shifted, shifted, times);
}

fn first_meeting(path: Path, position: Vector, radius_squared: f32) -> Meeting {
  var first = Meeting(MISSED, Lattice());
  if (!is_in_box(position)) {
    return first;
  }
  let whole = vec2f(0.0, path.reach);
  var layers = vec2i();
  if (DIMENSIONS == 3u) {
    layers = images_between(path, DIMENSIONS - 1u, position[DIMENSIONS - 1u], whole);
  }
  for (var layer = layers.x; layer <= layers.y; layer++) {
    var times = whole;
    if (DIMENSIONS == 3u) {
      times = times_at(path, DIMENSIONS - 1u, position[DIMENSIONS - 1u], layer, whole);
    }
    if (times.x > times.y) {
      continue;
    }
    let rows = images_between(path, 1u, position.y, times);
    for (var row = rows.x; row <= rows.y; row++) {
      let span = times_at(path, 1u, position.y, row, times);
      if (span.x > span.y) {
        continue;
      }
      let columns = images_between(path, 0u, position.x, span);
      for (var column = columns.x; column <= columns.y; column++) {
        var image = Lattice(layer);
        image.x = column;
        image.y = row;
        let distance = hit_time(path, position - path.origin + Vector(image) * grid.period, radius_squared);
        if (distance >= 0.0 && (first.distance < 0.0 || distance < first.distance)) {
          first = Meeting(distance, image);
        }
      }
    }
  }
  return first;
}
#endif

