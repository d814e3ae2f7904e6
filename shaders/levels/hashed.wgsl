// Levels of cells in an unbounded world, hashed into `grid.cell_count` buckets, a power of two. levels/dense.wgsl
// defines the same names.
// Needs: grid, snap, is_beside, mix_bits.

// The finer entries of a cell stand for particles at least this many levels below the cell.
const FINER_STEPS = 1u;

fn finest_at(position: Vector) -> Lattice {
  // FARTHEST_CELL counts cells of the lowest level.
  let farthest = Vector(f32(FARTHEST_CELL) * grid.cell_size);
  return Lattice(floor(snap(clamp(snap(position), -farthest, farthest) * grid.inverse_cell_size)));
}

fn coarsened(lattice: Lattice, level: u32, coarser: u32) -> Lattice {
  return lattice >> Extent(coarser - level);
}

fn are_adjacent(cell: Lattice, other: Lattice, level: u32) -> bool {
  return is_beside(cell, other);
}

// Returns the first bucket of the hash block of a cell.
fn block_of(lattice: Lattice, level: u32) -> u32 {
  let hash = hash_lattice(lattice >> BLOCK_SHIFT) ^ (level * 0x9e3779b9u);
  return (mix_bits(hash) * HASH_BLOCK) & (grid.cell_count - 1u);
}

fn bucket_at(lattice: Lattice, level: u32) -> u32 {
  return block_of(lattice, level) + (u32(lattice.x) & (HASH_BLOCK - 1u));
}

// Returns the number of buckets that may have finer entries: all buckets, because any may hold cells of any level.
fn finer_buckets() -> u32 {
  return grid.cell_count;
}

fn finer_bucket(bucket: u32) -> u32 {
  return grid.cell_count + FINER_BUCKETS + bucket;
}
