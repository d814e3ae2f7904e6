// Finds each particle's bucket and counts the buckets. Inputs: positions (and ids, where removal is
// possible). Outputs: counts, and each particle's rank among those counted into its bucket: any order,
// made canonical by gather.wgsl. With HOSTS, where there may be guests (see guests.wgsl), these too.

@group(1) @binding(0) var<storage, read> position_in: array<Body>;
@group(1) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;
@group(1) @binding(2) var<storage, read_write> ranks: array<u32>;
#if MIXED
@group(1) @binding(3) var<storage, read> guests: array<u32>;
#if IDS
@group(1) @binding(4) var<storage, read> id_in: array<u32>;
#endif
#else
#if IDS
@group(1) @binding(3) var<storage, read> id_in: array<u32>;
#endif
#endif

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
  let bucket = bucket_of(located(body), id);
  ranks[slot] = atomicAdd(&counts[bucket], 1u);
#if HOSTS
  // And among the guests of the cells above: see guests.wgsl.
  if (bucket < grid.cell_count) {
    let level = level_of(radius_of(body));
    let cell = cell_at(place_of(body), level);
    for (var higher = level + GUEST_STEPS; higher < grid.levels; higher++) {
      if ((guests[0] & (1u << higher)) != 0u) {
        atomicAdd(&counts[guest_bucket(bucket_at(coarsened(cell, level, higher), higher))], 1u);
      }
    }
  }
#endif
}
