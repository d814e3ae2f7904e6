// Where paths are followed, no push carries anybody farther in a pass than the slow may move in a substep: among fast
// particles friction would, since it takes back its share of motions that ended early. Inputs: positions before the pass.
// In place: positions after it. Slots stay as they are. Twin: restrain in src/core/flight.ts.

@group(1) @binding(0) var<storage, read> position_in: array<Body>;
@group(1) @binding(1) var<storage, read_write> position_out: array<Body>;

// Square of FAST_SHARE.
const FAST_SQUARED = 1.0 / f32(FLIGHT_PARTS * FLIGHT_PARTS);

@compute @workgroup_size(WORKGROUP_SIZE)
fn restrain(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count) {
    return;
  }
  let body = position_out[slot];
  let before = place_of(position_in[slot]);
  let way = separation(place_of(body), before);
  let squared = dot(way, way);
#if MIXED
  let diameter_squared = thickness_of(body) * thickness_of(body);
#else
  let diameter_squared = substep.diameter_squared;
#endif
  let most = FAST_SQUARED * diameter_squared;
  if (is_finite(before) && squared > most) {
    position_out[slot] = with_place(body, carried(before + sqrt(most / squared) * way));
  }
}
