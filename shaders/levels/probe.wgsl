// The neighbour loop where each particle has a radius of its own. Needs params, finite, levels, a space and
// particle, and of the kernel: start: array<u32>, position_in: array<PackedBody>, cell_of_slot: array<Cell>, finer entries:
// array<u32>, struct Own, fn visit. Calls visit for every particle that overlaps this one (distance < the sum of the
// radii, times the root of `reach_squared`), but for the one in slot `except`. With BOXES particles are boxes, in hashed
// cells, and the kernel says which overlap: fn overlaps(own: ptr<function, Own>, particle: Particle, other: u32) -> bool.
// Needs probe_levels_hashed.wgsl or probe_levels_dense.wgsl for meet_all, has_long_row, has_long_list and count_around.
// Two that overlap are in adjacent cells of the higher of their two levels. So those of its own level and of
// higher ones are in the 3×3 (3×3×3) cells around its own place on each. Those of lower levels are in the cells that these
// around its own are made of: of levels that lie in rows those of the level just below are met there; all others are
// finer entries of the cells around its own. Ordering: levels upwards, then finer entries; rows and cells as they lie, slots ascending in
// each bucket: it depends on the state alone. With HEAVY it goes over the candidates whose turn it is for one of
// HEAVY_WORKGROUP_SIZE threads.

// A bit for each level that anyone may be on.
fn occupied_levels() -> u32 {
  return finer[0];
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
  meet_all(own, particle, except, reach_squared, lattice, level, occupied, turn);
}

// Whether cells of a level may have finer entries.
fn has_finer(level: u32, occupied: u32) -> bool {
#if HAS_FINER
  return level >= FINER_STEPS && (occupied & ((1u << (level + 1u - FINER_STEPS)) - 1u)) != 0u;
#else
  return false;
#endif
}

// Particles whose cells are the same or touch, on the higher of the two levels, this one left out.
fn count_candidates(slot: u32, cell: Cell) -> u32 {
  if (!is_in_grid(cell)) {
    return 0u;
  }
  return count_around(load_lattice(cell), level_of(radius_of(position_in[slot]))) - 1u;
}

#if CROWDS
// Whether heavy.wgsl has found that a particle has too many candidates for one thread. Where no bucket and no list is
// crowded, it has not looked, and nobody has.
fn is_heavy(slot: u32) -> bool {
  let bits = finer[heavy_bits_at(arrayLength(&finer), slot)];
  return (occupied_levels() & (1u << CROWD_BIT)) != 0u && ((bits >> (slot % 32u)) & 1u) != 0u;
}

// Whether it has: on its own or another level that it looks at, or among its finer entries.
fn has_too_many(slot: u32) -> bool {
  let occupied = occupied_levels();
  let level = level_of(radius_of(position_in[slot]));
  let lattice = load_lattice(cell_of_slot[slot]);
  return has_long_row(lattice, level) || (has_finer(level, occupied) && has_long_list(lattice, level));
}
#endif
