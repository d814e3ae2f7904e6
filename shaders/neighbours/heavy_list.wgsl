// The list of heavy particles (see grid/heavy.wgsl), for kernels with one workgroup per heavy particle. With variable
// radii, the list is at the end of `finer`, which the kernel binds anyway; otherwise it is in `crowd`.
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
