// Sums over all particles, per mass: the growth of energy in a substep (from each particle's account, and by lifting
// since), and what can be removed again: kinetic energy, velocity · (its part beside the lattice), and the square of
// that part. After the partial sums of all workgroups come the potential energy of particles that may be lowered,
// relative to the tank's lowest corner, and the growth of kinetic energy. Twin: src/methods/fluid/reference/energy.ts.
// Needs: WORKGROUP, frame, ACCOUNT, ids, account, positions, STORED, velocities, is_finite_number, lowest_along.
// Needs: is_free_below, leave, partials, PARTIALS.

var<workgroup> rest: array<vec2f, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn sum_energy(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  var own = vec4f();
  // Potential energy, and growth of kinetic energy.
  var more = vec2f();
  for (var slot = group.x * WORKGROUP + thread; slot < frame.cells.w; slot += groups.x * WORKGROUP) {
    let first = ACCOUNT * ids[slot];
    var one = vec4f(account[first], 0.0, 0.0, 0.0);
    var point = vec3f();
    var potential = 0.0;
    var is_finite = true;
    for (var axis = 0u; axis < DIMENSIONS; axis++) {
      let at = positions[STORED * slot + axis];
      let speed = velocities[STORED * slot + axis];
      let beside = account[first + 1u + DIMENSIONS + axis];
      is_finite = is_finite && is_finite_number(at) && is_finite_number(speed);
      one.x -= frame.gravity[axis] * (at - account[first + 1u + axis]);
      point[axis] = at;
      potential -= frame.gravity[axis] * (at - lowest_along(axis));
      one += vec4f(0.0, 0.5 * speed * speed, speed * beside, beside * beside);
    }
    if (is_finite) {
      own += one;
      more += vec2f(select(0.0, potential, is_free_below(point)), account[first]);
    }
  }
  rest[thread] = more;
  // leave() waits for all threads, so `rest` is complete after it.
  leave(own, group.x, thread);
  if (thread == 0u) {
    var sum = vec2f();
    for (var index = 0u; index < WORKGROUP; index++) {
      sum += rest[index];
    }
    partials[PARTIALS + group.x] = vec4f(sum, 0.0, 0.0);
  }
}
