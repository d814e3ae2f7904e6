// Pushes overlapping particles apart once on the usual unsorted grid: reads neighbours through sorted ids. One thread
// per particle, like shaders/solve/resolve.wgsl with PUSH_APART.
// Inputs: positions in input order, entries and starts of the grid. Output: positions in input order.

@compute @workgroup_size(WORKGROUP_SIZE)
fn push_unsorted(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let id = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (id >= grid.count) {
    return;
  }
  let position = load_vector(position_in[id]);
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
        if (distance_squared < substep.diameter_squared && other != id) {
          let contact = contact_with(Particle(id, position), Neighbour(other, apart, distance_squared));
          push += substep.half_relaxation * contact.overlap * contact.normal;
        }
      }
      centre += grid.cells.x;
    }
  }
  position_out[id] = store_vector(position + push);
}
