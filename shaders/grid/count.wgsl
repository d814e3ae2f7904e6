// Counts particles per bucket and, with HAS_FINER, finer entries. Each particle gets a rank in its bucket, in the order
// of the atomics; gather.wgsl makes the order canonical.
// Needs: linear_workgroup, grid, id_in, position_in, bucket_of, ranks, counts, level_of, cell_at, levels_with_entries.
// Needs: finer, finer_bucket, bucket_at, coarsened.

@compute @workgroup_size(WORKGROUP_SIZE)
fn count(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count) {
    return;
  }
  var id = 0u;
#if IDS
  id = id_in[slot];
#endif
  let body = position_in[slot];
  let bucket = bucket_of(cell_key_source(body), id);
  ranks[slot] = atomicAdd(&counts[bucket], 1u);
#if HAS_FINER
  if (bucket < grid.cell_count) {
    let level = level_of(radius_of(body));
    let cell = cell_at(body_position(body), level);
    var left = levels_with_entries(level, finer[0]);
    while (left != 0u) {
      let higher = firstTrailingBit(left);
      atomicAdd(&counts[finer_bucket(bucket_at(coarsened(cell, level, higher), higher))], 1u);
      left &= left - 1u;
    }
  }
#endif
}
