// What rays meet: particles as balls of one radius, or where there are levels of cells, each of its own. As lists, in two
// steps around a scan: tally counts the balls for each ray, fill writes their ids and distances from the ray's offset on,
// by distance and then by id. Or only the first of each. Inputs: a fresh grid, rays. A ray that a list has no room for as
// a whole leaves its places to NO_PARTNER, and so does a ball that a device meets when it counts and misses when it
// lists, since it may round in another way.
//
// A ray is the places origin + t · direction, 0 <= t <= greatest distance; it meets a ball whose centre is no farther
// from one of them than the radius. The least such t is the distance. A ball of radius 0 is a point; so may one below
// 2⁻⁶³ be, whose square a device may take for 0.
//
// The walk. If a centre c is met at time t, then along every axis |c − (origin + t · direction)| <= radius, with the same
// t. So: the layers of cells along z (in space) that the ray comes near; for each the span of times in which it is near;
// for that span the rows along y; for each row the narrower span of times; for that span the cells along x, which are
// one range of slots, or a few. Each cell is looked at once, so each particle is, however far the balls reach into
// other cells, and none is missed as long as spans are rounded outwards:
// with u = 2⁻²⁴, o the origin, a place o + t · d is off by at most 2 u (|o| + |t · d|), the border of a layer by 3 u times
// its coordinates, a particle's cell by what rounding moves it, 4 u times the extent of the world (core/world/world.ts), a
// quotient by 5 u of itself (2.5 ulp, as WGSL grants). Everything is widened by 2⁻²⁰, 16 u, of the sum of all of them.
// What `meet` takes for met, off by less than 8 u of the way, is within that too.
//
// Where there are levels (VARIABLE_RADII), such a walk is done on each that anybody is on, among the balls that are on it: none is
// larger than the greatest of the level, which stands for the radius above. The cells of a level are groups of those of
// the lowest, so that borders and coordinates are rounded as these are, on every level. Whether to ask everybody instead
// is decided once, by the pieces of all walks together.

struct Rays {
  ray_count: u32,
  // Of all balls; without a meaning where each has its own.
  radius: f32,
  radius_squared: f32,
}

// `rays` holds the bits of floats: see src/engine/queries/rays.ts.

// Words of a ray: origin, direction and greatest distance, where a vector of space begins at a fourth word.
const RAY_WORDS = 2u * DIMENSIONS + 2u;
const DIRECTION_WORD = 2u * DIMENSIONS - 2u;
const REACH_WORD = 3u * DIMENSIONS - 2u;

const WIDENED = 0x1p-20f;
// Slower along an axis, a ray is taken to be near any layer of it all the time.
const STILL = 0x1p-50f;
// Nothing is met farther from the origin of a ray, nor does it begin farther from that of the world: squares of it are
// finite.
const FARTHEST_MET = 0x1p62f;
const INFINITE_BITS = 0x7f800000u;
const MISSED = -1.0;

struct Path {
  origin: Vector,
  direction: Vector,
  direction_squared: f32,
  // Greatest distance, or MISSED where there is nothing to meet.
  reach: f32,
  // How far along each axis the balls that are met can be, but for rounding on the way.
  near: Vector,
  // Whether it may meet more than one image of a particle.
  repeats: bool,
}

struct Own {
  found: u32,
#if FILL
  places: Stretch,
  is_whole: bool,
#endif
#if FIRST
  id: u32,
  distance: f32,
#endif
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
  // Hardly moving along an axis, for long enough it passes more periods than can be counted.
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

// The path among balls that are no larger than a radius.
fn path_among(path: Path, radius: f32) -> Path {
  var among = path;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let period = grid.period[axis];
    let way = abs(path.direction[axis]) * path.reach + 2.0 * radius;
    among.repeats = among.repeats || (period > 0.0 && way > 0.99 * period);
    let magnitude = abs(path.origin[axis]) + extent_of(axis) + radius;
    among.near[axis] = radius + WIDENED * magnitude;
  }
  return among;
}

#if VARIABLE_RADII
// The path among those on a level, the one that layers are of from now on.
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

// Least and greatest coordinate along an axis of centres that may be met between two times.
fn sweep(path: Path, axis: u32, times: vec2f) -> vec2f {
  let way = path.direction[axis] * times;
  let place = path.origin[axis] + way;
  let near = path.near[axis] + WIDENED * abs(way);
  return vec2f(min(place.x - near.x, place.y - near.y), max(place.x + near.x, place.y + near.y));
}

// Of a span of times, that in which centres between two coordinates along an axis may be met; empty if it descends.
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

// The layers in the order in which the ray comes to them.
fn layer_in(layers: vec2i, step: u32, speed: f32) -> i32 {
  return select(layers.x + i32(step), layers.y - i32(step), speed < 0.0);
}

