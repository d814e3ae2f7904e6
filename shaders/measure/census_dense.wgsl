// Counts the particles in the cell of a slot, in a dense grid.
// Needs: Cell, Census, bucket_at, level_of, position_in, start.

fn census_of(slot: u32, cell: Cell) -> Census {
#if VARIABLE_RADII
  let bucket = bucket_at(load_lattice(cell), level_of(radius_of(position_in[slot])));
#else
  let bucket = cell;
#endif
  let first = start[bucket];
  return Census(first == slot, start[bucket + 1u] - first, false);
}
