// Says which levels of a box hold particles. Needs levels/dense.wgsl, and start: array<u32> of the kernel.
// levels/held_hashed.wgsl provides the same name for an unbounded world.
// Needs: grid, start.

fn holds_anyone(level: u32) -> bool {
  var end = grid.cell_count;
  if (level + 1u < grid.levels) {
    end = grid.level_first[(level + 1u) / 4u][(level + 1u) % 4u];
  }
  return start[grid.level_first[level / 4u][level % 4u]] < start[end];
}
