// Packs the marks of drained particles into one bit per id, and clears the marks. Host:
// src/methods/fluid/passes/drain.ts.
// Needs: WORKGROUP, linear_index, drained, marks.

@compute @workgroup_size(WORKGROUP)
fn pack_marks(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let word = linear_index(group, groups, thread);
  if (word >= arrayLength(&drained)) {
    return;
  }
  var bits = 0u;
  for (var bit = 0u; bit < 32u; bit++) {
    let id = 32u * word + bit;
    if (id < arrayLength(&marks) && marks[id] != 0u) {
      bits |= 1u << bit;
      marks[id] = 0u;
    }
  }
  drained[word] = bits;
}
