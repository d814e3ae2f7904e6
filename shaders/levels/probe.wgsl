// The neighbour loop with variable radii. Calls visit for every particle that overlaps this one (distance < the sum of
// the radii times the root of `reach_squared`), except the one in slot `except`.
//
// Needs the modules params, finite, levels, particle, one of world/space_*.wgsl, and levels/probe_hashed.wgsl or
// levels/probe_dense.wgsl for meet_all, has_long_row, has_long_list and count_around. The kernel declares start:
// array<u32>, position_in: array<PackedBody>, cell_of_slot: array<Cell>, finer: array<u32>, struct Gathered and fn
// visit. With the flag BOXES, particles are boxes in hashed cells, and the kernel also declares which overlap:
// fn overlaps(gathered: ptr<function, Gathered>, particle: Particle, other: u32) -> bool.
//
// Two particles that overlap are in adjacent cells of the higher of their two levels. So candidates on the particle's
// own level and above are in the 3×3 (3×3×3) cells around its cell on each of these levels. Candidates on lower levels
// are inside the cells around its cell on its own level, which list them as finer entries. A dense grid does not list
// those one level below; the loop reads the cells of that level instead, because they lie in rows.
// Ordering: visits levels upwards, then finer entries; on each level cells in memory order, and in each bucket slots
// ascending. So the order depends on the state alone.
// With HEAVY each of HEAVY_WORKGROUP_SIZE threads goes over its share of the candidates.
// Needs: finer, Gathered, Particle, Cell, is_in_grid, level_of, meet_all, FINER_STEPS, count_around, position_in.
// Needs: heavy_bits_at, cell_of_slot, has_long_row, has_long_list.

// One bit per level that may hold particles.
fn occupied_levels() -> u32 {
  return finer[0];
}

fn probe(
  gathered: ptr<function, Gathered>,
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
  meet_all(gathered, particle, except, reach_squared, lattice, level, occupied, turn);
}

// True if cells of a level may have finer entries.
fn has_finer(level: u32, occupied: u32) -> bool {
#if HAS_FINER
  return level >= FINER_STEPS && (occupied & ((1u << (level + 1u - FINER_STEPS)) - 1u)) != 0u;
#else
  return false;
#endif
}

// The number of candidates of a particle, itself not included. The cells of two candidates are the same or touch on the
// higher of their two levels.
fn count_candidates(slot: u32, cell: Cell) -> u32 {
  if (!is_in_grid(cell)) {
    return 0u;
  }
  return count_around(load_lattice(cell), level_of(radius_of(position_in[slot]))) - 1u;
}

#if CROWDS
// True if grid/heavy.wgsl has found that a particle has too many candidates for one thread. If no bucket or list is
// crowded, the bits are not up to date and no particle is heavy.
fn is_heavy(slot: u32) -> bool {
  let bits = finer[heavy_bits_at(arrayLength(&finer), slot)];
  return (occupied_levels() & (1u << CROWD_BIT)) != 0u && ((bits >> (slot % 32u)) & 1u) != 0u;
}

// True if a particle has too many candidates: in rows of any level that it looks at, or among its finer entries.
fn has_too_many(slot: u32) -> bool {
  let occupied = occupied_levels();
  let level = level_of(radius_of(position_in[slot]));
  let lattice = load_lattice(cell_of_slot[slot]);
  return has_long_row(lattice, level) || (has_finer(level, occupied) && has_long_list(lattice, level));
}
#endif
