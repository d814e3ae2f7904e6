// Computes, in one workgroup, how to change particles so that energy does not grow, or grows less:
//   velocity ← scale · (velocity − share · deviation),
//   height ← (1 − lowering) · height.
// The deviation is a particle's velocity minus the lattice's velocity there. Twin:
// src/methods/fluid/reference/energy.ts.
// Needs: WORKGROUP, PARTIALS, frame, partials, MOST_LOWERING, MOST_SLOWING, settlement.

var<workgroup> gathered: array<vec4f, WORKGROUP>;
var<workgroup> more: array<vec2f, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn find_settlement(@builtin(local_invocation_index) thread: u32) {
  var own = vec4f();
  var own_more = vec2f();
  // In a small fluid, fewer than PARTIALS workgroups wrote sums; the other sums are stale.
  let groups = min(PARTIALS, (frame.cells.w + WORKGROUP - 1u) / WORKGROUP);
  for (var index = thread; index < groups; index += WORKGROUP) {
    own += partials[index];
    own_more += partials[PARTIALS + index].xy;
  }
  gathered[thread] = own;
  more[thread] = own_more;
  workgroupBarrier();
  if (thread > 0u) {
    return;
  }
  var sum = vec4f();
  var sum_more = vec2f();
  for (var index = 0u; index < WORKGROUP; index++) {
    sum += gathered[index];
    sum_more += more[index];
  }
  let potential = sum_more.x;
  let growth = sum_more.y;
  let gain = sum.x;
  var share = 0.0;
  var scale = 1.0;
  var lowering = 0.0;
  if (gain > 0.0) {
    let along = sum.z;
    let squared = sum.w;
    // Take the least share that removes the whole gain: along · share − squared · share² / 2 = gain. If no share does
    // this, take the share that removes the most.
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
    // If nothing can be lowered, the velocities must lose all of `owed`.
    var slowed = min(select(1.0, frame.gravity.w, potential > 0.0) * rest, owed);
    if (potential > 0.0) {
      lowering = min(MOST_LOWERING, (owed - slowed) / potential);
      let grown = min(rest, growth - taken);
      slowed = max(slowed, min(max(MOST_SLOWING * rest, grown), owed - lowering * potential));
    }
    if (rest > 0.0) {
      scale = sqrt(max(0.0, 1.0 - slowed / rest));
    }
  }
  settlement[0] = share;
  settlement[1] = scale;
  settlement[2] = lowering;
}
