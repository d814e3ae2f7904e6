// Who else is in a particle's cell, where a bucket is a cell. Needs of the kernel: start.

struct Census {
  // One particle of each cell is.
  is_first: bool,
  // Particles in the cell, told by the first of them.
  occupancy: u32,
  // Whether particles of another cell are in the same bucket.
  is_shared: bool,
}

fn census_of(slot: u32, cell: Cell) -> Census {
  let first = start[cell];
  return Census(first == slot, start[cell + 1u] - first, false);
}
