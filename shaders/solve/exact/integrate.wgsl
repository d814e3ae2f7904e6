// Advances the particles of an exact simulation by a substep, in place, and counts them per bucket at their new
// positions. Removed particles keep their state. Twin: integrateExactly in src/cpu/solver/exact/motion.ts.
// Needs: linear_workgroup, grid, position, is_present, substep, velocity, FASTEST, exact_wrap, within, moved_by, ranks.
// Needs: counts, bucket_of, id_in.

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
  var quanta = load_whole(position[slot]);
  if (is_present(quanta)) {
    let gained = bitcast<Lattice>(substep.gained);
    let speed = clamp(load_whole(velocity[slot]) + gained, Lattice(-FASTEST), Lattice(FASTEST));
    velocity[slot] = store_whole(speed);
    quanta = exact_wrap(within(quanta + moved_by(speed)));
    position[slot] = store_whole(quanta);
  }
  ranks[slot] = atomicAdd(&counts[bucket_of(quanta, id_in[slot])], 1u);
}
