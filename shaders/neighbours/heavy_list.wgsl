// Reads the list of heavy particles: from `finer` with variable radii, otherwise from `crowd`.
// Needs: finer, heavy_number_at, grid, heavy_slot_at, crowd.

#if VARIABLE_RADII
fn is_listed(index: u32) -> bool {
  return index < min(finer[heavy_number_at(arrayLength(&finer))], grid.count);
}

fn heavy_at(index: u32) -> u32 {
  return finer[heavy_slot_at(arrayLength(&finer), index)];
}
#else
fn is_listed(index: u32) -> bool {
  return index < min(crowd[1], arrayLength(&crowd) - CROWD_HEADER);
}

fn heavy_at(index: u32) -> u32 {
  return crowd[CROWD_HEADER + index];
}
#endif
