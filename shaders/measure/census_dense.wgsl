// Who else is in a particle's cell, where a bucket is a cell. Needs of the kernel: start, and position_in where each
// particle has a radius of its own.

fn census_of(slot: u32, cell: Cell) -> Census {
#if VARIABLE_RADII
  let bucket = bucket_at(load_lattice(cell), level_of(radius_of(position_in[slot])));
#else
  let bucket = cell;
#endif
  let first = start[bucket];
  return Census(first == slot, start[bucket + 1u] - first, false);
}
