// Turns boxes into bodies of a grid with levels (see levels/levels.wgsl). The position of the body is the low corner of
// the box, and its radius selects the level: half the width of that level's cells.
// Inputs: boxes, as the low and then the high corner of each. Outputs: bodies, high corners, and the numbers of boxes
// that are set aside because they are invalid or too large. Twin: src/reference/grid/box-bodies.ts.
//
// Why no pair is missed: each box is on a level on which its high corner is at most one cell beyond its low corner. Of
// two boxes that overlap, low(b) <= high(a). Cell coordinates are monotone, so on the higher of the two levels the cell
// of low(b) is at most one beyond that of low(a), and vice versa. So the cells of the low corners are adjacent. This
// needs only that rounding is monotone.
// Needs: grid, coarsened, linear_workgroup, boxes, snap, is_finite, refused, level_of, finest_at, greatest_on, bodies.
// Needs: high_out.

// A radius that sets a body aside.
const NO_RADIUS = -1.0;

const NO_BOX = 0u;
const TOO_LARGE = 1u;

fn longest(extents: Vector) -> f32 {
  var most = extents.x;
  for (var axis = 1u; axis < DIMENSIONS; axis++) {
    most = max(most, extents[axis]);
  }
  return most;
}

// The lowest level, from `first` on, on which the cells of two corners are adjacent, or `grid.levels`.
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
    atomicAdd(&refused[NO_BOX], 1u);
  } else {
    // Halves, because a whole extent may exceed the largest float.
    let half_extent = longest(0.5 * high - 0.5 * low);
    var level = grid.levels;
    if (half_extent <= grid.greatest_radius) {
      // Starts at the level of its size, so that boxes of one size are on one level wherever they lie.
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
