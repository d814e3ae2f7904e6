// The neighbour loop over all pairs, tiled in workgroup memory. Same contract as probe_grid.wgsl, and the
// same order (slots ascending), so sums over neighbours have the same bits. Every thread of the workgroup
// must call it, in uniform control flow. TILE_SIZE is the threads of that workgroup.

var<workgroup> tile_positions: array<Stored, TILE_SIZE>;
#if FROZEN
// Between the iterations of a substep particles move but the candidates stay: those whose cells, at the
// start of the substep, were adjacent. The grid's probe can see no others.
var<workgroup> tile_cells: array<Lattice, TILE_SIZE>;
#endif

fn probe(
  visitor: ptr<function, Visitor>,
  slot: u32,
  cell: u32,
  position: Vector,
  reach_squared: f32,
  thread: u32,
) {
  let count = min(start[grid.cell_count], grid.count);
#if FROZEN
  let centre = unflatten(min(cell, grid.cell_count - 1u), grid.cells);
#endif
  for (var base = 0u; base < count; base += TILE_SIZE) {
    workgroupBarrier();
    let loaded = base + thread;
    if (loaded < count) {
      tile_positions[thread] = position_in[loaded];
#if FROZEN
      tile_cells[thread] = unflatten(cell_of_slot[loaded], grid.cells);
#endif
    }
    workgroupBarrier();
    if (cell < grid.cell_count) {
      let filled = min(TILE_SIZE, count - base);
      for (var index = 0u; index < filled; index++) {
        let apart = position - load_vector(tile_positions[index]);
        let distance_squared = dot(apart, apart);
        if (distance_squared >= reach_squared || base + index == slot) {
          continue;
        }
#if FROZEN
        if (any(abs(tile_cells[index] - centre) > Lattice(1))) {
          continue;
        }
#endif
        visit(visitor, base + index, apart, distance_squared);
      }
    }
  }
}

fn count_candidates(cell: u32) -> u32 {
  return select(0u, start[grid.cell_count] - 1u, cell < grid.cell_count);
}
