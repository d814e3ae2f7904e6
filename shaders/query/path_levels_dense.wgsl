// The cells along a ray on one level of a dense grid. path_dense.wgsl describes the functions.
// Needs: cells_at, grid, FAR_OFF, PIECE, bucket_at, start.

// The level of the walk. Set it before you call the functions below.
var<private> level_walked: u32;

struct Segment {
  first: u32,
  end: u32,
}

#if WRAPS
fn cells_along(axis: u32) -> i32 {
  return i32(cells_at(level_walked)[axis]);
}

fn wraps_along(axis: u32) -> bool {
  return grid.period[axis] > 0.0;
}

fn floor_divide(number: i32, divisor: i32) -> i32 {
  return select(number, number + 1 - divisor, number < 0) / divisor;
}

fn periods_of(layer: i32, axis: u32) -> i32 {
  return select(0, floor_divide(layer, cells_along(axis)), wraps_along(axis));
}

fn cell_inside(layer: i32, axis: u32) -> i32 {
  return layer - periods_of(layer, axis) * cells_along(axis);
}

fn layer_at(coordinate: f32, axis: u32) -> i32 {
  let periods = floor((coordinate - grid.origin[axis]) * grid.inverse_period[axis]);
  let offset = coordinate - grid.origin[axis] - periods * grid.period[axis];
  let layer = i32(clamp(floor(offset * grid.inverse_cell_size), 0.0, f32(grid.cells[axis] - 1u))) >> level_walked;
  // The last cell also covers the rest of the period.
  return min(layer, cells_along(axis) - 1) + i32(periods) * cells_along(axis);
}

// Returns where an image of a layer begins. For its end, use end_of: the last layer also covers the rest of the period.
fn border_before(inside: i32, periods: i32, axis: u32) -> f32 {
  let origin = grid.origin[axis] + f32(periods) * grid.period[axis];
  return origin + f32(inside << level_walked) * grid.cell_size;
}

fn begin_of(layer: i32, axis: u32) -> f32 {
  let begin = border_before(cell_inside(layer, axis), periods_of(layer, axis), axis);
  return select(begin, -FAR_OFF, !wraps_along(axis) && layer <= 0);
}

fn end_of(layer: i32, axis: u32) -> f32 {
  let inside = cell_inside(layer, axis);
  let periods = periods_of(layer, axis);
  if (inside >= cells_along(axis) - 1) {
    let end = grid.origin[axis] + f32(periods) * grid.period[axis] + grid.period[axis];
    return select(FAR_OFF, end, wraps_along(axis));
  }
  return border_before(inside + 1, periods, axis);
}

fn extent_of(axis: u32) -> f32 {
  return abs(grid.origin[axis]) + f32(grid.cells[axis] + 2u) * grid.cell_size;
}

// The last piece in a period may be shorter (piece_between).
fn cells_in_piece() -> i32 {
  return min(i32(PIECE), cells_along(0u));
}

fn pieces_in_period() -> i32 {
  return (cells_along(0u) - 1) / cells_in_piece() + 1;
}

fn piece_at(x: i32) -> i32 {
  return periods_of(x, 0u) * pieces_in_period() + cell_inside(x, 0u) / cells_in_piece();
}

fn piece_between(piece: i32, low: i32, high: i32) -> vec2i {
  let pieces = pieces_in_period();
  let periods = select(0, floor_divide(piece, pieces), wraps_along(0u));
  let begin = periods * cells_along(0u);
  let first = (piece - periods * pieces) * cells_in_piece();
  let last = min(first + cells_in_piece(), cells_along(0u)) - 1;
  return vec2i(max(low, begin + first), min(high, begin + last));
}

fn segment_between(low: Lattice, last: i32) -> Segment {
  var inside = low;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    inside[axis] = cell_inside(low[axis], axis);
  }
  let bucket = bucket_at(inside, level_walked);
  return Segment(start[bucket], start[bucket + u32(last - low.x) + 1u]);
}
#else
fn last_layer(axis: u32) -> i32 {
  return i32((grid.cells[axis] - 1u) >> level_walked);
}

fn layer_at(coordinate: f32, axis: u32) -> i32 {
  let scaled = floor((coordinate - grid.origin[axis]) * grid.inverse_cell_size);
  return i32(clamp(scaled, 0.0, f32(grid.cells[axis] - 1u))) >> level_walked;
}

fn border_before(layer: i32, axis: u32) -> f32 {
  return grid.origin[axis] + f32(layer << level_walked) * grid.cell_size;
}

fn begin_of(layer: i32, axis: u32) -> f32 {
  return select(border_before(layer, axis), -FAR_OFF, layer <= 0);
}

fn end_of(layer: i32, axis: u32) -> f32 {
  return select(border_before(layer + 1, axis), FAR_OFF, layer >= last_layer(axis));
}

fn extent_of(axis: u32) -> f32 {
  return abs(grid.origin[axis]) + f32(grid.cells[axis]) * grid.cell_size;
}

fn piece_at(x: i32) -> i32 {
  return x / i32(PIECE);
}

fn piece_between(piece: i32, low: i32, high: i32) -> vec2i {
#if FIRST
  let first = piece * i32(PIECE);
  return vec2i(max(low, first), min(high, first + i32(PIECE) - 1));
#else
  return vec2i(low, high);
#endif
}

fn segment_between(low: Lattice, last: i32) -> Segment {
  let bucket = bucket_at(low, level_walked);
  return Segment(start[bucket], start[bucket + u32(last - low.x) + 1u]);
}
#endif

fn slot_in(segment: Segment, next: u32) -> u32 {
  return next;
}

fn is_in_segment(segment: Segment, slot: u32) -> bool {
  return true;
}
