// What the energy of all particles grew by in a substep, for each unit of mass: what each noted when it moved, and what it was
// lifted since. With it what may be taken back: kinetic energy, velocity · what of it is beside the lattice, and the square of
// that; after those of all workgroups, potential energy of who may be lowered, above that in the tank's lowest corner. Twin:
// src/methods/fluid/reference/energy.ts.

var<workgroup> rest: array<vec2f, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn sum_energy(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  var own = vec4f();
  // Potential energy, and what kinetic energy grew by.
  var more = vec2f();
  for (var slot = group.x * WORKGROUP + thread; slot < frame.cells.w; slot += groups.x * WORKGROUP) {
    let first = ACCOUNT * ids[slot];
    var one = vec4f(account[first], 0.0, 0.0, 0.0);
    var place = vec3f();
    var potential = 0.0;
    var is_finite = true;
    for (var axis = 0u; axis < DIMENSIONS; axis++) {
      let at = positions[STORED * slot + axis];
      let speed = velocities[STORED * slot + axis];
      let beside = account[first + 1u + DIMENSIONS + axis];
      is_finite = is_finite && is_finite_number(at) && is_finite_number(speed);
      one.x -= frame.gravity[axis] * (at - account[first + 1u + axis]);
      place[axis] = at;
      potential -= frame.gravity[axis] * (at - lowest_along(axis));
      one += vec4f(0.0, 0.5 * speed * speed, speed * beside, beside * beside);
    }
    if (is_finite) {
      own += one;
      more += vec2f(select(0.0, potential, is_free_below(place)), account[first]);
    }
  }
  rest[thread] = more;
  // It waits for all threads.
  leave(own, group.x, thread);
  if (thread == 0u) {
    var sum = vec2f();
    for (var index = 0u; index < WORKGROUP; index++) {
      sum += rest[index];
    }
    partials[PARTIALS + group.x] = vec4f(sum, 0.0, 0.0);
  }
}
