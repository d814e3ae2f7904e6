// From sums over all particles, what their velocities keep and what they are lowered by, so that energy has not grown: velocity ←
// scale · (velocity − share · beside), height ← (1 − lowering) · height. One workgroup. Twin: src/fluid/reference/energy.ts.

const MOST_LOWERING = 0.001;
const MOST_SLOWING = 0.05;

var<workgroup> gathered: array<vec4f, WORKGROUP>;
var<workgroup> heights: array<f32, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn find_settlement(@builtin(local_invocation_index) thread: u32) {
  var own = vec4f();
  var height = 0.0;
  for (var index = thread; index < PARTIALS; index += WORKGROUP) {
    own += partials[index];
    height += partials[PARTIALS + index].x;
  }
  gathered[thread] = own;
  heights[thread] = height;
  workgroupBarrier();
  if (thread > 0u) {
    return;
  }
  var sum = vec4f();
  var potential = 0.0;
  for (var index = 0u; index < WORKGROUP; index++) {
    sum += gathered[index];
    potential += heights[index];
  }
  let gain = sum.x;
  var share = 0.0;
  var scale = 1.0;
  var lowering = 0.0;
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
    let rest = max(0.0, sum.y - taken);
    let owed = max(0.0, gain - taken);
    // Where nothing falls, there is nothing else to take from.
    var slowed = min(select(1.0, frame.gravity.w, potential > 0.0) * rest, owed);
    if (potential > 0.0) {
      lowering = min(MOST_LOWERING, (owed - slowed) / potential);
      slowed = max(slowed, min(MOST_SLOWING * rest, owed - lowering * potential));
    }
    if (rest > 0.0) {
      scale = sqrt(max(0.0, 1.0 - slowed / rest));
    }
  }
  settlement[0] = share;
  settlement[1] = scale;
  settlement[2] = lowering;
}
