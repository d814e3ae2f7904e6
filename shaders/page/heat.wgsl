// Counts particles per block of cells of the lowest level. In 3D, cells above each other share a counter. The host
// clears the counters. Host: src/page/view/overlay-pipelines.ts.
// Needs: linear_workgroup, grid, position_in, is_finite, finest_at, lattice_at, heat, counts.

struct Heat {
  // The number of counters along each axis; 1 along y in 3D.
  counters: Extent,
  // The number of cells along each axis. Particles outside count in the nearest cell.
  cells: Extent,
  // A counter stands for a block of cells with 2^shift cells per edge.
  shift: u32,
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn count_heat(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count) {
    return;
  }
  let position = body_position(position_in[slot]);
  if (!is_finite(position)) {
    return;
  }
#if VARIABLE_RADII
  let cell = finest_at(position);
#else
  let cell = lattice_at(position) - Lattice(grid.ring);
#endif
  let inside = clamp(cell, Lattice(), Lattice(heat.cells) - Lattice(1));
  let block = min(inside >> Extent(heat.shift), Lattice(heat.counters) - Lattice(1));
  atomicAdd(&counts[flatten(block, heat.counters)], 1u);
}
