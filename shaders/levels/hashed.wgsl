// Levels of cells anywhere, filed under a hash of level and place in one table of `grid.cell_count` buckets, a power of
// two: for worlds without an end. Needs hash and space_straight; before levels.wgsl. Blocks of HASH_BLOCK cells along x
// stay together in the table, as in world_unbounded.wgsl. The other kind is in levels_dense.wgsl.

// How many levels a finer entry is below its hosts, at least.
const FINER_STEPS = 1u;

// Cells of the lowest level farther out are one with the last.
const FARTHEST = 0x1p30f;

fn finest_at(position: Vector) -> Lattice {
  let farthest = Vector(FARTHEST * grid.cell_size);
  return Lattice(floor(snap(clamp(snap(position), -farthest, farthest) * grid.inverse_cell_size)));
}

fn coarsened(lattice: Lattice, level: u32, coarser: u32) -> Lattice {
  return lattice >> Extent(coarser - level);
}

fn are_adjacent(cell: Lattice, other: Lattice, level: u32) -> bool {
  return is_beside(cell, other);
}

// First bucket of the block that holds a cell.
fn block_of(lattice: Lattice, level: u32) -> u32 {
  let hash = hash_lattice(lattice >> BLOCK_SHIFT) ^ (level * 0x9e3779b9u);
  return (mix_bits(hash) * HASH_BLOCK) & (grid.cell_count - 1u);
}

fn bucket_at(lattice: Lattice, level: u32) -> u32 {
  return block_of(lattice, level) + (u32(lattice.x) & (HASH_BLOCK - 1u));
}

// Buckets that have finer entries: all, since each may be of any level.
fn finer_buckets() -> u32 {
  return grid.cell_count;
}

// The bucket of the finer entries of the cells of a bucket.
fn finer_bucket(bucket: u32) -> u32 {
  return grid.cell_count + FINER_BUCKETS + bucket;
}
