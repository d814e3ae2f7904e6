// What a ray's walk (query/rays.wgsl) asks about cells in a dense grid. Layers are the cells along one axis; along
// periodic axes they are numbered on beyond the ends, so that each image of a cell has a number of its own. Needs a
// world, and of the kernel start: array<u32>. The other kinds, with the same names, are path_unbounded.wgsl and, of one
// level of cells, path_levels_*.wgsl.

// Slots from `first` up to, but not, `end`.
struct Segment {
  first: u32,
  end: u32,
}

// Whole periods below a layer: of −1 that is −1.
fn periods_of(layer: i32, axis: u32) -> i32 {
  let cells = i32(grid.cells[axis]);
  return select(0, select(layer, layer + 1 - cells, layer < 0) / cells, grid.period[axis] > 0.0);
}

// Its place in memory.
fn home_of(layer: i32, axis: u32) -> i32 {
  return layer - periods_of(layer, axis) * i32(grid.cells[axis]);
}

// How far an image's coordinate is from its particle's.
fn shift_of(layer: i32, axis: u32) -> f32 {
  return f32(periods_of(layer, axis)) * grid.period[axis];
}

// The layer that a coordinate is in, to the rounding that a walk allows for.
fn layer_at(coordinate: f32, axis: u32) -> i32 {
  let periods = floor((coordinate - grid.origin[axis]) * grid.inverse_period[axis]);
  let place = coordinate - grid.origin[axis] - periods * grid.period[axis];
  let ring = grid.ring[axis];
  let last = f32(grid.cells[axis] - 2u * ring - 1u);
  let cell = clamp(floor(place * grid.inverse_cell_size), 0.0, last);
  return i32(cell) + i32(ring) + i32(periods) * i32(grid.cells[axis]);
}

// Where a layer begins. Outside a box that does not wrap around, particles belong to the outermost cells: these have
// no end.
fn begin_of(layer: i32, axis: u32) -> f32 {
  let cell = home_of(layer, axis) - i32(grid.ring[axis]);
  let begin = grid.origin[axis] + shift_of(layer, axis) + f32(cell) * grid.cell_size;
  return select(begin, -FAR_OFF, cell <= 0 && grid.period[axis] == 0.0);
}

fn end_of(layer: i32, axis: u32) -> f32 {
  let ring = i32(grid.ring[axis]);
  let cell = home_of(layer, axis) - ring;
  let is_last = cell >= i32(grid.cells[axis]) - 2 * ring - 1;
  let origin = grid.origin[axis] + shift_of(layer, axis);
  if (is_last) {
    // The last cell of a period takes in what is left over.
    return select(origin + grid.period[axis], FAR_OFF, grid.period[axis] == 0.0);
  }
  return origin + f32(cell + 1) * grid.cell_size;
}

// Magnitude of the coordinates that the layer of a particle is rounded with.
fn extent_of(axis: u32) -> f32 {
  return abs(grid.origin[axis]) + f32(grid.cells[axis] + 2u) * grid.cell_size;
}

// Pieces of a row: numbers ascend with x.
fn pieces_in_period() -> i32 {
  return i32((grid.cells.x - 1u) / PIECE) + 1;
}

fn piece_at(x: i32) -> i32 {
  return periods_of(x, 0u) * pieces_in_period() + home_of(x, 0u) / i32(PIECE);
}

// The layers along x of a piece between two.
fn piece_between(piece: i32, low: i32, high: i32) -> vec2i {
  let pieces = pieces_in_period();
  let periods = select(piece, piece + 1 - pieces, piece < 0) / pieces;
  let begin = periods * i32(grid.cells.x);
  let first = (piece - periods * pieces) * i32(min(PIECE, grid.cells.x));
  let last = min(first + i32(min(PIECE, grid.cells.x)), i32(grid.cells.x)) - 1;
  return vec2i(max(low, begin + first), min(high, begin + last));
}

// The particles of a row's layers from `low`, whose x begins it, to `last`, in one piece.
fn segment_between(low: Lattice, last: i32) -> Segment {
  var home = low;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    home[axis] = home_of(low[axis], axis);
  }
  let base = flatten(home, grid.cells);
  return Segment(start[base], start[base + u32(last - low.x) + 1u]);
}

fn is_in_segment(segment: Segment, slot: u32) -> bool {
  return true;
}
