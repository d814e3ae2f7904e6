// The neighbour loop with variable radii. Calls visit for every particle that overlaps `particle`, except the one in
// slot `except`. Two particles overlap if distance² < reach_squared * (sum of the radii)².
//
// Linked with levels/probe_hashed.wgsl or levels/probe_dense.wgsl. The kernel defines struct Gathered and fn visit.
// With the flag BOXES, the particles are boxes in hashed cells. The kernel then also defines
//   fn overlaps(gathered: ptr<function, Gathered>, particle: Particle, other: u32) -> bool
//
// Two particles that overlap are in adjacent cells of the higher of their two levels. So candidates on the particle's
// own level and above are in the 3×3 (3×3×3) cells around its cell on each of these levels. Candidates on lower levels
// are finer entries of the cells around the particle's own cell. One exception: in a dense grid, candidates exactly
// one level below are not finer entries. The loop reads their cells, which lie in rows.
// Ordering: depends on the state alone.
// With HEAVY each of HEAVY_WORKGROUP_SIZE threads takes its share of the candidates.
// Needs: finer, Gathered, Particle, Cell, is_in_grid, level_of, visit_candidates, FINER_STEPS, count_around.
// Needs: position_in, heavy_bits_at, cell_of_slot, has_long_row, has_long_list.

// Returns one bit per level that may hold particles, and the bit CROWD_BIT if any bucket or list is crowded.
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
  let lane = thread;
#else
  let lane = 0u;
#endif
  let lattice = load_lattice(cell);
  let level = level_of(particle.radius);
  let occupied = occupied_levels();
  visit_candidates(gathered, particle, except, reach_squared, lattice, level, occupied, lane);
}

// True if cells of a level may have finer entries.
fn has_finer(level: u32, occupied: u32) -> bool {
#if HAS_FINER
  return level >= FINER_STEPS && (occupied & ((1u << (level + 1u - FINER_STEPS)) - 1u)) != 0u;
#else
  return false;
#endif
}

// Returns the number of candidates of a particle, without the particle itself. Expects a cell in the grid.
fn count_candidates(slot: u32, cell: Cell) -> u32 {
  return count_around(load_lattice(cell), level_of(radius_of(position_in[slot]))) - 1u;
}

#if CROWDS
// True if grid/heavy.wgsl has listed the particle as heavy. Without CROWD_BIT no particle is heavy, and the bits are
// left over from an earlier sort.
fn is_heavy(slot: u32) -> bool {
  let bits = finer[heavy_bits_at(arrayLength(&finer), slot)];
  return (occupied_levels() & (1u << CROWD_BIT)) != 0u && ((bits >> (slot % 32u)) & 1u) != 0u;
}

// True if a particle has too many candidates for one thread.
fn has_too_many(slot: u32) -> bool {
  let occupied = occupied_levels();
  let level = level_of(radius_of(position_in[slot]));
  let lattice = load_lattice(cell_of_slot[slot]);
  return has_long_row(lattice, level) || (has_finer(level, occupied) && has_long_list(lattice, level));
}
#endif
