// Says that every level may hold particles. All levels of hashed cells share one table, which cannot tell which levels
// are empty. levels/occupied_dense.wgsl provides the same name.

fn is_occupied(level: u32) -> bool {
  return true;
}
