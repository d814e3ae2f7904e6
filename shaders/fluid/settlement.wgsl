// From sums over all particles, what their velocities keep, so that energy has not grown: velocity ← scale · (velocity − share ·
// beside). One workgroup. Twin: src/fluid/reference/energy.ts.

var<workgroup> gathered: array<vec4f, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn find_settlement(@builtin(local_invocation_index) thread: u32) {
  var own = vec4f();
  for (var index = thread; index < PARTIALS; index += WORKGROUP) {
    own += partials[index];
  }
  gathered[thread] = own;
  workgroupBarrier();
  if (thread > 0u) {
    return;
  }
  var sum = vec4f();
  for (var index = 0u; index < WORKGROUP; index++) {
    sum += gathered[index];
  }
  let gain = sum.x;
  var share = 0.0;
  var scale = 1.0;
  if (gain > 0.0) {
    let along = sum.z;
    let squared = sum.w;
    let root = along * along - 2.0 * squared * gain;
    if (along > 0.0) {
      if (root >= 0.0) {
        share = min(1.0, 2.0 * gain / (along + sqrt(root)));
      } else {
        share = min(1.0, along / squared);
      }
    }
    let taken = share * along - 0.5 * share * share * squared;
    let rest = sum.y - taken;
    if (rest > 0.0) {
      scale = sqrt(1.0 - min(frame.gravity.w, max(0.0, gain - taken) / rest));
    }
  }
  settlement[0] = share;
  settlement[1] = scale;
}
