// Computes `count`: the number of entries found, the number of entries listed, and the x, y, z of a dispatch with one
// thread per listed entry. `check` runs first, with one thread per offset, then `count_list` in one thread. Offsets
// descend if there are more entries than 32 bits can count. Then `found` is 2³² − 1 and nothing is listed. If only some
// of an owner's entries fit, CUTS_OWNERS decides whether those entries are listed.
// Needs: list, WORDS_PER_ENTRY, linear_workgroup, offsets, count, LIST_COUNT_WORDS, CUTS_OWNERS.
// Needs: WORKGROUPS_PER_DIMENSION.

// `list` is bound only for its length.
fn list_length() -> u32 {
  return arrayLength(&list) / WORDS_PER_ENTRY;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn check(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let index = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (index + 1u >= arrayLength(&offsets)) {
    return;
  }
  let first = offsets[index];
  let end = offsets[index + 1u];
  if (end < first) {
    atomicStore(&count[LIST_COUNT_WORDS - 1u], 1u);
  }
  if (first <= list_length() && end > list_length()) {
    atomicStore(&count[1], select(first, list_length(), CUTS_OWNERS));
  }
}

@compute @workgroup_size(LIST_COUNT_WORKGROUP_SIZE)
fn count_list() {
  let overflowed = atomicExchange(&count[LIST_COUNT_WORDS - 1u], 0u) != 0u;
  let found = select(offsets[arrayLength(&offsets) - 1u], 0xffffffffu, overflowed);
  let fitting = select(found, atomicLoad(&count[1]), found > list_length());
  let listed = select(fitting, 0u, overflowed);
  let workgroups = (listed + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
  let columns = min(workgroups, WORKGROUPS_PER_DIMENSION);
  let rows = select((workgroups + columns - 1u) / max(columns, 1u), 1u, workgroups == 0u);
  atomicStore(&count[0], found);
  atomicStore(&count[1], listed);
  atomicStore(&count[2], columns);
  atomicStore(&count[3], rows);
  atomicStore(&count[4], 1u);
}
