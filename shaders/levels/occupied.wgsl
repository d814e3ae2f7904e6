// Tests whether a level holds particles. Each level has buckets of its own.
// Needs: grid, start.

fn is_occupied(level: u32) -> bool {
  var end = grid.cell_count;
  if (level + 1u < grid.levels) {
    end = grid.level_first[(level + 1u) / 4u][(level + 1u) % 4u];
  }
  return start[grid.level_first[level / 4u][level % 4u]] < start[end];
}
