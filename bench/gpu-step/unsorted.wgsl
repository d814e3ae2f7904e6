// The usual grid, to compare with: particles stay where they are, and are reached through sorted ids. Does one push
// apart, like shaders/solve/resolve.wgsl with SEPARATE; one thread per particle. Inputs: positions in input order,
// entries and starts of the grid. Output: positions.

@compute @workgroup_size(WORKGROUP_SIZE)
fn push_unsorted(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count) {
    return;
  }
  let position = load_vector(position_in[slot]);
  let cell = flatten(lattice_at(position), grid.cells);
  var push = Vector();
  for (var layer = 0u; layer < LAYERS; layer++) {
    var centre = layer_centre(cell, layer, grid.cells) - grid.cells.x;
    for (var row = 0u; row < 3u; row++) {
      let end = start[centre + 2u];
      for (var index = start[centre - 1u]; index < end; index++) {
        let other = entries[index].x;
        let apart = position - load_vector(position_in[other]);
        let distance_squared = dot(apart, apart);
        if (distance_squared < substep.diameter_squared && other != slot) {
          let contact = contact_with(Particle(slot, position), Neighbour(other, apart, distance_squared));
          push += substep.half_relaxation * contact.overlap * contact.normal;
        }
      }
      centre += grid.cells.x;
    }
  }
  position_out[slot] = store_vector(position + push);
}