// The time at which a ray first meets the ball whose centre is so far from its origin, or MISSED.
fn meet(path: Path, away: Vector, radius_squared: f32) -> f32 {
  if (any(abs(away) > Vector(2.0 * FARTHEST_MET))) {
    return MISSED;
  }
  // Of a direction of unit length nothing is divided, so that nothing is rounded either.
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

// Images of a coordinate that may be met between two times: the numbers of periods they are away.
fn images_between(path: Path, axis: u32, coordinate: f32, times: vec2f) -> vec2i {
  if (grid.period[axis] == 0.0) {
    return vec2i();
  }
  let periods = (sweep(path, axis, times) - coordinate) * grid.inverse_period[axis];
  return vec2i(i32(ceil(periods.x)), i32(floor(periods.y)));
}

fn times_at(path: Path, axis: u32, coordinate: f32, image: i32, times: vec2f) -> vec2f {
  let place = coordinate + f32(image) * grid.period[axis];
  return narrowed(path, axis, place, place, times);
}

// Of all images of a particle the one that is met first: what a walk comes to otherwise is no news.
fn first_meeting(path: Path, place: Vector, radius_squared: f32) -> Meeting {
  var first = Meeting(MISSED, Lattice());
  let whole = vec2f(0.0, path.reach);
  var layers = vec2i();
  if (DIMENSIONS == 3u) {
    layers = images_between(path, DIMENSIONS - 1u, place[DIMENSIONS - 1u], whole);
  }
  for (var layer = layers.x; layer <= layers.y; layer++) {
    var times = whole;
    if (DIMENSIONS == 3u) {
      times = times_at(path, DIMENSIONS - 1u, place[DIMENSIONS - 1u], layer, whole);
    }
    if (times.x > times.y) {
      continue;
    }
    let rows = images_between(path, 1u, place.y, times);
    for (var row = rows.x; row <= rows.y; row++) {
      let span = times_at(path, 1u, place.y, row, times);
      if (span.x > span.y) {
        continue;
      }
      let columns = images_between(path, 0u, place.x, span);
      for (var column = columns.x; column <= columns.y; column++) {
        var image = Lattice(layer);
        image.x = column;
        image.y = row;
        let distance = meet(path, place - path.origin + Vector(image) * grid.period, radius_squared);
        if (distance >= 0.0 && (first.distance < 0.0 || distance < first.distance)) {
          first = Meeting(distance, image);
        }
      }
    }
  }
  return first;
}
#endif

fn keep(own: ptr<function, Own>, slot: u32, distance: f32) {
#if FILL
  if ((*own).is_whole && (*own).found < (*own).places.room) {
    put((*own).places.first + (*own).found, Entry(distance, id_in[slot]));
  }
#endif
#if FIRST
  let id = id_in[slot];
  if (distance < (*own).distance || (distance == (*own).distance && id < (*own).id)) {
    (*own).id = id;
    (*own).distance = distance;
  }
#endif
  (*own).found += 1u;
}

// A particle in a cell that the walk has come to, as the image that is there.
fn consider(own: ptr<function, Own>, path: Path, slot: u32, cell: Lattice) {
  let body = position_in[slot];
  let place = place_of(body);
  let radius_squared = radius_squared_of(body);
#if WRAPS
  var image = Lattice();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    image[axis] = periods_of(cell[axis], axis);
  }
  var distance = meet(path, place - path.origin + Vector(image) * grid.period, radius_squared);
#if !FIRST
  if (distance >= 0.0 && path.repeats) {
    let first = first_meeting(path, place, radius_squared);
    distance = select(MISSED, first.distance, all(first.image == image));
  }
#endif
#else
  let distance = meet(path, place - path.origin, radius_squared);
#endif
  if (distance >= 0.0) {
    keep(own, slot, distance);
  }
}

fn consider_all(own: ptr<function, Own>, path: Path) {
  let live = min(start[grid.cell_count], grid.count);
  for (var slot = 0u; slot < live; slot++) {
    let body = position_in[slot];
    let place = place_of(body);
    let radius_squared = radius_squared_of(body);
#if WRAPS
    let distance = first_meeting(path, place, radius_squared).distance;
#else
    let distance = meet(path, place - path.origin, radius_squared);
#endif
    if (distance >= 0.0) {
      keep(own, slot, distance);
    }
  }
}

// In the plane there is but one.
fn layers_of(path: Path) -> vec2i {
  if (DIMENSIONS == 3u) {
    return layers_within(sweep(path, DIMENSIONS - 1u, vec2f(0.0, path.reach)), DIMENSIONS - 1u);
  }
  return vec2i();
}

// Pieces of rows, or rows, or layers, that the path may be in at a time.
fn across_at(path: Path, axis: u32, time: f32) -> f32 {
  let layers = layers_within(sweep(path, axis, vec2f(time)), axis);
  if (axis == 0u) {
    return length_of(vec2i(piece_at(layers.x), piece_at(layers.y)));
  }
  return length_of(layers);
}

// How many more the path is wide than the three that all are: far out rounding alone may make it thousands.
fn width_of(path: Path, axis: u32) -> f32 {
  return max(1.0, max(across_at(path, axis, 0.0), across_at(path, axis, path.reach)) - 2.0);
}

