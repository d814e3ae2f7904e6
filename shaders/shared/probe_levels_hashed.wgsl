// What probe_levels.wgsl asks of levels_hashed.wgsl. Buckets hold particles of other cells and levels too: theirs is
// another turn, or nobody's, so the true cell of each is compared.

#if HEAVY
const TURNS = HEAVY_WORKGROUP_SIZE;
#else
const TURNS = 1u;
#endif

// Particles of one level, in it or its guests, in ranges of `start`: up to three cells of a row.
struct Span {
  first: u32,
  first_length: u32,
  second: u32,
  second_length: u32,
}

const SPANS = ROWS;

// `offset`: where the buckets begin that are asked.
fn span_of(around: Lattice, index: u32, level: u32, offset: u32) -> Span {
  let middle = around + row_offset(index);
  let place = u32(middle.x) & (HASH_BLOCK - 1u);
  let base = offset + block_of(middle, level);
  let first = start[base + select(place - 1u, 0u, place == 0u)];
  var span = Span(first, start[base + min(place + 1u, HASH_BLOCK - 1u) + 1u] - first, 0u, 0u);
  // The cell beyond the end of the block is in another block.
  if (place == 0u || place == HASH_BLOCK - 1u) {
    let bucket = offset + bucket_at(middle + select(ALONG_X, -ALONG_X, place == 0u), level);
    span.second = start[bucket];
    span.second_length = start[bucket + 1u] - span.second;
  }
  return span;
}

fn is_in_span(around: Lattice, index: u32, level: u32, cell: Lattice) -> bool {
  return all(abs(cell - around - row_offset(index)) <= ALONG_X);
}

fn length_of(span: Span) -> u32 {
  return span.first_length + span.second_length;
}

fn slot_in(span: Span, place: u32) -> u32 {
  return select(span.second + (place - span.first_length), span.first + place, place < span.first_length);
}

// Whether someone in a bucket is of the cell that is asked, not of another or another level's.
fn is_of(around: Lattice, index: u32, level: u32, other: u32, radius: f32, are_guests: bool) -> bool {
  let lower = level_of(radius);
  if (!are_guests && lower != level) {
    return false;
  }
  return is_in_span(around, index, level, coarsened(load_lattice(cell_of_slot[other]), lower, level));
}

// Someone in a bucket: of the cell that is asked, or of others too.
fn meet(
  own: ptr<function, Own>,
  particle: Particle,
  except: u32,
  reach_squared: f32,
  other: u32,
  around: Lattice,
  index: u32,
  level: u32,
  are_guests: bool,
) {
  let body = position_in[other];
  let radius = radius_of(body);
#if BOXES
  let apart = Vector();
  let distance_squared = 0.0;
  let is_met = overlaps(own, particle, other);
#else
  let apart = separation(particle.position, place_of(body));
  let distance_squared = dot(apart, apart);
  let reach = particle.radius + radius;
  let is_met = distance_squared < reach * reach * reach_squared;
#endif
  if (is_met && other != except && is_of(around, index, level, other, radius, are_guests)) {
    visit(own, particle, neighbour_of(other, apart, distance_squared, body));
  }
}

// Those on a particle's own level and on all above, then its guests.
fn meet_all(
  own: ptr<function, Own>,
  particle: Particle,
  except: u32,
  reach_squared: f32,
  lattice: Lattice,
  level: u32,
  occupied: u32,
  turn: u32,
) {
  for (var higher = level; higher < grid.levels; higher++) {
    if ((occupied & (1u << higher)) != 0u) {
      meet_level(own, particle, except, reach_squared, coarsened(lattice, level, higher), higher, turn);
    }
  }
  if (has_guests(level, occupied)) {
    meet_guests(own, particle, except, reach_squared, lattice, level, turn);
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
  for (var index = 0u; index < SPANS; index++) {
    let span = span_of(around, index, level, 0u);
    // Never more than all, so that not even a broken grid holds up the device.
    let end = min(length_of(span), grid.count);
    for (var place = turn; place < end; place += TURNS) {
      meet(own, particle, except, reach_squared, slot_in(span, place), around, index, level, false);
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
  for (var index = 0u; index < SPANS; index++) {
    let span = span_of(around, index, level, guest_bucket(0u));
    let end = min(length_of(span), grid.count * grid.levels);
    for (var place = turn; place < end; place += TURNS) {
      let entry = guests[base + slot_in(span, place)];
      if ((entry & ((1u << GUEST_LEVEL_BITS) - 1u)) == level) {
        meet(own, particle, except, reach_squared, entry >> GUEST_LEVEL_BITS, around, index, level, true);
      }
    }
  }
}

// All that are on a particle's own level, on lower and on higher ones, itself included.
fn count_around(lattice: Lattice, level: u32) -> u32 {
  var found = count_on(lattice, level, true);
  for (var higher = level; higher < grid.levels; higher++) {
    found += count_on(coarsened(lattice, level, higher), higher, false);
  }
  return found;
}

// Those of the cells around a place on a level, or their guests.
fn count_on(around: Lattice, level: u32, are_guests: bool) -> u32 {
  let base = GUEST_HEADER - grid.count;
  var found = 0u;
  for (var index = 0u; index < SPANS; index++) {
    let span = span_of(around, index, level, select(0u, guest_bucket(0u), are_guests));
    let end = min(length_of(span), grid.count * grid.levels);
    for (var place = 0u; place < end; place++) {
      var other = slot_in(span, place);
      var is_here = true;
      if (are_guests) {
        let entry = guests[base + other];
        is_here = (entry & ((1u << GUEST_LEVEL_BITS) - 1u)) == level;
        other = entry >> GUEST_LEVEL_BITS;
      }
      let radius = radius_of(position_in[other]);
      found += select(0u, 1u, is_here && is_of(around, index, level, other, radius, are_guests));
    }
  }
  return found;
}

#if CROWDS
// Whether a row of cells on a particle's own level or above holds too many for one thread.
fn has_long_row(lattice: Lattice, level: u32) -> bool {
  var long = false;
  for (var higher = level; higher < grid.levels; higher++) {
    long = long || is_long(coarsened(lattice, level, higher), higher, 0u);
  }
  return long;
}

// The same of lists of guests.
fn has_long_list(lattice: Lattice, level: u32) -> bool {
  return is_long(lattice, level, guest_bucket(0u));
}

fn is_long(around: Lattice, level: u32, offset: u32) -> bool {
  var long = false;
  for (var index = 0u; index < SPANS; index++) {
    long = long || length_of(span_of(around, index, level, offset)) > HEAVY_ROW;
  }
  return long;
}
#endif
