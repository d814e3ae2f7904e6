// The neighbour loop with variable radii. Calls visit for particles whose distance² is below reach_squared * (sum of
// radii)², except slot `except`. With BOXES, the kernel's overlaps(gathered, particle, other) decides instead.
//
// On the higher of their two levels, overlapping particles are in the same cell or adjacent ones. So the candidates are
// - on the particle's level and each level above: those in the cells of that level around the particle
// - one level lower: those in the cells around the particle on its own level
// - on still lower levels: the finer entries of the same cells
// The order of candidates depends on the state alone. With HEAVY, the threads of a workgroup share the candidates of a
// heavy particle.
// Needs: finer, Gathered, Particle, Cell, is_in_grid, level_of, visit_candidates, count_around, position_in.
// Needs: heavy_bits_at, cell_of_slot, has_long_row, has_long_list.

// Returns one bit per level, set if the level may hold particles, and CROWD_BIT.
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

fn has_finer(level: u32, occupied: u32) -> bool {
#if HAS_FINER
  return level >= FINER_STEPS && (occupied & ((1u << (level + 1u - FINER_STEPS)) - 1u)) != 0u;
#else
  return false;
#endif
}

// Counts candidates without the particle itself. The cell must be in the grid.
fn count_candidates(slot: u32, cell: Cell) -> u32 {
  return count_around(load_lattice(cell), level_of(radius_of(position_in[slot]))) - 1u;
}

#if CROWDS
// Returns true if grid/heavy.wgsl listed the particle. If CROWD_BIT is not set, the bits per slot are stale.
fn is_heavy(slot: u32) -> bool {
  let bits = finer[heavy_bits_at(arrayLength(&finer), slot)];
  return (occupied_levels() & (1u << CROWD_BIT)) != 0u && ((bits >> (slot % 32u)) & 1u) != 0u;
}

fn has_too_many(slot: u32) -> bool {
  let occupied = occupied_levels();
  let level = level_of(radius_of(position_in[slot]));
  let lattice = load_lattice(cell_of_slot[slot]);
  return has_long_row(lattice, level) || (has_finer(level, occupied) && has_long_list(lattice, level));
}
#endif
