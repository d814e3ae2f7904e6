// The neighbour loop over all pairs, tiled in workgroup memory. Same contract as probe_bounded.wgsl in any world.
// Slots ascend: where they do in the grid's probe too, sums over neighbours have the same bits. Every thread of
// the workgroup must call it, in uniform control flow. TILE_SIZE is the threads of that workgroup.

var<workgroup> tile_positions: array<Stored, TILE_SIZE>;
#if FROZEN
// Between the iterations of a substep particles move but the candidates stay: those whose cells, at the
// start of the substep, were adjacent. The grid's probe can see no others.
var<workgroup> tile_cells: array<Lattice, TILE_SIZE>;
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
  let centre = lattice_of(cell);
#endif
  for (var base = 0u; base < count; base += TILE_SIZE) {
    workgroupBarrier();
    let loaded = base + thread;
    if (loaded < count) {
      tile_positions[thread] = position_in[loaded];
#if FROZEN
      tile_cells[thread] = lattice_of(cell_of_slot[loaded]);
#endif
    }
    workgroupBarrier();
    if (is_in_grid(cell)) {
      let filled = min(TILE_SIZE, count - base);
      for (var index = 0u; index < filled; index++) {
        let apart = separation(particle.position, load_vector(tile_positions[index]));
        let distance_squared = dot(apart, apart);
        if (distance_squared >= reach_squared || base + index == except) {
          continue;
        }
#if FROZEN
        if (!are_adjacent(centre, tile_cells[index])) {
          continue;
        }
#endif
        visit(own, particle, Neighbour(base + index, apart, distance_squared));
      }
    }
  }
}

fn count_candidates(cell: Cell) -> u32 {
  return select(0u, start[grid.cell_count] - 1u, is_in_grid(cell));
}
