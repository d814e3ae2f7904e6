// Finds the greatest finite squared speed of a particle. Host: src/methods/fluid/passes/speed.ts.
// Needs: WORKGROUP, frame, velocities, STORED, is_finite_number, store_partial.

@compute @workgroup_size(WORKGROUP)
fn find_fastest(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  var greatest = 0.0;
  for (var slot = group.x * WORKGROUP + thread; slot < frame.cells.w; slot += groups.x * WORKGROUP) {
    var squared = 0.0;
    for (var axis = 0u; axis < DIMENSIONS; axis++) {
      let component = velocities[STORED * slot + axis];
      squared += component * component;
    }
    if (is_finite_number(squared)) {
      greatest = max(greatest, squared);
    }
  }
  store_partial(vec4f(0.0, 0.0, greatest, 0.0), group.x, thread);
}
