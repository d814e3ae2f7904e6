// The cells along a ray in a dense grid. A layer is all cells with the same coordinate along an axis. Along periodic
// axes, layers beyond the ends stand for images. The other path_*.wgsl modules define some of these names
// for other grids.
// Needs: grid, FAR_OFF, PIECE, start.

struct Segment {
  first: u32,
  end: u32,
}

// Returns the number of whole periods below a layer, such as −1 for layer −1.
fn periods_of(layer: i32, axis: u32) -> i32 {
  let cells = i32(grid.cells[axis]);
  return select(0, select(layer, layer + 1 - cells, layer < 0) / cells, grid.period[axis] > 0.0);
}

// Returns the layer inside the grid, from 0 to grid.cells[axis] − 1, of which `layer` is an image.
fn cell_inside(layer: i32, axis: u32) -> i32 {
  return layer - periods_of(layer, axis) * i32(grid.cells[axis]);
}

// Returns the coordinate of an image minus that of its particle.
fn shift_of(layer: i32, axis: u32) -> f32 {
  return f32(periods_of(layer, axis)) * grid.period[axis];
}

// Returns the layer of a coordinate. Rounding may give a neighbouring layer; the walk allows for this.
fn layer_at(coordinate: f32, axis: u32) -> i32 {
  let periods = floor((coordinate - grid.origin[axis]) * grid.inverse_period[axis]);
  let offset = coordinate - grid.origin[axis] - periods * grid.period[axis];
  let ring = grid.ring[axis];
  let last = f32(grid.cells[axis] - 2u * ring - 1u);
  let cell = clamp(floor(offset * grid.inverse_cell_size), 0.0, last);
  return i32(cell) + i32(ring) + i32(periods) * i32(grid.cells[axis]);
}

// Along an axis that is not periodic, the outermost cells hold particles outside the box and extend without end.
fn begin_of(layer: i32, axis: u32) -> f32 {
  let cell = cell_inside(layer, axis) - i32(grid.ring[axis]);
  let begin = grid.origin[axis] + shift_of(layer, axis) + f32(cell) * grid.cell_size;
  return select(begin, -FAR_OFF, cell <= 0 && grid.period[axis] == 0.0);
}

fn end_of(layer: i32, axis: u32) -> f32 {
  let ring = i32(grid.ring[axis]);
  let cell = cell_inside(layer, axis) - ring;
  let is_last = cell >= i32(grid.cells[axis]) - 2 * ring - 1;
  let origin = grid.origin[axis] + shift_of(layer, axis);
  if (is_last) {
    // The last cell also covers the rest of the period.
    return select(origin + grid.period[axis], FAR_OFF, grid.period[axis] == 0.0);
  }
  return origin + f32(cell + 1) * grid.cell_size;
}

// Returns a bound on the magnitude of the numbers from which a particle's layer is computed.
fn extent_of(axis: u32) -> f32 {
  return abs(grid.origin[axis]) + f32(grid.cells[axis] + 2u) * grid.cell_size;
}

fn pieces_in_period() -> i32 {
  return i32((grid.cells.x - 1u) / PIECE) + 1;
}

fn piece_at(x: i32) -> i32 {
  return periods_of(x, 0u) * pieces_in_period() + cell_inside(x, 0u) / i32(PIECE);
}

// Returns the first and last layer along x of a piece (path.wgsl explains pieces), within `low` and `high`.
fn piece_between(piece: i32, low: i32, high: i32) -> vec2i {
  let pieces = pieces_in_period();
  let periods = select(piece, piece + 1 - pieces, piece < 0) / pieces;
  let begin = periods * i32(grid.cells.x);
  let first = (piece - periods * pieces) * i32(min(PIECE, grid.cells.x));
  let last = min(first + i32(min(PIECE, grid.cells.x)), i32(grid.cells.x)) - 1;
  return vec2i(max(low, begin + first), min(high, begin + last));
}

// Returns the particles from the cell `low` to the layer `last` along x. Both must be in the same piece.
fn segment_between(low: Lattice, last: i32) -> Segment {
  var inside = low;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    inside[axis] = cell_inside(low[axis], axis);
  }
  let base = flatten(inside, grid.cells);
  return Segment(start[base], start[base + u32(last - low.x) + 1u]);
}

fn slot_in(segment: Segment, next: u32) -> u32 {
  return next;
}

fn is_in_segment(segment: Segment, slot: u32) -> bool {
  return true;
}
