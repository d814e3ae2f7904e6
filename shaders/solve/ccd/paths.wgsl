// The paths of the substep, as listed by list.wgsl. Needs counters.

fn path_count() -> u32 {
  return min(counter_at(CCD_PATHS), grid.count);
}

// Of paths that are none, anybody's.
fn slot_of_path(path: u32) -> u32 {
  return min(counter_at(CCD_HEADER + min(path, grid.count - 1u)), grid.count - 1u);
}
