// Runs the upward part of the V-cycle on one level or two: adds the solution of the next coarser level, and smooths.
// With IS_PAIR, the kernel first runs the coarser of two levels, on a tile of its own. Otherwise the level is the
// finest, and the kernel also applies the pressure equations to its solution, as apply.wgsl does. `slots` begins with
// the finer level. 2D only. Twin: src/methods/fluid/reference/multigrid.ts.
// Needs: SMOOTHINGS, IS_PAIR, TILE, Spot, right, count_of, side, WORKGROUP, row_of, spot_at, diagonal, cell_of.
// Needs: smoothed, tile, level, solution, sum_around, is_red, image, is_over, slots, is_occupied, corner, first_value.
// Needs: find_equations, smooth_tile, store_partial, DOTS.

// The width in cells by which a tile overlaps its neighbours: one per pass and, without IS_PAIR, one for the equations.
const REACH = 2u * SMOOTHINGS + 1u - u32(IS_PAIR);
const SIDE = TILE + 2u * REACH;
const COARSE_SIDE = SIDE / 2u + 4u * SMOOTHINGS;
const COARSE_VALUES = u32(IS_PAIR) * COARSE_SIDE * COARSE_SIDE;
const TILE_VALUES = COARSE_VALUES + SIDE * SIDE;

fn right_of(spot: Spot) -> f32 {
  return right[spot.entry];
}

// Adds the values of the next coarser level. If `is_in_tile` is true, the pair's coarser level left them in `tile`.
fn fill_tile(coarse_corner: vec2i, is_in_tile: bool, thread: u32) {
  let count = count_of(side * side);
  for (var index = thread; index < count; index += WORKGROUP) {
    let y = row_of(index, side);
    let x = index - y * side;
    let spot = spot_at(x, y);
    var value = 0.0;
    if (diagonal[spot.entry] > 0.0) {
      let coarse = cell_of(x, y) / 2u;
      if (is_in_tile) {
        let inner = coarse - vec2u(coarse_corner);
        value = smoothed[spot.entry] + tile[inner.y * COARSE_SIDE + inner.x];
      } else {
        let entry = level.coarse_strides.w + coarse.x + coarse.y * level.coarse_strides.y;
        // Without a coarser equation, `solution` may hold an old value there.
        value = smoothed[spot.entry] + select(0.0, solution[entry], diagonal[entry] > 0.0);
      }
    }
    tile[spot.value] = value;
  }
}

// Writes the solution of the tile's inner part, and returns the dot products of apply.wgsl. On the finest level,
// begin.wgsl has set `solution` and `image` to 0 where a tile has no equations. On other levels, nothing reads
// `solution` there.
fn store_tile(thread: u32) -> vec2f {
  var products = vec2f();
  let count = count_of(TILE * TILE);
  for (var index = thread; index < count; index += WORKGROUP) {
    let x = REACH + index % TILE;
    let y = REACH + index / TILE;
    let spot = spot_at(x, y);
    let weight = diagonal[spot.entry];
    if (weight > 0.0) {
      let value = tile[spot.value];
      solution[spot.entry] = value;
      if (!IS_PAIR) {
        // The last pass made the left-hand sides of red cells equal to their right-hand sides.
        let row = right_of(spot);
        let sum = select(weight * value - sum_around(spot), row, is_red(cell_of(x, y)));
        products += value * vec2f(row, sum);
        image[spot.entry] = sum;
      }
    }
  }
  return products;
}

@compute @workgroup_size(WORKGROUP)
fn ascend(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  if (is_over()) {
    return;
  }
  var products = vec2f();
  let tiles = (slots[0].level.cells.xy + vec2u(TILE - 1u)) / TILE;
  for (var index = group.x; index < tiles.x * tiles.y; index += groups.x) {
    let fine_corner = vec2i(TILE * vec2u(index % tiles.x, index / tiles.x)) - i32(REACH);
    let coarse_corner = fine_corner / 2 - i32(2u * SMOOTHINGS);
    if (thread == 0u) {
      atomicStore(&is_occupied, 0u);
    }
    workgroupBarrier();
    for (var depth = u32(IS_PAIR) + 1u; depth > 0u; depth--) {
      let is_second = depth == 2u;
      level = slots[depth - 1u].level;
      side = select(SIDE, COARSE_SIDE, is_second);
      corner = select(fine_corner, coarse_corner, is_second);
      first_value = select(COARSE_VALUES, 0u, is_second);
      find_equations(thread);
      workgroupBarrier();
      fill_tile(coarse_corner, IS_PAIR && !is_second, thread);
      workgroupBarrier();
      for (var round = 1u; round <= 2u * SMOOTHINGS; round++) {
        smooth_tile(round & 1u, round, thread);
        workgroupBarrier();
      }
    }
    products += store_tile(thread);
    workgroupBarrier();
  }
  if (!IS_PAIR) {
    store_partial(vec4f(products, 0.0, 0.0), DOTS + group.x, thread);
  }
}
