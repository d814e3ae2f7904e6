// The heavy particles (see grid/heavy.wgsl) for kernels with a workgroup for each. Of the kernel it needs one binding more:
// crowd: array<u32>, or, where particles have radii of their own, guests, which it has anyway.

#if MIXED
fn is_listed(index: u32) -> bool {
  return index < min(guests[heavy_number_at(arrayLength(&guests))], grid.count);
}

fn heavy_at(index: u32) -> u32 {
  return guests[heavy_place(arrayLength(&guests), index)];
}
#else
fn is_listed(index: u32) -> bool {
  return index < min(crowd[1], arrayLength(&crowd) - CROWD_HEADER);
}

fn heavy_at(index: u32) -> u32 {
  return crowd[CROWD_HEADER + index];
}
#endif
