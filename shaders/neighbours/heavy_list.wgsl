// The heavy particles (see grid/heavy.wgsl) for kernels with a workgroup for each. Of the kernel it needs one binding more:
// crowd: array<u32>, or, where particles have radii of their own, finer entries, which it has anyway.

#if VARIABLE_RADII
fn is_listed(index: u32) -> bool {
  return index < min(finer[heavy_number_at(arrayLength(&finer))], grid.count);
}

fn heavy_at(index: u32) -> u32 {
  return finer[heavy_place(arrayLength(&finer), index)];
}
#else
fn is_listed(index: u32) -> bool {
  return index < min(crowd[1], arrayLength(&crowd) - CROWD_HEADER);
}

fn heavy_at(index: u32) -> u32 {
  return crowd[CROWD_HEADER + index];
}
#endif
