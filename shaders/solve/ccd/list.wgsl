// `list` lists fast particles, in any order. `farthest` finds the greatest distance that a particle may move in a step,
// in diameters of that particle.
// Needs: linear_workgroup, grid, is_valid, position_in, way_of, is_fast, counters, note_level, substep, counter_at.
// Needs: velocity_in, diameter_squared.

@compute @workgroup_size(WORKGROUP_SIZE)
fn list(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count || !is_valid(position_in[slot])) {
    return;
  }
  let way = way_of(slot);
  let body = position_in[slot];
  if (is_fast(way, body)) {
    let path = atomicAdd(&counters[CCD_PATHS], 1u);
    atomicStore(&counters[CCD_HEADER + path], slot);
#if VARIABLE_RADII
    note_level(CCD_FAST_LEVELS, body);
#endif
  } else if (is_fast(substep.substeps * way, body) && counter_at(CCD_FIRST) == 1u) {
    atomicAdd(&counters[CCD_SUBSTEPPED], 1u);
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn farthest(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count || !is_valid(position_in[slot])) {
    return;
  }
  let time = substep.dt * substep.substeps;
  let speed = length(load_vector(velocity_in[slot])) + length(substep.gravity) * time;
  let bits = bitcast<u32>(speed * time / sqrt(diameter_squared(position_in[slot])));
  if (bits > counter_at(CCD_FARTHEST)) {
    atomicMax(&counters[CCD_FARTHEST], bits);
  }
}
