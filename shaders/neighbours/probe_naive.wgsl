// The neighbour loop over all pairs, tiled in workgroup memory. Same contract as probe_bounded.wgsl in any world, or
// where each particle has a radius of its own, as probe_levels.wgsl. Slots ascend: where they do in the grid's probe too,
// sums over neighbours have the same bits. Every thread of the workgroup must call it, in uniform control flow.
// TILE_SIZE is the threads of that workgroup.

var<workgroup> tile_positions: array<PackedBody, TILE_SIZE>;
#if FROZEN
// Between the iterations of a substep particles move but the candidates stay: those whose cells, at the
// start of the substep, were adjacent. The grid's probe can see no others.
#if VARIABLE_RADII
var<workgroup> tile_cells: array<Cell, TILE_SIZE>;
#else
var<workgroup> tile_cells: array<Lattice, TILE_SIZE>;
#endif
#endif

fn probe(
  own: ptr<function, Own>,
  particle: Particle,
  except: u32,
  cell: Cell,
  reach_squared: f32,
  thread: u32,
) {
  let count = min(start[grid.cell_count], grid.count);
#if FROZEN
#if !VARIABLE_RADII
  let centre = lattice_of(cell);
#endif
#endif
  for (var base = 0u; base < count; base += TILE_SIZE) {
    workgroupBarrier();
    let loaded = base + thread;
    if (loaded < count) {
      tile_positions[thread] = position_in[loaded];
#if FROZEN
#if VARIABLE_RADII
      tile_cells[thread] = cell_of_slot[loaded];
#else
      tile_cells[thread] = lattice_of(cell_of_slot[loaded]);
#endif
#endif
    }
    workgroupBarrier();
    if (is_in_grid(cell)) {
      let filled = min(TILE_SIZE, count - base);
      for (var index = 0u; index < filled; index++) {
        let apart = minimum_image(particle.position, place_of(tile_positions[index]));
        let distance_squared = dot(apart, apart);
#if VARIABLE_RADII
        let radius = radius_of(tile_positions[index]);
        let reach = particle.radius + radius;
        if (distance_squared >= reach * reach * reach_squared || base + index == except) {
          continue;
        }
#else
        if (distance_squared >= reach_squared || base + index == except) {
          continue;
        }
#endif
#if FROZEN
#if VARIABLE_RADII
        if (!are_candidates(cell, particle.radius, tile_cells[index], radius)) {
          continue;
        }
#else
        if (!are_adjacent(centre, tile_cells[index])) {
          continue;
        }
#endif
#endif
#if VARIABLE_RADII
        visit(own, particle, neighbour_of(base + index, apart, distance_squared, tile_positions[index]));
#else
        visit(own, particle, Neighbour(base + index, apart, distance_squared));
#endif
      }
    }
  }
}

fn count_candidates(slot: u32, cell: Cell) -> u32 {
  return select(0u, start[grid.cell_count] - 1u, is_in_grid(cell));
}
