// Adds up partial sums. Each workgroup that needs the total computes it again, because a dispatch for the total alone
// takes longer. Linked with kernels that use the sums of the kernel before.
// Needs: PARTIALS, WORKGROUP, partials.

// The three parts of `partials`: sums over the equations, dot products, and the greatest residuals.
const ROWS = 0u;
const DOTS = PARTIALS;
const RESIDUALS = 2u * PARTIALS;

var<workgroup> gathered: array<vec4f, WORKGROUP>;

// Returns the sums of the first two components and the maximum of the third. Every workgroup gets the same bits.
fn total_of(part: u32, thread: u32) -> vec4f {
  var own = vec4f();
  for (var index = thread; index < PARTIALS; index += WORKGROUP) {
    let one = partials[part + index];
    own = vec4f(own.xy + one.xy, max(own.z, one.z), 0.0);
  }
  gathered[thread] = own;
  workgroupBarrier();
  if (thread == 0u) {
    var sum = vec4f();
    for (var index = 0u; index < WORKGROUP; index++) {
      let one = gathered[index];
      sum = vec4f(sum.xy + one.xy, max(sum.z, one.z), 0.0);
    }
    gathered[0] = sum;
  }
  workgroupBarrier();
  return gathered[0];
}
