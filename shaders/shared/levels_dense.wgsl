// Levels of cells of a box, each with a bucket of its own: level by level, row by row, with a ring of empty cells around
// each level, as in world_bounded.wgsl. Needs space_straight; before levels.wgsl. The other kind is in
// levels_hashed.wgsl.

// How many levels a guest is below its hosts, at least: who is on the level just below is looked for in its cells, which
// lie in rows.
const GUEST_STEPS = 2u;

// Cells along each axis of a level, the ring included.
fn cells_at(level: u32) -> Extent {
  return ((grid.cells - Extent(1u)) >> Extent(level)) + Extent(3u);
}

fn finest_at(position: Vector) -> Lattice {
  let scaled = floor(snap(snap(position - grid.origin) * grid.inverse_cell_size));
  return Lattice(clamp(scaled, Vector(), Vector(grid.cells - Extent(1u))));
}

fn coarsened(lattice: Lattice, level: u32, coarser: u32) -> Lattice {
  return lattice >> Extent(coarser - level);
}

// Whether two cells of a level are the same or touch.
fn are_adjacent(cell: Lattice, other: Lattice, level: u32) -> bool {
  return is_beside(cell, other);
}

fn bucket_at(lattice: Lattice, level: u32) -> u32 {
  return grid.level_first[level / 4u][level % 4u] + flatten(lattice + Lattice(1), cells_at(level));
}

// Buckets that have guests: those of level GUEST_STEPS and of higher ones.
fn guest_buckets() -> u32 {
  return grid.cell_count - grid.level_first[0][GUEST_STEPS];
}

// The bucket of the guests of the cells of a bucket.
fn guest_bucket(bucket: u32) -> u32 {
  return grid.cell_count + GUEST_BUCKETS + bucket - grid.level_first[0][GUEST_STEPS];
}
