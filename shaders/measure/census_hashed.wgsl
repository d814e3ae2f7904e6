// Counts the particles in the cell of a slot, in a hashed grid, whose buckets may hold several cells.
// Needs: level_of, position_in, Cell, Census, bucket_at, start, grid, cell_of_slot.

#if VARIABLE_RADII
fn level_at(slot: u32) -> u32 {
  return level_of(radius_of(position_in[slot]));
}
#endif

fn census_of(slot: u32, cell: Cell) -> Census {
#if VARIABLE_RADII
  let bucket = bucket_at(load_lattice(cell), level_at(slot));
#else
  let bucket = bucket_at(load_lattice(cell));
#endif
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
