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

fn layer_of(middle: u32, layer: u32, cells: Extent) -> Layer {
  let centre = layer_centre(middle, layer, cells);
  let below = centre - cells.x;
  let above = centre + cells.x;
  let first = start[below - 1u];
  let second = start[centre - 1u];
  let third = start[above - 1u];
  let first_end = start[below + 2u] - first;
  let second_end = first_end + start[centre + 2u] - second;
  return Layer(first, second, third, first_end, second_end, second_end + start[above + 2u] - third);
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

fn meet(own: ptr<function, Own>, particle: Particle, except: u32, other: u32) {
  let body = position_in[other];
  let apart = particle.position - place_of(body);
  let distance_squared = dot(apart, apart);
  let reach = particle.radius + radius_of(body);
  if (distance_squared < reach * reach && other != except) {
    visit(own, particle, Neighbour(other, apart, distance_squared));
  }
}

// Those of the cells around a place on a level that are on that level.
fn meet_level(
  own: ptr<function, Own>,
  particle: Particle,
  except: u32,
  around: Lattice,
  level: u32,
  turn: u32,
) {
  let middle = bucket_at(around, level);
  let cells = cells_at(level);
  for (var index = 0u; index < LAYERS; index++) {
    let layer = layer_of(middle, index, cells);
    // Never more than all, so that not even a broken grid holds up the device.
    let end = min(layer.third_end, grid.count);
    for (var place = turn; place < end; place += TURNS) {
      meet(own, particle, except, slot_in(layer, place));
    }
  }
}

// Those that are on lower levels.
fn meet_guests(
  own: ptr<function, Own>,
  particle: Particle,
  except: u32,
  around: Lattice,
  level: u32,
  turn: u32,
) {
  let base = GUEST_HEADER - grid.count;
  let middle = guest_bucket(bucket_at(around, level));
  let cells = cells_at(level);
  for (var index = 0u; index < LAYERS; index++) {
    let layer = layer_of(middle, index, cells);
    let end = min(layer.third_end, grid.count * grid.levels);
    for (var place = turn; place < end; place += TURNS) {
      meet(own, particle, except, guests[base + slot_in(layer, place)] >> GUEST_LEVEL_BITS);
    }
  }
}

#if CROWDS
// Whether three rows of cells around a place, from that bucket on, hold too many for one thread.
fn has_long_row(around: Lattice, level: u32, offset: u32) -> bool {
  var long = false;
  for (var index = 0u; index < LAYERS; index++) {
    let layer = layer_of(offset + bucket_at(around, level), index, cells_at(level));
    long = long || layer.third_end > 3u * HEAVY_ROW;
  }
  return long;
}
#endif
