// Moves particles to their canonical slots: buckets ascend, and ids ascend inside a bucket. Quarantined and removed
// particles stay where scatter put them; nothing depends on their order.
// Needs: entries, linear_workgroup, grid, position_in, bucket_of, start, position_out, wrap_stored, id_out.
// Needs: cell_of_slot, cell_of, velocity_out, velocity_in.

fn smaller_ids(first: u32, end: u32, id: u32) -> u32 {
  var smaller = 0u;
  for (var other = first; other < end; other++) {
    smaller += select(0u, 1u, entries[other].y < id);
  }
  return smaller;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn gather(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let index = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (index >= grid.count) {
    return;
  }
  let entry = entries[index];
  let source = min(entry.x, grid.count - 1u);
  let body = position_in[source];
  let bucket = bucket_of(cell_key_source(body), entry.y);
  var target_slot = index;
  if (bucket < grid.cell_count) {
    let first = start[bucket];
    let end = min(start[bucket + 1u], grid.count);
#if CROWDS
    // crowd.wgsl has already sorted crowds.
    if (end - first <= CROWDED) {
      target_slot = first + smaller_ids(first, end, entry.y);
    }
#else
    target_slot = first + smaller_ids(first, end, entry.y);
#endif
  }
  if (target_slot < grid.count) {
    position_out[target_slot] = wrap_stored(body);
    id_out[target_slot] = entry.y;
    cell_of_slot[target_slot] = cell_of(cell_key_source(body), bucket);
#if VELOCITY
    velocity_out[target_slot] = velocity_in[source];
#endif
  }
}
