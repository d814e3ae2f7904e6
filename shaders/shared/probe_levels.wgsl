// The neighbour loop where each particle has a radius of its own. Needs params, finite, levels, a space and
// particle, and of the kernel: start: array<u32>, position_in: array<Body>, cell_of_slot: array<Cell>, guests:
// array<u32>, struct Own, fn visit. Calls visit for every particle that overlaps this one (distance < the sum of the
// radii, times the root of `reach_squared`), but for the one in slot `except`. With BOXES particles are boxes, in hashed
// cells, and the kernel says which overlap: fn overlaps(own: ptr<function, Own>, particle: Particle, other: u32) -> bool.
// Needs probe_levels_hashed.wgsl or probe_levels_dense.wgsl for meet_level, meet_guests, has_long_row and count_around.
// Two that overlap are in adjacent cells of the higher of their two levels. So those of its own level and of higher
// ones are in the 3×3 (3×3×3) cells around its own place on each, those of lower levels are guests of the cells around
// its own. Ordering: levels from its own upwards, then guests; rows and cells as they lie, slots ascending in each
// bucket: it depends on the state alone. With HEAVY it goes over the candidates whose turn it is for one of
// HEAVY_WORKGROUP_SIZE threads.

// A bit for each level that anyone is on.
fn occupied_levels() -> u32 {
  return guests[0];
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
    if ((occupied & (1u << higher)) != 0u) {
      meet_level(own, particle, except, reach_squared, coarsened(lattice, level, higher), higher, turn);
    }
  }
  if ((occupied & ((1u << level) - 1u)) != 0u) {
    meet_guests(own, particle, except, reach_squared, lattice, level, turn);
  }
}

// Particles whose cells are the same or touch, on the higher of the two levels, this one left out.
fn count_candidates(slot: u32, cell: Cell) -> u32 {
  if (!is_in_grid(cell)) {
    return 0u;
  }
  let lattice = load_lattice(cell);
  let level = level_of(radius_of(position_in[slot]));
  var candidates = count_around(lattice, level, true);
  for (var higher = level; higher < grid.levels; higher++) {
    candidates += count_around(coarsened(lattice, level, higher), higher, false);
  }
  return candidates - 1u;
}

#if CROWDS
// Whether a particle has too many candidates for one thread: of its own or a higher level, or among its guests. Where
// no bucket and no list is crowded, nobody has.
fn is_heavy(slot: u32) -> bool {
  if ((occupied_levels() & (1u << CROWD_BIT)) == 0u) {
    return false;
  }
  let level = level_of(radius_of(position_in[slot]));
  let lattice = load_lattice(cell_of_slot[slot]);
  var heavy = has_long_row(lattice, level, guest_bucket(0u));
  for (var higher = level; higher < grid.levels; higher++) {
    heavy = heavy || has_long_row(coarsened(lattice, level, higher), higher, 0u);
  }
  return heavy;
}
#endif
