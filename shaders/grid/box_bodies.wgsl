// Turns boxes into bodies of a grid with levels. A body is at the low corner of its box, and its radius selects the
// box's level. `refused` counts invalid and too large boxes. Twin: src/reference/grid/box-bodies.ts.
//
// No pair is missed:
// - On a box's level and above, the cell of its high corner is at most one beyond the cell of its low corner.
// - If boxes a and b overlap, low(b) <= high(a).
// - Rounding is monotone. So on the higher of the two levels, the cell of low(b) is at most one beyond that of low(a).
// - The same holds with a and b swapped, so the cells of the low corners are adjacent.
// Needs: grid, coarsened, linear_workgroup, boxes, snap, is_finite, refused, level_of, finest_at, greatest_on, bodies.
// Needs: high_out.

// A body with this radius goes into the quarantine.
const NO_RADIUS = -1.0;

const INVALID = 0u;
const TOO_LARGE = 1u;

fn longest(extents: Vector) -> f32 {
  var most = extents.x;
  for (var axis = 1u; axis < DIMENSIONS; axis++) {
    most = max(most, extents[axis]);
  }
  return most;
}

// Returns the lowest level, from `first` on, on which the cells of two corners are the same or adjacent. If there is
// none, returns grid.levels.
fn level_from(first: u32, low: Lattice, high: Lattice) -> u32 {
  for (var level = first; level < grid.levels; level++) {
    if (all(coarsened(high, 0u, level) - coarsened(low, 0u, level) <= Lattice(1))) {
      return level;
    }
  }
  return grid.levels;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn make_bodies(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let id = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (id >= grid.count) {
    return;
  }
  let low_in = load_vector(boxes[2u * id]);
  let high_in = load_vector(boxes[2u * id + 1u]);
  let low = snap(low_in);
  let high = snap(high_in);
  var radius = NO_RADIUS;
  if (!is_finite(low_in) || !is_finite(high_in) || any(low > high)) {
    atomicAdd(&refused[INVALID], 1u);
  } else {
    // Halves the corners first, because a whole extent may exceed the largest float.
    let half_extent = longest(0.5 * high - 0.5 * low);
    var level = grid.levels;
    if (half_extent <= grid.greatest_radius) {
      // The search starts at the level of the box's size, so that equal boxes are usually on one level.
      level = level_from(level_of(half_extent), finest_at(low), finest_at(high));
    }
    if (level < grid.levels) {
      radius = greatest_on(level);
    } else {
      atomicAdd(&refused[TOO_LARGE], 1u);
    }
  }
  bodies[id] = with_position(PackedBody(0.0, 0.0, 0.0, radius), low);
  high_out[id] = store_vector(high);
}
