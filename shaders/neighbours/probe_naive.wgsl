// The neighbour loop over all pairs, tiled in workgroup memory, for any world. Call it in uniform control flow, with
// TILE_SIZE threads. The slots of neighbours ascend, so sums have the same bits as in a grid probe whose slots ascend.
// Needs: Gathered, Particle, Cell, start, grid, position_in, is_in_grid, minimum_image, visit, neighbour_of, Neighbour.

var<workgroup> tile_positions: array<PackedBody, TILE_SIZE>;

fn probe(
  gathered: ptr<function, Gathered>,
  particle: Particle,
  except: u32,
  cell: Cell,
  reach_squared: f32,
  thread: u32,
) {
  let count = min(start[grid.cell_count], grid.count);
  for (var base = 0u; base < count; base += TILE_SIZE) {
    workgroupBarrier();
    let loaded = base + thread;
    if (loaded < count) {
      tile_positions[thread] = position_in[loaded];
    }
    workgroupBarrier();
    if (is_in_grid(cell)) {
      let filled = min(TILE_SIZE, count - base);
      // Counts down, as in probe_bounded.wgsl.
      for (var left = filled; left > 0u; left--) {
        let index = filled - left;
        let apart = minimum_image(particle.position, body_position(tile_positions[index]));
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
#if VARIABLE_RADII
        visit(gathered, particle, neighbour_of(base + index, apart, distance_squared, tile_positions[index]));
#else
        visit(gathered, particle, Neighbour(base + index, apart, distance_squared));
#endif
      }
    }
  }
}

// Counts candidates without the particle itself. The cell must be in the grid.
fn count_candidates(slot: u32, cell: Cell) -> u32 {
  return start[grid.cell_count] - 1u;
}
