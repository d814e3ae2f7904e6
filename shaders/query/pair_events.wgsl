// Compares a list of pairs with the previous list. Both are in order of first ids, then second ids. One thread per
// first id merges two stretches. With TALLY, counts the pairs that began, stayed and ended. Otherwise writes the pairs
// of one kind: begun with BEGUN, stayed with STAYED, else ended. If the new list was too short (count[0] pairs found,
// count[1] listed), tallies stay zero.
// Needs: Stretch, pairs, pairs_before, linear_workgroup, offsets, count, stretch_of, event_offsets, events.
// Needs: offsets_before, begun, stayed, ended.

// Returns the second id of an entry of the new list. Past the end and for an empty entry, returns NO_PARTNER, which is
// greater than any id.
fn other_now(stretch: Stretch, index: u32) -> u32 {
  if (index < stretch.room) {
    return pairs[stretch.first + index].y;
  }
  return NO_PARTNER;
}

fn other_before(stretch: Stretch, index: u32) -> u32 {
  if (index < stretch.room) {
    return pairs_before[stretch.first + index].y;
  }
  return NO_PARTNER;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn compare(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let id = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (id + 1u >= arrayLength(&offsets)) {
    return;
  }
#if TALLY
  // The scan has zeroed the tallies.
  if (count[0] != count[1]) {
    return;
  }
  var found = vec3u();
#else
  let listed = stretch_of(event_offsets[id], event_offsets[id + 1u], arrayLength(&events));
  if (listed.room == 0u) {
    return;
  }
  var found = 0u;
#endif
  let now = stretch_of(offsets[id], offsets[id + 1u], arrayLength(&pairs));
  let before = stretch_of(offsets_before[id], offsets_before[id + 1u], arrayLength(&pairs_before));
  var index = 0u;
  var index_before = 0u;
  var other = other_now(now, 0u);
  var old = other_before(before, 0u);
  while (other != NO_PARTNER || old != NO_PARTNER) {
    let has_begun = other < old;
    let has_ended = old < other;
#if TALLY
    found += vec3u(u32(has_begun), u32(other == old), u32(has_ended));
#else
#if BEGUN
    let is_event = has_begun;
#elif STAYED
    let is_event = other == old;
#else
    let is_event = has_ended;
#endif
    if (is_event) {
      if (found == listed.room) {
        break;
      }
      events[listed.first + found] = vec2u(id, min(other, old));
      found++;
    }
#endif
    if (!has_ended) {
      index++;
      other = other_now(now, index);
    }
    if (!has_begun) {
      index_before++;
      old = other_before(before, index_before);
    }
  }
#if TALLY
  begun[id] = found.x;
  stayed[id] = found.y;
  ended[id] = found.z;
#endif
}
