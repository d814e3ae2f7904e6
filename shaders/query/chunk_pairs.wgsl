// Finds overlapping boxes in chunks. Members are sorted by chunk, then by their low ends along the last axis. A thread
// compares a member with the later members of its chunk. A pair counts only in the chunk that contains the low corner
// of the intersection: both boxes reach into that chunk. Tally counts pairs per lower id, fill writes them in any
// order, and `order_pairs` sorts them and zeroes the tallies.
//
// If there is not enough room for all memberships, tally writes numbers whose sum does not fit 32 bits. So the list is
// empty, and the number of pairs found is 2³² − 1 (query/list_count.wgsl).
// Needs: pairs, linear_workgroup, grid, member_offsets, chunks, tallies, stretch_of, offsets, sort_stretch, table.
// Needs: key_of, member_keys, member_ids, box_of.

#if ORDER
alias Entry = vec2u;

fn entry_at(index: u32) -> Entry {
  return pairs[index];
}

fn put(index: u32, entry: Entry) {
  pairs[index] = entry;
}

fn is_before(entry: Entry, other: Entry) -> bool {
  return entry.y < other.y;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn order_pairs(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let id = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (id >= grid.count || member_offsets[grid.count] > chunks.most_members) {
    return;
  }
  atomicStore(&tallies[id], 0u);
  let stretch = stretch_of(offsets[id], offsets[id + 1u], arrayLength(&pairs));
  sort_stretch(stretch.first, stretch.first + stretch.room);
}
#else
// Returns the low bounds of a chunk, as keys.
fn bounds_of(chunk: u32) -> Extent {
  var bounds = Extent();
  var part = chunk;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    bounds[axis] = table[chunks.lows[axis] + part];
    part = table[chunks.regions[axis] + part];
  }
  return bounds;
}

fn keys_of(corner: Vector) -> Extent {
  var keys = Extent();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    keys[axis] = key_of(corner[axis]);
  }
  return keys;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn find_pairs(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let index = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  let total = member_offsets[grid.count];
  if (total > chunks.most_members) {
#if !FILL
    if (index < 2u) {
      atomicStore(&tallies[index], 0xffffffffu);
    }
#endif
    return;
  }
  if (index >= total) {
    return;
  }
  let slot = chunks.most_members - total + index;
  let chunk = member_keys[slot];
  let id = member_ids[slot];
  let box = box_of(id);
  let bounds = bounds_of(chunk - 1u);
  for (var other = slot + 1u; other < chunks.most_members; other++) {
    if (member_keys[other] != chunk) {
      break;
    }
    let other_id = member_ids[other];
    let met = box_of(other_id);
    if (met.low[DIMENSIONS - 1u] > box.high[DIMENSIONS - 1u]) {
      break;
    }
    let meets = all(met.low <= box.high) && all(met.high >= box.low);
    if (meets && all(keys_of(max(met.low, box.low)) >= bounds)) {
      let owner = min(id, other_id);
#if FILL
      let target_index = offsets[owner] + atomicAdd(&tallies[owner], 1u);
      if (target_index < arrayLength(&pairs)) {
        pairs[target_index] = vec2u(owner, max(id, other_id));
      }
#else
      atomicAdd(&tallies[owner], 1u);
#endif
    }
  }
}
#endif
