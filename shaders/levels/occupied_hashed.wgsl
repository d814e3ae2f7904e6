// In a hashed grid, all levels share one table, so any level may hold particles. levels/occupied_dense.wgsl defines the
// same name.

fn is_occupied(level: u32) -> bool {
  return true;
}