// About as many pieces of rows are walked.
fn pieces_walked(path: Path) -> f32 {
  let whole = vec2f(0.0, path.reach);
  let layers = length_of(layers_of(path));
  let rows = length_of(layers_within(sweep(path, 1u, whole), 1u));
  let columns = layers_within(sweep(path, 0u, whole), 0u);
  let pieces = length_of(vec2i(piece_at(columns.x), piece_at(columns.y)));
  var depth = 1.0;
  if (DIMENSIONS == 3u) {
    depth = width_of(path, DIMENSIONS - 1u);
  }
  let height = width_of(path, 1u);
  let breadth = width_of(path, 0u);
  let crossed = layers * height * breadth + rows * depth * breadth + pieces * depth * height;
  return max(3.0 * (layers + rows) + pieces, crossed);
}

fn walk(own: ptr<function, Own>, path: Path) {
  let whole = vec2f(0.0, path.reach);
  let layers = layers_of(path);
  for (var step = 0u; step <= u32(layers.y - layers.x); step++) {
    let layer = layer_in(layers, step, path.direction[DIMENSIONS - 1u]);
    var times = whole;
    if (DIMENSIONS == 3u) {
      let axis = DIMENSIONS - 1u;
      times = narrowed(path, axis, begin_of(layer, axis), end_of(layer, axis), whole);
    }
#if FIRST
    // Layers come in order: from here on nothing is nearer.
    if (times.x > (*own).distance) {
      break;
    }
#endif
    if (times.x > times.y) {
      continue;
    }
    let rows = layers_within(sweep(path, 1u, times), 1u);
    for (var row_step = 0u; row_step <= u32(rows.y - rows.x); row_step++) {
      let row = layer_in(rows, row_step, path.direction.y);
      let span = narrowed(path, 1u, begin_of(row, 1u), end_of(row, 1u), times);
#if FIRST
      if (span.x > (*own).distance) {
        break;
      }
#endif
      if (span.x > span.y) {
        continue;
      }
      let columns = layers_within(sweep(path, 0u, span), 0u);
      let pieces = vec2i(piece_at(columns.x), piece_at(columns.y));
      for (var piece_step = 0u; piece_step <= u32(pieces.y - pieces.x); piece_step++) {
        let ends = piece_between(layer_in(pieces, piece_step, path.direction.x), columns.x, columns.y);
#if FIRST
        if (narrowed(path, 0u, begin_of(ends.x, 0u), end_of(ends.y, 0u), span).x > (*own).distance) {
          break;
        }
#endif
        var cell = Lattice(layer);
        cell.x = ends.x;
        cell.y = row;
        let segment = segment_between(cell, ends.y);
        // Never more than all, so that not even a broken grid holds up the device.
        for (var slot = segment.first; slot < min(segment.end, grid.count); slot++) {
          if (is_in_segment(segment, slot)) {
            consider(own, path, slot, cell);
          }
        }
      }
    }
  }
}

// Where there are fewer particles than pieces, all of them are asked.
fn search(own: ptr<function, Own>, path: Path) {
#if VARIABLE_RADII
  var pieces = 0.0;
  for (var level = 0u; level < grid.levels; level++) {
    if (holds_anyone(level)) {
      pieces += pieces_walked(path_on(path, level));
    }
  }
  if (pieces > f32(start[grid.cell_count])) {
    consider_all(own, path_among(path, grid.greatest_radius));
    return;
  }
  // The highest first, whose walk is the shortest: what it meets may shorten the others.
  for (var level = grid.levels; level > 0u; level--) {
    if (holds_anyone(level - 1u)) {
      walk(own, path_on(path, level - 1u));
    }
  }
#else
  if (pieces_walked(path) > f32(start[grid.cell_count])) {
    consider_all(own, path);
    return;
  }
  walk(own, path);
#endif
}

#if FILL
struct Entry {
  distance: f32,
  id: u32,
}

fn entry_at(place: u32) -> Entry {
  return Entry(distances[place], ids[place]);
}

fn put(place: u32, entry: Entry) {
  distances[place] = entry.distance;
  ids[place] = entry.id;
}

fn is_before(entry: Entry, other: Entry) -> bool {
  return entry.distance < other.distance || (entry.distance == other.distance && entry.id < other.id);
}
#endif

@compute @workgroup_size(WORKGROUP_SIZE)
fn follow(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let number = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (number >= parameters.ray_count) {
    return;
  }
  let path = path_of(number);
  var own = Own();
#if FILL
  let offset = offsets[number];
  let next = offsets[number + 1u];
  own.places = stretch_of(offset, next, arrayLength(&ids));
  own.is_whole = own.places.room == next - offset;
#endif
#if FIRST
  own.id = NO_PARTNER;
  own.distance = 0x1p127f;
#endif
  if (path.reach >= 0.0) {
    search(&own, path);
  }
#if FILL
  let listed = select(0u, min(own.found, own.places.room), own.is_whole);
  let end = own.places.first + own.places.room;
  for (var hole = own.places.first + listed; hole < end; hole++) {
    ids[hole] = NO_PARTNER;
    distances[hole] = MISSED;
  }
  sort_stretch(own.places.first, own.places.first + listed);
#else
#if FIRST
  ids[number] = own.id;
  distances[number] = select(own.distance, MISSED, own.id == NO_PARTNER);
#else
  tallies[number] = own.found;
#endif
#endif
}
