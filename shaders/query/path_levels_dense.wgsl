// The cells along a ray (see query/rays.wgsl) on one level of a box, `level_walked`. With WRAPS the numbers of layers
// along periodic axes continue beyond the ends, as in path_dense.wgsl. Needs levels/dense.wgsl and levels/levels.wgsl,
// and start: array<u32> of the kernel. path_dense.wgsl and path_levels_hashed.wgsl provide the same names.
// Needs: cells_at, grid, FAR_OFF, PIECE, bucket_at, start.

// The level of the current walk. Must be set before any other function is called.
var<private> level_walked: u32;

// Slots from `first` up to, but not including, `end`.
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

// The number of wholes below a number; −1 for the number −1.
fn wholes_of(number: i32, whole: i32) -> i32 {
  return select(number, number + 1 - whole, number < 0) / whole;
}

// The number of whole periods below a layer.
fn periods_of(layer: i32, axis: u32) -> i32 {
  return select(0, wholes_of(layer, cells_along(axis)), wraps_along(axis));
}

// The cell of a layer along the axis, inside the grid.
fn home_of(layer: i32, axis: u32) -> i32 {
  return layer - periods_of(layer, axis) * cells_along(axis);
}

// The layer of a coordinate, within the rounding that a walk allows for.
fn layer_at(coordinate: f32, axis: u32) -> i32 {
  let periods = floor((coordinate - grid.origin[axis]) * grid.inverse_period[axis]);
  let offset = coordinate - grid.origin[axis] - periods * grid.period[axis];
  let layer = i32(clamp(floor(offset * grid.inverse_cell_size), 0.0, f32(grid.cells[axis] - 1u))) >> level_walked;
  // The last cell takes in the rest of the period.
  return min(layer, cells_along(axis) - 1) + i32(periods) * cells_along(axis);
}

// The coordinate at which an image of a layer begins, unless it is the end of a period. Layers are twice as wide as on
// the level below.
fn border_before(home: i32, periods: i32, axis: u32) -> f32 {
  let origin = grid.origin[axis] + f32(periods) * grid.period[axis];
  return origin + f32(home << level_walked) * grid.cell_size;
}

// Along an axis that is not periodic, particles outside the box belong to the outermost cells, which therefore have no
// end.
fn begin_of(layer: i32, axis: u32) -> f32 {
  let begin = border_before(home_of(layer, axis), periods_of(layer, axis), axis);
  return select(begin, -FAR_OFF, !wraps_along(axis) && layer <= 0);
}

fn end_of(layer: i32, axis: u32) -> f32 {
  let home = home_of(layer, axis);
  let periods = periods_of(layer, axis);
  if (home >= cells_along(axis) - 1) {
    let end = grid.origin[axis] + f32(periods) * grid.period[axis] + grid.period[axis];
    return select(FAR_OFF, end, wraps_along(axis));
  }
  return border_before(home + 1, periods, axis);
}

// The magnitude of the coordinates with which a particle's layer is rounded.
fn extent_of(axis: u32) -> f32 {
  return abs(grid.origin[axis]) + f32(grid.cells[axis] + 2u) * grid.cell_size;
}

// Pieces of a row: their numbers ascend with x, and none crosses the end of the world.
fn cells_in_piece() -> i32 {
  return min(i32(PIECE), cells_along(0u));
}

fn pieces_in_period() -> i32 {
  return (cells_along(0u) - 1) / cells_in_piece() + 1;
}

fn piece_at(x: i32) -> i32 {
  return periods_of(x, 0u) * pieces_in_period() + home_of(x, 0u) / cells_in_piece();
}

// The layers along x of a piece, between two layers.
fn piece_between(piece: i32, low: i32, high: i32) -> vec2i {
  let pieces = pieces_in_period();
  let periods = select(0, wholes_of(piece, pieces), wraps_along(0u));
  let begin = periods * cells_along(0u);
  let first = (piece - periods * pieces) * cells_in_piece();
  let last = min(first + cells_in_piece(), cells_along(0u)) - 1;
  return vec2i(max(low, begin + first), min(high, begin + last));
}

// The particles in the layers of a row, all in one piece, from `low`, whose x is the first, to `last`.
fn segment_between(low: Lattice, last: i32) -> Segment {
  var home = low;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    home[axis] = home_of(low[axis], axis);
  }
  let bucket = bucket_at(home, level_walked);
  return Segment(start[bucket], start[bucket + u32(last - low.x) + 1u]);
}
#else
fn last_layer(axis: u32) -> i32 {
  return i32((grid.cells[axis] - 1u) >> level_walked);
}

// The layer of a coordinate, within the rounding that a walk allows for.
fn layer_at(coordinate: f32, axis: u32) -> i32 {
  let scaled = floor((coordinate - grid.origin[axis]) * grid.inverse_cell_size);
  return i32(clamp(scaled, 0.0, f32(grid.cells[axis] - 1u))) >> level_walked;
}

fn border_before(layer: i32, axis: u32) -> f32 {
  return grid.origin[axis] + f32(layer << level_walked) * grid.cell_size;
}

// Particles outside the box belong to the outermost cells, which therefore have no end.
fn begin_of(layer: i32, axis: u32) -> f32 {
  return select(border_before(layer, axis), -FAR_OFF, layer <= 0);
}

fn end_of(layer: i32, axis: u32) -> f32 {
  return select(border_before(layer + 1, axis), FAR_OFF, layer >= last_layer(axis));
}

// The magnitude of the coordinates with which a particle's layer is rounded.
fn extent_of(axis: u32) -> f32 {
  return abs(grid.origin[axis]) + f32(grid.cells[axis]) * grid.cell_size;
}

// Pieces of a row: their numbers ascend with x.
fn piece_at(x: i32) -> i32 {
  return x / i32(PIECE);
}

// The layers along x of a piece, between two layers.
fn piece_between(piece: i32, low: i32, high: i32) -> vec2i {
#if FIRST
  let first = piece * i32(PIECE);
  return vec2i(max(low, first), min(high, first + i32(PIECE) - 1));
#else
  return vec2i(low, high);
#endif
}

// The particles in the layers of a row, all in one piece, from `low`, whose x is the first, to `last`.
fn segment_between(low: Lattice, last: i32) -> Segment {
  let bucket = bucket_at(low, level_walked);
  return Segment(start[bucket], start[bucket + u32(last - low.x) + 1u]);
}
#endif

fn is_in_segment(segment: Segment, slot: u32) -> bool {
  return true;
}
