// Linked with kernels that reduce: the sum of what the threads of a workgroup bring, in their order, but unless SUMS_ONLY of the
// third numbers the greatest. Part w of `partials` is of workgroup w.

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
