// Makes each box a member of every chunk that it reaches into. Tally counts memberships. Fill writes, per membership,
// the chunk, counted from 1, and the id of the box. If there is not room for all memberships, fill writes none. Thread
// i handles the i-th box in the order of low ends along the last axis.
// Needs: CornerBox, part_of, key_of, linear_workgroup, grid, order, box_of, offsets, refused, chunks, member_keys.
// Needs: member_ids, tallies.

// Returns the first and the last part of a region that a box reaches into.
fn parts_reached(axis: u32, region: u32, box: CornerBox) -> vec2u {
  return vec2u(
    part_of(axis, region, key_of(box.low[axis])),
    part_of(axis, region, key_of(box.high[axis])),
  );
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn find_members(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let rank = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (rank >= grid.count) {
    return;
  }
  let id = order[rank];
  let box = box_of(id);
#if FILL
  let total = offsets[grid.count];
  if (rank == 0u) {
    refused[1] = total;
  }
  if (!box.valid || total > chunks.most_members) {
    return;
  }
  // After the caller has sorted the memberships, unused entries come first, because their keys are 0.
  var index = offsets[rank];
#else
  if (!box.valid) {
    return;
  }
  var members = 0u;
#endif
#if SPACE
  let slabs = parts_reached(2u, 0u, box);
  for (var slab = slabs.x; slab <= slabs.y; slab++) {
#else
  {
    let slab = 0u;
#endif
    let columns = parts_reached(1u, slab, box);
    for (var column = columns.x; column <= columns.y; column++) {
      let reached = parts_reached(0u, column, box);
#if FILL
      for (var chunk = reached.x; chunk <= reached.y; chunk++) {
        member_keys[index] = chunk + 1u;
        member_ids[index] = id;
        index += 1u;
      }
#else
      members += reached.y + 1u - reached.x;
#endif
    }
  }
#if !FILL
  tallies[rank] = members;
#endif
}
