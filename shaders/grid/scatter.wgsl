// Writes each particle's slot and id at its bucket's start plus its rank. With CROWDS, also lists the tiles of crowded
// buckets and, with variable radii, sets CROWD_BIT if there are any.
// Needs: linear_workgroup, grid, id_in, bucket_of, position_in, ranks, start, entries, finer, crowd.

@compute @workgroup_size(WORKGROUP_SIZE)
fn scatter(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count) {
    return;
  }
  var id = slot;
#if IDS
  id = id_in[slot];
#endif
  let bucket = bucket_of(cell_key_source(position_in[slot]), id);
  let rank = ranks[slot];
  let index = start[bucket] + rank;
  if (index < grid.count) {
    entries[index] = vec2u(slot, id);
  }
#if CROWDS
  // The particle with rank CROWDED lists the first tile; the first particle of each further tile lists that tile.
  if (bucket < grid.cell_count && (rank == CROWDED || (rank > CROWDED && rank % CROWD_TILE == 0u))) {
#if VARIABLE_RADII
    atomicOr(&finer[0], 1u << CROWD_BIT);
#endif
    let tile = atomicAdd(&crowd[0], 1u);
    atomicMax(&crowd[TILE_DISPATCH], min(tile + 1u, LOOPING_WORKGROUPS));
    atomicStore(&crowd[CROWD_HEADER + 2u * tile], bucket);
    atomicStore(&crowd[CROWD_HEADER + 2u * tile + 1u], select(rank / CROWD_TILE, 0u, rank == CROWDED));
  }
#endif
}
