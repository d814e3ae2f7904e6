// The kernel around the functions of particle.wgsl for points that are not particles: one thread a point. Bindings
// of the kernel: position_in, start, cell_of_slot, points: array<PackedBody>, and a uniform `parameters` with the
// field point_count. `particle.slot` is then the number of the point, `position` where it is and, with VARIABLE_RADII, `radius` what
// is there for one. No neighbour is left out: a particle in the very place of a point is its neighbour at distance 0.

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
  let stored = stored_at(points[number]);
  let position = place_of(stored);
  // A place that is not finite is near nobody.
  if (!is_finite(position)) {
    skip(number);
    return;
  }
  let point = particle_of(number, stored);
#if VARIABLE_RADII
  // Cells of every level are looked at.
  let cell = NOWHERE;
#else
  let cell = cell_of(position, bucket_of(position, 0u));
#endif
  var own = begin(point);
  probe(&own, point, NO_PARTNER, cell, reach_squared(), thread);
  finish(own, point);
}
