// Counterpart of levels/held_dense.wgsl for hashed cells. All levels share one table there, so any level may hold
// particles.

fn holds_anyone(level: u32) -> bool {
  return true;
}
