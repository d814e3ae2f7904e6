// What a ray's walk (measure/rays.wgsl) asks about the cells of one level, that of `level_walked`, where cells are
// hashed: in an unbounded world, or (with WRAPS) in a periodic one, where layers are numbered on beyond the ends, as in
// path_dense.wgsl. Needs levels_hashed and levels, and of the kernel start: array<u32>, cell_of_slot: array<Cell>,
// position_in: array<Body>. Same names as in path_levels_dense.wgsl.

// Of the walk that is under way; to be set before anything else is asked.
var<private> level_walked: u32;

// Slots from `first` up to, but not, `end`, as far as they are of the level and their cells are between two.
struct Segment {
  first: u32,
  end: u32,
  low: Lattice,
  high: Lattice,
}

// Cells farther out are one with the last; of an axis that wraps around none is.
fn farthest_layer() -> i32 {
  return i32(FARTHEST) >> level_walked;
}

#if WRAPS
fn wraps_along(axis: u32) -> bool {
  return grid.period[axis] > 0.0;
}

// Cells of a period; 1 along axes that do not wrap around, which have no use for it.
fn cells_along(axis: u32) -> i32 {
  return max(i32(grid.cells[axis] >> level_walked), 1);
}

// So many wholes below a number: of −1 that is −1.
fn wholes_of(number: i32, whole: i32) -> i32 {
  return select(number, number + 1 - whole, number < 0) / whole;
}

// Whole periods below a layer.
fn periods_of(layer: i32, axis: u32) -> i32 {
  return select(0, wholes_of(layer, cells_along(axis)), wraps_along(axis));
}

// Its place on the level.
fn home_of(layer: i32, axis: u32) -> i32 {
  return layer - periods_of(layer, axis) * cells_along(axis);
}

// The layer that a coordinate is in, to the rounding that a walk allows for.
fn layer_at(coordinate: f32, axis: u32) -> i32 {
  let periods = floor((coordinate - grid.origin[axis]) * grid.inverse_period[axis]);
  let place = coordinate - grid.origin[axis] - periods * grid.period[axis];
  let low = select(-FARTHEST, 0.0, wraps_along(axis));
  let high = select(FARTHEST, f32(grid.cells[axis]) - 1.0, wraps_along(axis));
  let layer = i32(clamp(floor(place * grid.inverse_cell_size), low, high)) >> level_walked;
  // The last cell of a period takes in what is left over.
  let inside = min(layer, cells_along(axis) - 1) + i32(periods) * cells_along(axis);
  return select(layer, inside, wraps_along(axis));
}

// Of an image of a layer of the level's own: each is twice as wide as one of the level below.
fn border_before(home: i32, periods: i32, axis: u32) -> f32 {
  let origin = grid.origin[axis] + f32(periods) * grid.period[axis];
  return origin + f32(home) * (grid.cell_size * f32(1u << level_walked));
}

fn begin_of(layer: i32, axis: u32) -> f32 {
  let begin = border_before(home_of(layer, axis), periods_of(layer, axis), axis);
  return select(begin, -FAR_OFF, !wraps_along(axis) && layer <= -farthest_layer());
}

fn end_of(layer: i32, axis: u32) -> f32 {
  let home = home_of(layer, axis);
  let periods = periods_of(layer, axis);
  if (wraps_along(axis) && home == cells_along(axis) - 1) {
    return grid.origin[axis] + f32(periods) * grid.period[axis] + grid.period[axis];
  }
  let end = border_before(home + 1, periods, axis);
  return select(end, FAR_OFF, !wraps_along(axis) && layer >= farthest_layer());
}

// Magnitude of the coordinates that the layer of a particle is rounded with. Along an axis without an end those are the
// particle's own, which a walk allows for as it does for its layers.
fn extent_of(axis: u32) -> f32 {
  return abs(grid.origin[axis]) + f32(grid.cells[axis] + 2u) * grid.cell_size;
}

// Pieces of a row are blocks of the table: numbers ascend with x.
fn pieces_in_period() -> i32 {
  return ((cells_along(0u) - 1) >> HASH_BLOCK_SHIFT) + 1;
}

fn piece_at(x: i32) -> i32 {
  return periods_of(x, 0u) * pieces_in_period() + (home_of(x, 0u) >> HASH_BLOCK_SHIFT);
}

// The layers along x of a piece between two.
fn piece_between(piece: i32, low: i32, high: i32) -> vec2i {
  let pieces = pieces_in_period();
  let periods = select(0, wholes_of(piece, pieces), wraps_along(0u));
  let begin = periods * cells_along(0u);
  let first = (piece - periods * pieces) << HASH_BLOCK_SHIFT;
  let end = first + i32(HASH_BLOCK);
  let last = select(end, min(end, cells_along(0u)), wraps_along(0u)) - 1;
  return vec2i(max(low, begin + first), min(high, begin + last));
}
#else
fn home_of(layer: i32, axis: u32) -> i32 {
  return layer;
}

fn layer_at(coordinate: f32, axis: u32) -> i32 {
  return cell_at(Vector(coordinate), level_walked).x;
}

fn border_before(layer: i32) -> f32 {
  return f32(layer) * (grid.cell_size * f32(1u << level_walked));
}

fn begin_of(layer: i32, axis: u32) -> f32 {
  return select(border_before(layer), -FAR_OFF, layer <= -farthest_layer());
}

fn end_of(layer: i32, axis: u32) -> f32 {
  return select(border_before(layer + 1), FAR_OFF, layer >= farthest_layer());
}

// Cells are exact here.
fn extent_of(axis: u32) -> f32 {
  return 0.0;
}
#endif

// The particles of a row's layers from `low`, whose x begins it, to `last`, in one piece.
fn segment_between(low: Lattice, last: i32) -> Segment {
  var home = low;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    home[axis] = home_of(low[axis], axis);
  }
  var high = home;
  high.x += last - low.x;
  let bucket = bucket_at(home, level_walked);
  return Segment(start[bucket], start[bucket + u32(high.x - home.x) + 1u], home, high);
}

// Buckets hold particles of other cells and levels too.
fn is_in_segment(segment: Segment, slot: u32) -> bool {
  let cell = load_lattice(cell_of_slot[slot]);
  let is_between = all((cell >= segment.low) & (cell <= segment.high));
  return is_between && level_of(radius_of(position_in[slot])) == level_walked;
}
