// Sums energies, per unit of mass, over finite particles. Each workgroup outputs two vectors. `partials` holds the
// first vectors of all workgroups, then the second ones. First vector:
// - x: the growth of kinetic plus potential energy
// - y: the kinetic energy
// - z: velocity · deviation
// - w: deviation²
// Second vector:
// - x: the potential energy, relative to the tank's floor, of the particles that may be lowered
// - y: the growth of kinetic energy
// ACCOUNT in shared.wgsl explains growth and deviation. Twin: src/methods/fluid/reference/energy.ts.
// Needs: WORKGROUP, frame, ACCOUNT, ids, account, positions, STORED, velocities, is_finite_number, lowest_along.
// Needs: is_free_below, store_partial, partials, PARTIALS.

var<workgroup> second_sums: array<vec2f, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn sum_energy(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  var own = vec4f();
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
      let deviation = account[first + 1u + DIMENSIONS + axis];
      is_finite = is_finite && is_finite_number(at) && is_finite_number(speed);
      one.x -= frame.gravity[axis] * (at - account[first + 1u + axis]);
      point[axis] = at;
      potential -= frame.gravity[axis] * (at - lowest_along(axis));
      one += vec4f(0.0, 0.5 * speed * speed, speed * deviation, deviation * deviation);
    }
    if (is_finite) {
      own += one;
      more += vec2f(select(0.0, potential, is_free_below(point)), account[first]);
    }
  }
  second_sums[thread] = more;
  // store_partial waits for all threads, so `second_sums` is complete afterwards.
  store_partial(own, group.x, thread);
  if (thread == 0u) {
    var sum = vec2f();
    for (var index = 0u; index < WORKGROUP; index++) {
      sum += second_sums[index];
    }
    partials[PARTIALS + group.x] = vec4f(sum, 0.0, 0.0);
  }
}
