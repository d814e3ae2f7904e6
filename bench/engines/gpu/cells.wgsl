// A plain grid with cells in row order or in Morton order. The buffer `numbers` has one table per axis: the number that
// each coordinate of a cell adds to the cell's number. A scan runs between `count_bodies` and `scatter_bodies`, and
// turns counts into starts. `search_cells` finds each pair once, from its lower slot.

struct Cells {
  origin: Vector,
  inverse: f32,
  sides: Extent,
}

fn cell_of(body: PackedBody) -> Lattice {
  let cell = Lattice(floor((body_position(body) - cells.origin) * cells.inverse));
  return clamp(cell, Lattice(), Lattice(cells.sides) - 1);
}

fn number_of(cell: Lattice) -> u32 {
  var number = 0u;
  var first = 0u;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    number += numbers[first + u32(cell[axis])];
    first += cells.sides[axis];
  }
  return number;
}

#if COUNTS
@compute @workgroup_size(WORKGROUP_SIZE)
fn count_bodies(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let id = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (id < grid.count) {
    ranks[id] = atomicAdd(&counts[number_of(cell_of(bodies[id]))], 1u);
  }
}
#endif

#if SCATTERS
@compute @workgroup_size(WORKGROUP_SIZE)
fn scatter_bodies(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let id = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (id >= grid.count) {
    return;
  }
  let body = bodies[id];
  let slot = starts[number_of(cell_of(body))] + ranks[id];
  sorted[slot] = body;
  ids[slot] = id;
}
#endif

#if SEARCHES
@compute @workgroup_size(WORKGROUP_SIZE)
fn search_cells(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count) {
    return;
  }
  let body = sorted[slot];
  let own = cell_of(body);
  let equal_reach = substep.diameter_squared;
  var found = Found();
  for (var row = 0u; row < ROWS; row++) {
    for (var along = -1; along <= 1; along++) {
      let cell = own + row_offset(row) + along * ALONG_X;
      if (any(cell < Lattice()) || any(cell >= Lattice(cells.sides))) {
        continue;
      }
      let number = number_of(cell);
      let end = starts[number + 1u];
      for (var other = max(starts[number], slot + 1u); other < end; other++) {
        if (overlaps(body, sorted[other], equal_reach)) {
          find_pair(&found, ids[slot], ids[other]);
        }
      }
    }
  }
  fold_found(found, slot);
}
#endif
