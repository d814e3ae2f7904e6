// The neighbour loop where each particle has a radius of its own. Needs params, finite, world_levels, a space and
// particle, and of the kernel: start: array<u32>, position_in: array<Body>, cell_of_slot: array<Cell>, guests:
// array<u32>, struct Own, fn visit. Calls visit for every particle that overlaps this one (distance < the sum of the
// radii), but for the one in slot `except`. `reach_squared` is not asked. With BOXES particles are boxes, and the kernel
// says which overlap: fn overlaps(own: ptr<function, Own>, particle: Particle, other: u32) -> bool.
// Two that overlap are in adjacent cells of the higher of their two levels. So those of its own level and of higher
// ones are in the 3×3 (3×3×3) cells around its own place on each, those of lower levels are guests of the cells around
// its own. Ordering: levels from its own upwards, then guests; rows and cells as they lie, slots ascending in each
// bucket: it depends on the state alone. With HEAVY it goes over the candidates whose turn it is for one of
// HEAVY_WORKGROUP_SIZE threads.

#if HEAVY
const TURNS = HEAVY_WORKGROUP_SIZE;
#else
const TURNS = 1u;
#endif

// A bit for each level that anyone is on.
fn occupied_levels() -> u32 {
  return guests[0];
}

// Particles of one level, in it or its guests, in ranges of `start`: up to three cells of a row.
struct Span {
  first: u32,
  first_length: u32,
  second: u32,
  second_length: u32,
}

// `offset`: where the buckets begin that are asked.
#if WRAPS
const SPANS = AROUND;

fn span_of(around: Lattice, index: u32, level: u32, offset: u32) -> Span {
  let bucket = offset + bucket_at(brought_in(around + offset_of(index), level), level);
  return Span(start[bucket], start[bucket + 1u] - start[bucket], 0u, 0u);
}

// Whether a cell is the one of this span.
fn is_in_span(around: Lattice, index: u32, level: u32, cell: Lattice) -> bool {
  return all(cell == brought_in(around + offset_of(index), level));
}
#else
const SPANS = ROWS;

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
#endif

// Someone in a bucket: of the cell that is asked, or of others too, whose turn is another or never.
fn meet(
  own: ptr<function, Own>,
  particle: Particle,
  except: u32,
  other: u32,
  around: Lattice,
  index: u32,
  level: u32,
  are_guests: bool,
) {
  let body = position_in[other];
#if BOXES
  let apart = Vector();
  let distance_squared = 0.0;
  let is_met = overlaps(own, particle, other);
#else
  let apart = separation(particle.position, place_of(body));
  let distance_squared = dot(apart, apart);
  let reach = particle.radius + radius_of(body);
  let is_met = distance_squared < reach * reach;
#endif
  if (is_met && other != except) {
    let lower = level_of(radius_of(body));
    if (are_guests || lower == level) {
      if (is_in_span(around, index, level, coarsened(load_lattice(cell_of_slot[other]), lower, level))) {
        visit(own, particle, Neighbour(other, apart, distance_squared));
      }
    }
  }
}

fn probe(
  own: ptr<function, Own>,
  particle: Particle,
  except: u32,
  cell: Cell,
  reach_squared: f32,
  thread: u32,
) {
  if (!is_in_grid(cell)) {
    return;
  }
#if HEAVY
  let turn = thread;
#else
  let turn = 0u;
#endif
  let lattice = load_lattice(cell);
  let level = level_of(particle.radius);
  let occupied = occupied_levels();
  for (var higher = level; higher < grid.levels; higher++) {
    if ((occupied & (1u << higher)) == 0u) {
      continue;
    }
    let around = coarsened(lattice, level, higher);
    for (var index = 0u; index < SPANS; index++) {
      let span = span_of(around, index, higher, 0u);
      // Never more than all, so that not even a broken grid holds up the device.
      let end = min(span.first_length + span.second_length, grid.count);
      for (var place = turn; place < end; place += TURNS) {
        let other =
          select(span.second + (place - span.first_length), span.first + place, place < span.first_length);
        meet(own, particle, except, other, around, index, higher, false);
      }
    }
  }
  if ((occupied & ((1u << level) - 1u)) == 0u) {
    return;
  }
  let base = GUEST_HEADER - grid.count;
  for (var index = 0u; index < SPANS; index++) {
    let span = span_of(lattice, index, level, guest_bucket(0u));
    let end = min(span.first_length + span.second_length, grid.count * grid.levels);
    for (var place = turn; place < end; place += TURNS) {
      let guest =
        select(span.second + (place - span.first_length), span.first + place, place < span.first_length);
      let entry = guests[base + guest];
      if ((entry & ((1u << GUEST_LEVEL_BITS) - 1u)) == level) {
        meet(own, particle, except, entry >> GUEST_LEVEL_BITS, lattice, index, level, true);
      }
    }
  }
}

#if CROWDS
fn length_of(span: Span) -> u32 {
  return span.first_length + span.second_length;
}

// Whether a particle has too many candidates for one thread: too many in a row of its own or a higher level, or among
// the guests of one. A row has three cells: where none is crowded, nobody is heavy.
fn is_heavy(slot: u32) -> bool {
  if ((occupied_levels() & (1u << CROWD_BIT)) == 0u) {
    return false;
  }
  let level = level_of(radius_of(position_in[slot]));
  let lattice = load_lattice(cell_of_slot[slot]);
  var heavy = false;
  for (var higher = level; higher < grid.levels; higher++) {
    let around = coarsened(lattice, level, higher);
    for (var index = 0u; index < SPANS; index++) {
      heavy = heavy || length_of(span_of(around, index, higher, 0u)) > HEAVY_ROW;
      if (higher == level) {
        heavy = heavy || length_of(span_of(around, index, level, guest_bucket(0u))) > HEAVY_ROW;
      }
    }
  }
  return heavy;
}
#endif
