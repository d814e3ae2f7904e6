// Linked with kernels that reduce: adds up the threads' values in order and writes them to `partials` at the
// workgroup's index. Unless SUMS_ONLY, the third number is the maximum instead of the sum.
// Needs: WORKGROUP, SUMS_ONLY, partials.

var<workgroup> brought: array<vec4f, WORKGROUP>;

fn leave(own: vec4f, group: u32, thread: u32) {
  brought[thread] = own;
  workgroupBarrier();
  if (thread == 0u) {
    var sum = vec4f();
    for (var index = 0u; index < WORKGROUP; index++) {
      let one = brought[index];
      sum = select(vec4f(sum.xy + one.xy, max(sum.z, one.z), 0.0), sum + one, SUMS_ONLY);
    }
    partials[group] = sum;
  }
}
