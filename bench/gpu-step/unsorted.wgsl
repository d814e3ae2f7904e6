// What ours is measured against: the usual grid, whose particles stay where they are and are reached through
// the sorted ids. One push apart, as shaders/solve/resolve.wgsl with SEPARATE; thread = particle. Inputs:
// positions in the caller's order, entries and starts of the grid. Output: positions.


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
      for (var place = start[centre - 1u]; place < end; place++) {
        let other = entries[place].x;
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
