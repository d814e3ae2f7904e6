// Finds the particles that rays meet. Tally counts them per ray. Fill (FILL) writes their ids and distances, sorted by
// distance, then id. First (FIRST) writes the nearest particle. If a ray's entries do not all fit, they hold
// NO_PARTNER. So does an entry that tally counted, but that fill does not find because of rounding.
//
// At every point where a ray meets a ball with centre c, |c - (origin + t * direction)| <= radius along every axis. So
// the walk goes over these parts of the grid:
// - in 3D, the layers along z near the ray
// - in each layer, the rows along y near the ray while the ray is near the layer
// - in each row, pieces near the ray, each of which is one range of slots
// The walk visits each cell once, or once per image. With variable radii, there is a walk per occupied level.
// Needs: Stretch, id_in, Path, position_in, radius_squared_of, periods_of, hit_time, grid, is_in_box, MISSED.
// Needs: first_meeting, start, layers_within, sweep, length_of, piece_at, layer_in, narrowed, begin_of, end_of.
// Needs: piece_between, segment_between, slot_in, is_in_segment, is_occupied, path_on, path_among, distances, ids.
// Needs: linear_workgroup, parameters, path_of, offsets, stretch_of, sort_stretch, tallies.

struct Gathered {
  found: u32,
#if FILL
  room: Stretch,
  has_room: bool,
#endif
#if FIRST
  id: u32,
  distance: f32,
#endif
}

fn add_hit(gathered: ptr<function, Gathered>, slot: u32, distance: f32) {
#if FILL
  if ((*gathered).has_room && (*gathered).found < (*gathered).room.room) {
    put((*gathered).room.first + (*gathered).found, Entry(distance, id_in[slot]));
  }
#endif
#if FIRST
  let id = id_in[slot];
  if (distance < (*gathered).distance || (distance == (*gathered).distance && id < (*gathered).id)) {
    (*gathered).id = id;
    (*gathered).distance = distance;
  }
#endif
  (*gathered).found += 1u;
}

fn test_in_cell(gathered: ptr<function, Gathered>, path: Path, slot: u32, cell: Lattice) {
  let body = position_in[slot];
  let position = body_position(body);
  let radius_squared = radius_squared_of(body);
#if WRAPS
  var image = Lattice();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    image[axis] = periods_of(cell[axis], axis);
  }
  var distance = hit_time(path, position - path.origin + Vector(image) * grid.period, radius_squared);
  if (distance >= 0.0 && !is_in_box(position)) {
    distance = MISSED;
  }
#if !FIRST
  if (distance >= 0.0 && path.repeats) {
    let first = first_meeting(path, position, radius_squared);
    distance = select(MISSED, first.distance, all(first.image == image));
  }
#endif
#else
  let distance = hit_time(path, position - path.origin, radius_squared);
#endif
  if (distance >= 0.0) {
    add_hit(gathered, slot, distance);
  }
}

fn test_all(gathered: ptr<function, Gathered>, path: Path) {
  let active_count = min(start[grid.cell_count], grid.count);
  for (var slot = 0u; slot < active_count; slot++) {
    let body = position_in[slot];
    let position = body_position(body);
    let radius_squared = radius_squared_of(body);
#if WRAPS
    let distance = first_meeting(path, position, radius_squared).distance;
#else
    let distance = hit_time(path, position - path.origin, radius_squared);
#endif
    if (distance >= 0.0) {
      add_hit(gathered, slot, distance);
    }
  }
}

// Returns the first and last layer along z near the ray; both are 0 in 2D.
fn layers_of(path: Path) -> vec2i {
  if (DIMENSIONS == 3u) {
    return layers_within(sweep(path, DIMENSIONS - 1u, vec2f(0.0, path.reach)), DIMENSIONS - 1u);
  }
  return vec2i();
}

// Returns how many layers the path may touch at `time`; along x, how many pieces.
fn across_at(path: Path, axis: u32, time: f32) -> f32 {
  let layers = layers_within(sweep(path, axis, vec2f(time)), axis);
  if (axis == 0u) {
    return length_of(vec2i(piece_at(layers.x), piece_at(layers.y)));
  }
  return length_of(layers);
}

// Returns the width at the wider end: across_at minus 2, but at least 1. Far from the origin, rounding can make a path
// thousands of layers wide.
fn width_of(path: Path, axis: u32) -> f32 {
  return max(1.0, max(across_at(path, axis, 0.0), across_at(path, axis, path.reach)) - 2.0);
}

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

fn walk(gathered: ptr<function, Gathered>, path: Path) {
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
    // Layers come in the order of the ray, so no nearer ball follows.
    if (times.x > (*gathered).distance) {
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
      if (span.x > (*gathered).distance) {
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
        if (narrowed(path, 0u, begin_of(ends.x, 0u), end_of(ends.y, 0u), span).x > (*gathered).distance) {
          break;
        }
#endif
        var cell = Lattice(layer);
        cell.x = ends.x;
        cell.y = row;
        let segment = segment_between(cell, ends.y);
        // Bounded, so that a corrupt grid cannot hang the device.
        for (var next = segment.first; next < min(segment.end, 2u * grid.count); next++) {
          let slot = slot_in(segment, next);
          if (is_in_segment(segment, slot)) {
            test_in_cell(gathered, path, slot, cell);
          }
        }
      }
    }
  }
}

// Walks along the ray, or tests all particles if there are fewer of them than pieces on the walks.
fn search(gathered: ptr<function, Gathered>, path: Path) {
#if VARIABLE_RADII
  var pieces = 0.0;
  for (var level = 0u; level < grid.levels; level++) {
    if (is_occupied(level)) {
      pieces += pieces_walked(path_on(path, level));
    }
  }
  if (pieces > f32(start[grid.cell_count])) {
    test_all(gathered, path_among(path, grid.greatest_radius));
    return;
  }
  // Starts on the highest level: its walk is the shortest, and a ball met there may shorten the other walks.
  for (var level = grid.levels; level > 0u; level--) {
    if (is_occupied(level - 1u)) {
      walk(gathered, path_on(path, level - 1u));
    }
  }
#else
  if (pieces_walked(path) > f32(start[grid.cell_count])) {
    test_all(gathered, path);
    return;
  }
  walk(gathered, path);
#endif
}

#if FILL
struct Entry {
  distance: f32,
  id: u32,
}

fn entry_at(index: u32) -> Entry {
  return Entry(distances[index], ids[index]);
}

fn put(index: u32, entry: Entry) {
  distances[index] = entry.distance;
  ids[index] = entry.id;
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
  var gathered = Gathered();
#if FILL
  let offset = offsets[number];
  let next = offsets[number + 1u];
  gathered.room = stretch_of(offset, next, arrayLength(&ids));
  gathered.has_room = gathered.room.room == next - offset;
#endif
#if FIRST
  gathered.id = NO_PARTNER;
  gathered.distance = 0x1p127f;
#endif
  if (path.reach >= 0.0) {
    search(&gathered, path);
  }
#if FILL
  let listed = select(0u, min(gathered.found, gathered.room.room), gathered.has_room);
  let end = gathered.room.first + gathered.room.room;
  for (var hole = gathered.room.first + listed; hole < end; hole++) {
    ids[hole] = NO_PARTNER;
    distances[hole] = MISSED;
  }
  sort_stretch(gathered.room.first, gathered.room.first + listed);
#elif FIRST
  ids[number] = gathered.id;
  distances[number] = select(gathered.distance, MISSED, gathered.id == NO_PARTNER);
#else
  tallies[number] = gathered.found;
#endif
}
