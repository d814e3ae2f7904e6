// What probe_levels.wgsl asks of levels_dense.wgsl: three rows of cells at a time, as in probe_bounded.wgsl.

#if HEAVY
const TURNS = HEAVY_WORKGROUP_SIZE;
#else
const TURNS = 1u;
#endif

// The particles of a layer of three rows of three cells.
struct Layer {
  first: u32,
  second: u32,
  third: u32,
  // Where each row ends, counted from the beginning of the first.
  first_end: u32,
  second_end: u32,
  third_end: u32,
}

// Of the 3×3 (3×3×3) cells around a place on a level, the first and the last along each axis that somebody can be in
// who is nearer than `reach`: half of them, most often. Once particles have moved since the sort, all: candidates are
// those whose cells were adjacent then.
struct Reached {
  low: Lattice,
  high: Lattice,
}

// The margin is many times what rounding can be off by, of the cells or here. Whoever is outside the box is in one of
// the outermost cells; so the cell of the place itself is always among them.
fn reached_from(place: Vector, reach: f32, around: Lattice, level: u32) -> Reached {
#if MOVED
  return all_around(around);
#else
  let scale = grid.inverse_cell_size * bitcast<f32>((127u - level) << 23u);
  let margin = (abs(place) + Vector(reach)) * 0x1p-18f;
  let low = clamp((place - Vector(reach) - margin) * scale, Vector(-0x1p30f), Vector(0x1p30f));
  let high = clamp((place + Vector(reach) + margin) * scale, Vector(-0x1p30f), Vector(0x1p30f));
  return Reached(
    clamp(Lattice(floor(low)), around - Lattice(1), around),
    clamp(Lattice(floor(high)), around, around + Lattice(1)),
  );
#endif
}

fn all_around(around: Lattice) -> Reached {
  return Reached(around - Lattice(1), around + Lattice(1));
}

fn layer_of(middle: u32, layer: u32, cells: Extent, around: Lattice, reached: Reached) -> Layer {
  let centre = layer_centre(middle, layer, cells);
  let below = centre - cells.x;
  let above = centre + cells.x;
  let low = reached.low - around;
  let high = reached.high - around;
  // 0 or −1, and 1 or 2 cells on.
  let begin = u32(low.x);
  let end = u32(high.x + 1);
  let first = start[below + begin];
  let second = start[centre + begin];
  let third = start[above + begin];
  let first_end = select(0u, start[below + end] - first, low.y < 0);
  let second_end = first_end + start[centre + end] - second;
  let third_end = second_end + select(0u, start[above + end] - third, high.y > 0);
  return Layer(first, second, third, first_end, second_end, third_end);
}

// Whether a layer of rows is reached at all.
fn is_layer_reached(layer: u32, around: Lattice, reached: Reached) -> bool {
  if (DIMENSIONS == 2u) {
    return true;
  }
  let along = around[DIMENSIONS - 1u] + i32(layer) - 1;
  return along >= reached.low[DIMENSIONS - 1u] && along <= reached.high[DIMENSIONS - 1u];
}

fn slot_in(layer: Layer, index: u32) -> u32 {
  var other = layer.first + index;
  if (index >= layer.first_end) {
    other = layer.second + (index - layer.first_end);
  }
  if (index >= layer.second_end) {
    other = layer.third + (index - layer.second_end);
  }
  return other;
}

fn meet(own: ptr<function, Own>, particle: Particle, except: u32, reach_squared: f32, other: u32) {
  let body = position_in[other];
  let apart = particle.position - place_of(body);
  let distance_squared = dot(apart, apart);
  let reach = particle.radius + radius_of(body);
  if (distance_squared < reach * reach * reach_squared && other != except) {
    visit(own, particle, neighbour_of(other, apart, distance_squared, body));
  }
}

// Those of the cells around a place on a level that are on that level.
fn meet_level(
  own: ptr<function, Own>,
  particle: Particle,
  except: u32,
  reach_squared: f32,
  around: Lattice,
  level: u32,
  turn: u32,
) {
  let middle = bucket_at(around, level);
  let cells = cells_at(level);
  let reach = particle.radius + greatest_on(level);
  let reached = reached_from(particle.position - grid.origin, reach, around, level);
  for (var index = 0u; index < LAYERS; index++) {
    if (!is_layer_reached(index, around, reached)) {
      continue;
    }
    let layer = layer_of(middle, index, cells, around, reached);
    // Never more than all, so that not even a broken grid holds up the device.
    let end = min(layer.third_end, grid.count);
    for (var place = turn; place < end; place += TURNS) {
      meet(own, particle, except, reach_squared, slot_in(layer, place));
    }
  }
}

// Those that are on lower levels.
fn meet_guests(
  own: ptr<function, Own>,
  particle: Particle,
  except: u32,
  reach_squared: f32,
  around: Lattice,
  level: u32,
  turn: u32,
) {
  let base = GUEST_HEADER - grid.count;
  let middle = guest_bucket(bucket_at(around, level));
  let cells = cells_at(level);
  let reach = particle.radius + 0.5 * greatest_on(level);
  let reached = reached_from(particle.position - grid.origin, reach, around, level);
  for (var index = 0u; index < LAYERS; index++) {
    if (!is_layer_reached(index, around, reached)) {
      continue;
    }
    let layer = layer_of(middle, index, cells, around, reached);
    let end = min(layer.third_end, grid.count * grid.levels);
    for (var place = turn; place < end; place += TURNS) {
      meet(own, particle, except, reach_squared, guests[base + slot_in(layer, place)] >> GUEST_LEVEL_BITS);
    }
  }
}

// Those of the cells around a place on a level, or their guests.
fn count_around(around: Lattice, level: u32, are_guests: bool) -> u32 {
  let bucket = bucket_at(around, level);
  let middle = select(bucket, guest_bucket(bucket), are_guests);
  var found = 0u;
  for (var index = 0u; index < LAYERS; index++) {
    found += layer_of(middle, index, cells_at(level), around, all_around(around)).third_end;
  }
  return found;
}

#if CROWDS
// Whether three rows of cells around a place, from that bucket on, hold too many for one thread.
fn has_long_row(around: Lattice, level: u32, offset: u32) -> bool {
  var long = false;
  let all = all_around(around);
  for (var index = 0u; index < LAYERS; index++) {
    let layer = layer_of(offset + bucket_at(around, level), index, cells_at(level), around, all);
    long = long || layer.third_end > 3u * HEAVY_ROW;
  }
  return long;
}
#endif
