// The unbounded world: cells without limits, hashed into a table of `grid.cell_count` buckets, a power of two. Linked
// with space_straight.wgsl. The edge of a cell is a power of two, so scaling a position is exact at any distance. Twin:
// src/core/world/cells.ts.
// A hash block is HASH_BLOCK cells along x, adjacent in the table. Three cells of a row are therefore one or two ranges
// of slots.
// Needs: grid, snap, mix_bits, is_finite, outer_bucket, is_beside.

// The cell of a slot: its coordinates, because several cells may share a bucket. It is stored until the next sort.
alias Cell = StoredLattice;

// Greater than any lattice coordinate.
const NOWHERE = Cell(0x7fffffff);

fn is_in_grid(cell: Cell) -> bool {
  return cell.x != NOWHERE.x;
}

fn lattice_at(position: Vector) -> Lattice {
  // Clamps before scaling, so that the product cannot overflow.
  let farthest = Vector(f32(FARTHEST_CELL) * grid.cell_size);
  return Lattice(floor(snap(clamp(snap(position), -farthest, farthest) * grid.inverse_cell_size)));
}

// Returns the first bucket of the block that holds a cell.
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
