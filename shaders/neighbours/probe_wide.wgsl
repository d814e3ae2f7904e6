// The neighbour loop for radii beyond the cell: over all cells up to reach_cells() on. Same contract as
// probe_bounded.wgsl; needs one of the wide_*.wgsl for wide_around, wide_span and is_in_wide, and of the kernel
// fn reach_cells() -> u32. Slots ascend in the bounded and the periodic world, as in the narrow loops.

// The particles of a row of cells: one range of slots, or two.
struct Span {
  first: u32,
  first_length: u32,
  second: u32,
  second_length: u32,
}

fn probe(
  own: ptr<function, Own>,
  particle: Particle,
  except: u32,
  cell: Cell,
  reach_squared: f32,
  thread: u32,
) {
  if (!is_in_grid(cell)) {
    return;
  }
  let wide = wide_around(lattice_of(cell), reach_cells());
  for (var row = 0u; row < wide.rows; row++) {
    let span = wide_span(wide, row);
    // Never more than all, so that not even a broken grid holds up the device.
    let end = min(span.first_length + span.second_length, grid.count);
    for (var index = 0u; index < end; index++) {
      let other =
        select(span.second + (index - span.first_length), span.first + index, index < span.first_length);
      let apart = minimum_image(particle.position, load_vector(position_in[other]));
      let distance_squared = dot(apart, apart);
      if (distance_squared < reach_squared && other != except && is_in_wide(wide, row, cell_of_slot[other])) {
        visit(own, particle, Neighbour(other, apart, distance_squared));
      }
    }
  }
}
