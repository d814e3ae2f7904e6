// Lists the occupied cells of an unbounded world in any order. Host: src/page/view/occupied.ts.
// Needs: linear_workgroup, grid, is_in_grid, cell_of_slot, census_of, level_at, merged_levels, bucket_at, OccupiedCell, origin, cells.
// Needs: drawn, start.

struct Census {
  is_first: bool,
  occupancy: u32,
  is_shared: bool,
}

struct Origin {
  // A cell of the lowest level near the camera's origin. Positions are relative to that origin, because 32-bit floats
  // are too coarse far from 0.
  cell: Extent,
  // The low corner of that cell, relative to the origin.
  corner: Vector,
}

// The draw of a cell: a square in 2D, 12 edges in 3D.
const VERTICES = 4u;
const INSTANCES = select(1u, 12u, DIMENSIONS == 3u);

// `drawn` holds the four arguments of a draw, then the numbers of occupied cells, of their buckets, and of cells that
// share a bucket.

@compute @workgroup_size(WORKGROUP_SIZE)
fn list_cells(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count || !is_in_grid(cell_of_slot[slot])) {
    return;
  }
  let census = census_of(slot, cell_of_slot[slot]);
  if (!census.is_first) {
    return;
  }
  let lattice = load_lattice(cell_of_slot[slot]);
#if VARIABLE_RADII
  let level = level_at(slot);
  let merged = merged_levels();
  let bucket = bucket_at(lattice, level);
#else
  let level = 0u;
  let merged = 0u;
  let bucket = bucket_at(lattice);
#endif
  var cell = OccupiedCell();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    // The shift may overflow, but the difference is exact: integers wrap.
    let away = (lattice[axis] << (level + merged)) - i32(origin.cell[axis]);
    cell.corner[axis] = f32(away) * grid.cell_size + origin.corner[axis];
  }
  cell.size = grid.cell_size * f32(1u << (level + merged));
  cell.bucket = bucket;
  cell.occupancy = census.occupancy;
  cell.is_shared = u32(census.is_shared);
  cells[atomicAdd(&drawn[4], 1u)] = cell;
  atomicMax(&drawn[0], VERTICES);
  atomicAdd(&drawn[1], INSTANCES);
  atomicAdd(&drawn[5], u32(slot == start[bucket]));
  atomicAdd(&drawn[6], cell.is_shared);
}
