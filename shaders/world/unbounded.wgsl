// The unbounded world: cells hashed into `grid.cell_count` buckets, a power of two. A cell's edge is a power of two, so
// scaling is exact at any distance. The HASH_BLOCK cells of a hash block, in a row along x, have consecutive buckets.
// So three adjacent cells of a row are one or two ranges. Twin: src/core/world/cells.ts.
// Needs: grid, snap, mix_bits, is_finite, outer_bucket, is_beside.

// A slot's cell coordinates, stored until the next sort. Cells may share a bucket.
alias Cell = StoredLattice;

// Greater than any lattice coordinate.
const NOWHERE = Cell(0x7fffffff);

fn is_in_grid(cell: Cell) -> bool {
  return cell.x != NOWHERE.x;
}

fn lattice_at(position: Vector) -> Lattice {
  // Clamp before scaling, so that the product cannot overflow.
  let farthest = Vector(f32(FARTHEST_CELL) * grid.cell_size);
  return Lattice(floor(snap(clamp(snap(position), -farthest, farthest) * grid.inverse_cell_size)));
}

// Returns the first bucket of a cell's hash block.
fn block_of(lattice: Lattice) -> u32 {
  return (mix_bits(hash_lattice(lattice >> BLOCK_SHIFT)) * HASH_BLOCK) & (grid.cell_count - 1u);
}

fn bucket_at(lattice: Lattice) -> u32 {
  return block_of(lattice) + (u32(lattice.x) & (HASH_BLOCK - 1u));
}

fn bucket_of(position: Vector, id: u32) -> u32 {
  if (is_finite(position)) {
    return bucket_at(lattice_at(position));
  }
  return outer_bucket(id);
}

fn cell_of(position: Vector, bucket: u32) -> Cell {
  if (bucket < grid.cell_count) {
    return store_lattice(lattice_at(position));
  }
  return NOWHERE;
}

fn lattice_of(cell: Cell) -> Lattice {
  return load_lattice(cell);
}

fn are_adjacent(cell: Lattice, other: Lattice) -> bool {
  return is_beside(cell, other);
}
