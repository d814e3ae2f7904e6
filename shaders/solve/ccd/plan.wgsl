// Sets the counters of continuous motion and the sizes of its indirect dispatches, which are 0 if no particle is fast.
// `dispatches` is a buffer of its own, because a kernel must not write the buffer that dispatches it. If dispatches are
// direct, kernels read only the counters. `begin` runs once per step. In each substep, `reset` runs, then `list` of
// list.wgsl, then `plan`. `next` runs between two rounds of fast_hits.wgsl.
// Needs: counters, dispatches, grid.

@compute @workgroup_size(LIST_COUNT_WORKGROUP_SIZE)
fn begin() {
  for (var word = CCD_SUBSTEPPED; word < CCD_HEADER; word++) {
    counters[word] = 0u;
  }
  counters[CCD_FIRST] = 1u;
}

@compute @workgroup_size(LIST_COUNT_WORKGROUP_SIZE)
fn reset() {
  counters[CCD_PATHS] = 0u;
  counters[CCD_FARTHEST] = 0u;
  counters[CCD_FAST_LEVELS] = 0u;
  counters[CCD_SLOW_LEVELS] = 0u;
}

fn dispatch(word: u32, workgroups: u32) {
  dispatches[word] = min(workgroups, LOOPING_WORKGROUPS);
  dispatches[word + 1u] = 1u;
  dispatches[word + 2u] = 1u;
}

fn workgroups_of(threads: u32) -> u32 {
  return (threads + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
}

@compute @workgroup_size(LIST_COUNT_WORKGROUP_SIZE)
fn plan() {
  let count = counters[CCD_PATHS];
#if VARIABLE_RADII
  let searches = count;
#else
  let searches = workgroups_of(count);
#endif
  dispatch(PATH_DISPATCH, workgroups_of(count));
  dispatch(STILL_DISPATCH, searches);
  dispatch(ROUND_DISPATCH, searches);
  dispatch(FILE_DISPATCH, select(0u, workgroups_of(grid.count), count > 0u));
  counters[CCD_UNSETTLED] = 0xffffffffu;
  counters[CCD_FOLLOWED] = count;
  counters[CCD_ALL] += count;
  if (counters[CCD_FIRST] == 1u) {
    counters[CCD_SWEPT] = count;
    counters[CCD_FIRST] = 0u;
  }
}

// After a round without changes, later rounds change nothing either.
@compute @workgroup_size(LIST_COUNT_WORKGROUP_SIZE)
fn next() {
  if (counters[CCD_UNSETTLED] == 0xffffffffu) {
    dispatches[ROUND_DISPATCH] = 0u;
    counters[CCD_FOLLOWED] = 0u;
  }
  counters[CCD_UNSETTLED] = 0xffffffffu;
}
