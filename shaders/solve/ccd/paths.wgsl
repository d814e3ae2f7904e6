// The paths that list.wgsl listed.
// Needs: counter_at, grid.

fn path_count() -> u32 {
  return min(counter_at(CCD_PATHS), grid.count);
}

// Returns the slot of a path, or any slot if there is no such path.
fn slot_of_path(path: u32) -> u32 {
  return min(counter_at(CCD_HEADER + min(path, grid.count - 1u)), grid.count - 1u);
}
