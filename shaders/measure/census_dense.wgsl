// Who else is in a particle's cell, where a bucket is a cell. Needs of the kernel: start.

fn census_of(slot: u32, cell: Cell) -> Census {
  let first = start[cell];
  return Census(first == slot, start[cell + 1u] - first, false);
}
