// Finds each particle's bucket and counts the buckets. Inputs: positions (and ids, where removal is
// possible). Outputs: counts, and each particle's rank among those counted into its bucket: any order,
// made canonical by gather.wgsl. With HAS_FINER, where there may be finer entries (see finer_entries.wgsl), these too.

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
  // And among the finer entries of the cells above: see finer_entries.wgsl.
  if (bucket < grid.cell_count) {
    let level = level_of(radius_of(body));
    let cell = cell_at(place_of(body), level);
    for (var higher = level + FINER_STEPS; higher < grid.levels; higher++) {
      if ((finer[0] & (1u << higher)) != 0u) {
        atomicAdd(&counts[finer_bucket(bucket_at(coarsened(cell, level, higher), higher))], 1u);
      }
    }
  }
#endif
}
