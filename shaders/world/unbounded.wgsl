// The unbounded world: cells anywhere, filed under a hash in a table of `grid.cell_count` buckets, a power of two.
// Needs space_straight. Twin: src/core/world/cells.ts.
// The edge of a cell is a power of two, so that a position's cell is exact however far out it is. Blocks of
// HASH_BLOCK cells along x stay together in the table: three cells of a row are then one range, or two.

// What is kept of the cell of a slot until the next sort: the cell itself, since many share a bucket.
alias Cell = StoredLattice;

// No lattice coordinate is as great as this.
const NOWHERE = Cell(0x7fffffff);

// Cells farther out are one with the last: rounding of coordinates is coarser than cells long before.
const FARTHEST = 0x1p30f;

fn is_in_grid(cell: Cell) -> bool {
  return cell.x != NOWHERE.x;
}

fn lattice_at(position: Vector) -> Lattice {
  // Clamped before it is scaled, so that nothing overflows.
  let farthest = Vector(FARTHEST * grid.cell_size);
  return Lattice(floor(snap(clamp(snap(position), -farthest, farthest) * grid.inverse_cell_size)));
}

// First bucket of the block that holds a cell.
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
  return aside(id);
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
