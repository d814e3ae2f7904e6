// The kernel that calls the functions of base/particle.wgsl: one thread per slot. Bindings of the kernel: position_in,
// start, cell_of_slot. With CROWDS it leaves heavy particles to each_heavy.wgsl.
// Ordering: neighbours come in an order that depends on the state alone. In the bounded and the periodic world slots
// ascend.
// Needs: linear_workgroup, grid, Particle, NOWHERE, Gathered, cell_of_slot, particle_of, position_in, is_in_grid.
// Needs: is_heavy, begin, probe, reach_squared, finish, skip.

@compute @workgroup_size(WORKGROUP_SIZE)
fn each_particle(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  let present = slot < grid.count;
  var particle = Particle();
  particle.slot = slot;
  var cell = NOWHERE;
  var gathered = Gathered();
  if (present) {
    cell = cell_of_slot[slot];
    particle = particle_of(slot, position_in[slot]);
    if (is_in_grid(cell)) {
#if CROWDS
      // each_heavy.wgsl handles these.
      if (is_heavy(slot)) {
        return;
      }
#endif
      gathered = begin(particle);
    }
  }
  // The tiled probe requires uniform control flow.
  probe(&gathered, particle, slot, cell, reach_squared(), thread);
  if (is_in_grid(cell)) {
    finish(gathered, particle);
  } else if (present) {
    skip(slot);
  }
}
