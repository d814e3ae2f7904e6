// Advances particles by a substep of symplectic Euler, in place. With COUNT also counts them per bucket at their new
// positions, as grid/count.wgsl does. Variable radii and continuous motion need count.wgsl instead. Particles that are
// not finite keep their state. If sums of squared speeds might overflow, the position becomes NaN.
// Needs: MAGNITUDE_BITS, linear_workgroup, grid, position, is_finite, velocity, substep, wrap, ranks, counts.
// Needs: bucket_of, id_in.

// `position` is bound as bits, because WGSL cannot write a NaN as a float.

fn is_too_fast(speed: Vector) -> bool {
  return any((bitcast<Extent>(speed) & Extent(MAGNITUDE_BITS)) >= Extent(GREATEST_SPEED_BITS));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn integrate(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count) {
    return;
  }
  var bits = position[slot];
  let body = body_of(bits);
  let start = body_position(body);
  if (is_finite(start)) {
    let stored = velocity[slot];
    let speed = load_vector(stored) + substep.gravity * substep.dt;
    velocity[slot] = with_vector(stored, speed);
    bits = bits_of(with_position(body, wrap(start + speed * substep.dt)));
    if (is_too_fast(speed)) {
      bits = with_nan(bits);
    }
    position[slot] = bits;
  }
#if COUNT
  ranks[slot] = atomicAdd(&counts[bucket_of(cell_key_source(body_of(bits)), id_in[slot])], 1u);
#endif
}
