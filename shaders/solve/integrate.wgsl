// Advances every particle by one substep (symplectic Euler: velocity first) and counts the buckets of where
// they arrive, so that the grid needs no pass of its own for it. Inputs and outputs: positions, velocities.
// Outputs: counts and ranks as in grid/count.wgsl, to which that is left where particles have radii of their own, since it
// counts finer entries of cells too, and where paths may end elsewhere (flight.wgsl). Particles that are not finite stay as they
// are; those that get too fast to be squared are set aside: their position becomes NaN.

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
  let place = place_of(body);
  if (is_finite(place)) {
    let speed = load_vector(velocity[slot]) + substep.gravity * substep.dt;
    velocity[slot] = store_vector(speed);
    bits = bits_of(with_place(body, wrap(place + speed * substep.dt)));
    if (is_too_fast(speed)) {
      bits = set_aside(bits);
    }
    position[slot] = bits;
  }
#if COUNT
  ranks[slot] = atomicAdd(&counts[bucket_of(cell_key_source(body_of(bits)), id_in[slot])], 1u);
#endif
}
