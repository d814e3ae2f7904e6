// What happened to pairs between two lists: which began, which stayed, which ended. One thread goes over the two
// stretches of a first id, which are ascending, side by side. Inputs: a list of pairs with its offsets and its count,
// and the list kept from the comparison before. `tally` counts for each first id, `fill` writes the pairs of one
// kind from that id's offset on, and `keep` makes the list the one that the next is compared with.
// A list that was cut short is compared with nothing: nothing is tallied, and what was kept stays.
// Ordering: by the first id ascending, then the second. The counts decide on integers, so there are no holes.

#if KEEP
// `count` holds the numbers of pairs found and listed.
#else
#endif

#if KEEP
@compute @workgroup_size(WORKGROUP_SIZE)
fn keep(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let id = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (id >= arrayLength(&offsets) || count[0] != count[1]) {
    return;
  }
  offsets_before[id] = offsets[id];
  if (id + 1u == arrayLength(&offsets)) {
    return;
  }
  let places = stretch_of(offsets[id], offsets[id + 1u], arrayLength(&pairs));
  for (var index = 0u; index < places.room; index++) {
    pairs_before[places.first + index] = pairs[places.first + index];
  }
}
#else
// The second id in a place; past the end, and in a hole, which no pair follows, NO_PARTNER: greater than any id.
fn other_now(places: Stretch, index: u32) -> u32 {
  if (index < places.room) {
    return pairs[places.first + index].y;
  }
  return NO_PARTNER;
}

fn other_before(places: Stretch, index: u32) -> u32 {
  if (index < places.room) {
    return pairs_before[places.first + index].y;
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
  // Both lists have offsets for as many ids; those that no particle has own nothing.
  if (id + 1u >= arrayLength(&offsets)) {
    return;
  }
#if TALLY
  // The tallies are zero, as the scan left them.
  if (count[0] != count[1]) {
    return;
  }
  var found = vec3u();
#else
  let places = stretch_of(event_offsets[id], event_offsets[id + 1u], arrayLength(&events));
  if (places.room == 0u) {
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
    let is_told = has_begun;
#endif
#if STAYED
    let is_told = other == old;
#endif
#if ENDED
    let is_told = has_ended;
#endif
    if (is_told) {
      if (found == places.room) {
        break;
      }
      events[places.first + found] = vec2u(id, min(other, old));
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
#endif
