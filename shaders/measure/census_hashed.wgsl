// Who else is in a particle's cell, where a bucket may hold several cells. Needs of the kernel: start, cell_of_slot.

fn census_of(slot: u32, cell: Cell) -> Census {
  let bucket = bucket_at(load_lattice(cell));
  let end = min(start[bucket + 1u], grid.count);
  var census = Census(true, 0u, false);
  for (var other = start[bucket]; other < end; other++) {
    if (all(cell_of_slot[other] == cell)) {
      census.is_first = census.is_first && other >= slot;
      census.occupancy += 1u;
    } else {
      census.is_shared = true;
    }
  }
  return census;
}
