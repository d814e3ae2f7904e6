// Calls the functions that a kernel defines (see base/particle.wgsl), with one thread per slot. With CROWDS, leaves out
// heavy particles. The order of neighbours depends on the state alone. Without levels, slots of neighbours ascend in
// bounded worlds and, except with probe_box.wgsl, in periodic ones.
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
      if (is_heavy(slot)) {
        return;
      }
#endif
      gathered = begin(particle);
    }
  }
  // probe_naive.wgsl has barriers, so this call must be in uniform control flow. Kernels with CROWDS, whose threads may
  // return above, never use probe_naive.wgsl.
  probe(&gathered, particle, slot, cell, reach_squared(), thread);
  if (is_in_grid(cell)) {
    finish(gathered, particle);
  } else if (present) {
    skip(slot);
  }
}
