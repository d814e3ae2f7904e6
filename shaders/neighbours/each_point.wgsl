// Calls the functions that base/particle.wgsl lists, with points as particles. `particle.slot` is the number of the
// point. Also visits a particle exactly at the point. The kernel binds points: array<PackedBody> and a uniform
// `parameters` with point_count.
// Needs: linear_workgroup, parameters, wrap_stored, points, is_finite, skip, particle_of, NOWHERE, cell_of, bucket_of.
// Needs: begin, probe, reach_squared, finish.

@compute @workgroup_size(WORKGROUP_SIZE)
fn each_point(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let number = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (number >= parameters.point_count) {
    return;
  }
  let stored = wrap_stored(points[number]);
  let position = body_position(stored);
  if (!is_finite(position)) {
    skip(number);
    return;
  }
  let point = particle_of(number, stored);
#if VARIABLE_RADII
  // The probe finds the cells of every level itself.
  let cell = NOWHERE;
#else
  let cell = cell_of(position, bucket_of(position, 0u));
#endif
  var own = begin(point);
  probe(&own, point, NO_PARTNER, cell, reach_squared(), thread);
  finish(own, point);
}
