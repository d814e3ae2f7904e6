// `file` lists slow particles by cell. The order within a list does not matter, because only the first hit counts.
// `sweep` empties the lists.
// Needs: counter_at, linear_workgroup, grid, position_in, bucket_of, id_in, is_fast, way_of, links, word_of_next.
// Needs: note_level.

@compute @workgroup_size(WORKGROUP_SIZE)
fn file(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  if (counter_at(CCD_PATHS) == 0u) {
    return;
  }
  let stride = workgroups.x * workgroups.y * WORKGROUP_SIZE;
  let thread_index = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  for (var slot = thread_index; slot < grid.count; slot += stride) {
    let body = position_in[slot];
    let bucket = bucket_of(cell_key_source(body), id_in[slot]);
    if (bucket < grid.cell_count && !is_fast(way_of(slot), body)) {
      let next = atomicExchange(&links[bucket], slot + 1u);
      atomicStore(&links[word_of_next(slot)], next);
#if VARIABLE_RADII
      note_level(CCD_SLOW_LEVELS, body);
#endif
    }
  }
}

// Slow particles have not moved since `file`, so this empties every list.
@compute @workgroup_size(WORKGROUP_SIZE)
fn sweep(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  if (counter_at(CCD_PATHS) == 0u) {
    return;
  }
  let stride = workgroups.x * workgroups.y * WORKGROUP_SIZE;
  let thread_index = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  for (var slot = thread_index; slot < grid.count; slot += stride) {
    let bucket = bucket_of(cell_key_source(position_in[slot]), id_in[slot]);
    if (bucket < grid.cell_count) {
      atomicStore(&links[bucket], 0u);
    }
  }
}
