// Runs the downward part of the V-cycle on one level or two: smooths from 0, and sums the residuals into the next
// coarser level. With IS_PAIR, the kernel then runs that level too, on the cells that the tile covers. Otherwise the
// level is the finest, and the first workgroup also judges the last step of the conjugate gradients. `slots` begins
// with the finer level. 2D only. Twin: src/methods/fluid/reference/multigrid.ts.
// Needs: SMOOTHINGS, TILE, IS_PAIR, Spot, right, count_of, side, WORKGROUP, row_of, spot_at, diagonal, is_red, cell_of.
// Needs: tile, smoothed, sum_around, corner, level, judge, solver, is_over, slots, is_occupied, find_equations.
// Needs: smooth_tile.

// The width in cells by which a tile overlaps its neighbours: one per pass that reads neighbours, and one for the
// residual. The first pass reads no neighbours, because all values are 0.
const REACH = 2u * SMOOTHINGS;
const COARSE_SIDE = TILE / 2u + 2u * REACH;
const SIDE = TILE + 2u * REACH * (1u + 2u * u32(IS_PAIR));
const TILE_VALUES = SIDE * SIDE;

// In a pair, the right-hand sides of the second level's tile.
var<workgroup> coarse_right: array<f32, COARSE_SIDE * COARSE_SIDE>;
var<private> is_second: bool;

fn right_of(spot: Spot) -> f32 {
  if (IS_PAIR && is_second) {
    return coarse_right[spot.value];
  }
  return right[spot.entry];
}

// Runs the first pass.
fn fill_tile(thread: u32) {
  let count = count_of(side * side);
  for (var index = thread; index < count; index += WORKGROUP) {
    let y = row_of(index, side);
    let x = index - y * side;
    let spot = spot_at(x, y);
    let weight = diagonal[spot.entry];
    var value = 0.0;
    if (weight > 0.0 && is_red(cell_of(x, y))) {
      value = right_of(spot) / weight;
    }
    tile[spot.value] = value;
  }
}

fn store_tile(reach: u32, thread: u32) {
  let rows = side - 2u * reach;
  let count = count_of(rows * rows);
  for (var index = thread; index < count; index += WORKGROUP) {
    let y = row_of(index, rows);
    let spot = spot_at(reach + index - y * rows, reach + y);
    if (spot.entry > 0u) {
      smoothed[spot.entry] = tile[spot.value];
    }
  }
}

// Returns the residual of a coarser cell whose first finer cell has these coordinates in the tile. Only the finer cells
// at (0, 0) and (1, 1) count: they are red, and the last pass left no residual in the black ones.
fn residual_at(x: u32, y: u32) -> f32 {
  var sum = 0.0;
  for (var part = 0u; part < 2u; part++) {
    let spot = spot_at(x + part, y + part);
    let weight = diagonal[spot.entry];
    if (weight > 0.0) {
      sum += right_of(spot) - weight * tile[spot.value] + sum_around(spot);
    }
  }
  return sum;
}

// Writes the right-hand sides of the coarser cells that the tile covers from `reach` on. If a tile has no equations, this
// writes nothing, because nothing reads those right-hand sides.
fn restrict_tile(reach: u32, thread: u32) {
  let rows = (side - 2u * REACH) / 2u;
  let beyond = (reach - REACH) / 2u;
  let first = vec2u((corner + i32(REACH)) / 2);
  let count = count_of(rows * rows);
  for (var index = thread; index < count; index += WORKGROUP) {
    let y = row_of(index, rows);
    let x = index - y * rows;
    let sum = residual_at(REACH + 2u * x, REACH + 2u * y);
    if (IS_PAIR && !is_second) {
      coarse_right[index] = sum;
    }
    let at = first + vec2u(x, y);
    let is_inner = min(x, y) >= beyond && max(x, y) < rows - beyond;
    if (is_inner && all(at < level.coarse_cells.xy)) {
      right[level.coarse_strides.w + at.x + at.y * level.coarse_strides.y] = sum;
    }
  }
}

@compute @workgroup_size(WORKGROUP)
fn descend(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
#if JUDGES
  if (group.x == 0u) {
    judge(thread);
  }
  // This dispatch is direct, so it runs even if the solver has stopped.
  let is_idle = atomicLoad(&solver.done) != 0u;
#else
  let is_idle = is_over();
#endif
  let tiles = (slots[0].level.cells.xy + vec2u(TILE - 1u)) / TILE;
  for (var index = group.x; index < tiles.x * tiles.y; index += groups.x) {
    if (thread == 0u) {
      atomicStore(&is_occupied, 0u);
    }
    workgroupBarrier();
    for (var depth = 0u; depth < 1u + u32(IS_PAIR); depth++) {
      is_second = depth == 1u;
      level = slots[depth].level;
      side = select(SIDE, COARSE_SIDE, is_second);
      let reach = select((SIDE - TILE) / 2u, REACH, is_second);
      corner = vec2i((TILE >> depth) * vec2u(index % tiles.x, index / tiles.x)) - i32(reach);
      if (!is_second && !is_idle) {
        find_equations(thread);
      }
      workgroupBarrier();
      fill_tile(thread);
      workgroupBarrier();
      for (var round = 1u; round < 2u * SMOOTHINGS; round++) {
        smooth_tile(round & 1u, round, thread);
        workgroupBarrier();
      }
      store_tile(reach, thread);
      restrict_tile(reach, thread);
      workgroupBarrier();
    }
  }
}
