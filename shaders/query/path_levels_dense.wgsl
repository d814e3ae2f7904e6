// What a ray's walk (query/rays.wgsl) asks about the cells of one level of a box, that of `level_walked`. Where axes wrap
// around (with WRAPS) layers along them are numbered on beyond the ends, as in path_dense.wgsl. Needs levels_dense and
// levels, and of the kernel start: array<u32>. Same names as in path_dense.wgsl and path_levels_hashed.wgsl.

// Of the walk that is under way; to be set before anything else is asked.
var<private> level_walked: u32;

// Slots from `first` up to, but not, `end`.
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

// So many wholes below a number: of −1 that is −1.
fn wholes_of(number: i32, whole: i32) -> i32 {
  return select(number, number + 1 - whole, number < 0) / whole;
}

// Whole periods below a layer.
fn periods_of(layer: i32, axis: u32) -> i32 {
  return select(0, wholes_of(layer, cells_along(axis)), wraps_along(axis));
}

// Its place in memory.
fn home_of(layer: i32, axis: u32) -> i32 {
  return layer - periods_of(layer, axis) * cells_along(axis);
}

// The layer that a coordinate is in, to the rounding that a walk allows for.
fn layer_at(coordinate: f32, axis: u32) -> i32 {
  let periods = floor((coordinate - grid.origin[axis]) * grid.inverse_period[axis]);
  let place = coordinate - grid.origin[axis] - periods * grid.period[axis];
  let layer = i32(clamp(floor(place * grid.inverse_cell_size), 0.0, f32(grid.cells[axis] - 1u))) >> level_walked;
  // The last cell of a period takes in what is left over.
  return min(layer, cells_along(axis) - 1) + i32(periods) * cells_along(axis);
}

// Where an image of a layer begins, if it is not the end of a period: each is twice as wide as one of the level below.
fn border_before(home: i32, periods: i32, axis: u32) -> f32 {
  let origin = grid.origin[axis] + f32(periods) * grid.period[axis];
  return origin + f32(home << level_walked) * grid.cell_size;
}

// Particles outside a box that does not wrap around belong to the outermost cells: these have no end.
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

// Magnitude of the coordinates that the layer of a particle is rounded with.
fn extent_of(axis: u32) -> f32 {
  return abs(grid.origin[axis]) + f32(grid.cells[axis] + 2u) * grid.cell_size;
}

// Pieces of a row: numbers ascend with x, and none goes on at the other end.
fn cells_in_piece() -> i32 {
  return min(i32(PIECE), cells_along(0u));
}

fn pieces_in_period() -> i32 {
  return (cells_along(0u) - 1) / cells_in_piece() + 1;
}

fn piece_at(x: i32) -> i32 {
  return periods_of(x, 0u) * pieces_in_period() + home_of(x, 0u) / cells_in_piece();
}

// The layers along x of a piece between two.
fn piece_between(piece: i32, low: i32, high: i32) -> vec2i {
  let pieces = pieces_in_period();
  let periods = select(0, wholes_of(piece, pieces), wraps_along(0u));
  let begin = periods * cells_along(0u);
  let first = (piece - periods * pieces) * cells_in_piece();
  let last = min(first + cells_in_piece(), cells_along(0u)) - 1;
  return vec2i(max(low, begin + first), min(high, begin + last));
}

// The particles of a row's layers from `low`, whose x begins it, to `last`, in one piece.
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

// The layer that a coordinate is in, to the rounding that a walk allows for.
fn layer_at(coordinate: f32, axis: u32) -> i32 {
  let scaled = floor((coordinate - grid.origin[axis]) * grid.inverse_cell_size);
  return i32(clamp(scaled, 0.0, f32(grid.cells[axis] - 1u))) >> level_walked;
}

fn border_before(layer: i32, axis: u32) -> f32 {
  return grid.origin[axis] + f32(layer << level_walked) * grid.cell_size;
}

// Particles outside the box belong to the outermost cells: these have no end.
fn begin_of(layer: i32, axis: u32) -> f32 {
  return select(border_before(layer, axis), -FAR_OFF, layer <= 0);
}

fn end_of(layer: i32, axis: u32) -> f32 {
  return select(border_before(layer + 1, axis), FAR_OFF, layer >= last_layer(axis));
}

// Magnitude of the coordinates that the layer of a particle is rounded with.
fn extent_of(axis: u32) -> f32 {
  return abs(grid.origin[axis]) + f32(grid.cells[axis]) * grid.cell_size;
}

// Pieces of a row: numbers ascend with x.
fn piece_at(x: i32) -> i32 {
  return x / i32(PIECE);
}

// The layers along x of a piece between two.
fn piece_between(piece: i32, low: i32, high: i32) -> vec2i {
#if FIRST
  let first = piece * i32(PIECE);
  return vec2i(max(low, first), min(high, first + i32(PIECE) - 1));
#else
  return vec2i(low, high);
#endif
}

// The particles of a row's layers from `low`, whose x begins it, to `last`, in one piece.
fn segment_between(low: Lattice, last: i32) -> Segment {
  let bucket = bucket_at(low, level_walked);
  return Segment(start[bucket], start[bucket + u32(last - low.x) + 1u]);
}
#endif

fn is_in_segment(segment: Segment, slot: u32) -> bool {
  return true;
}
