// Adds up a workgroup's values in order of threads. Without SUMS_ONLY, the third component of the result is the maximum
// of the third components, and the fourth is 0. Linked with kernels that sum over workgroups.
// Needs: WORKGROUP, SUMS_ONLY, partials.

var<workgroup> thread_values: array<vec4f, WORKGROUP>;

// Writes the workgroup's sum to entry `at` of `partials`.
fn store_partial(own: vec4f, at: u32, thread: u32) {
  thread_values[thread] = own;
  workgroupBarrier();
  if (thread == 0u) {
    var sum = vec4f();
    for (var index = 0u; index < WORKGROUP; index++) {
      let one = thread_values[index];
      sum = select(vec4f(sum.xy + one.xy, max(sum.z, one.z), 0.0), sum + one, SUMS_ONLY);
    }
    partials[at] = sum;
  }
}
