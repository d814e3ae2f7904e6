// Levels share one table in a hashed grid, so any may hold particles. Same name: levels/occupied_dense.wgsl.

fn is_occupied(level: u32) -> bool {
  return true;
}
