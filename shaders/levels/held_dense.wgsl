// Which levels of a box anybody is on. Needs levels_dense, and of the kernel start: array<u32>. The other kind, with the
// same name, is levels_held_hashed.wgsl.

fn holds_anyone(level: u32) -> bool {
  var end = grid.cell_count;
  if (level + 1u < grid.levels) {
    end = grid.level_first[(level + 1u) / 4u][(level + 1u) % 4u];
  }
  return start[grid.level_first[level / 4u][level % 4u]] < start[end];
}
