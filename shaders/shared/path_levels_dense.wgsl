// What a ray's walk (measure/rays.wgsl) asks about the cells of one level of a box, that of `level_walked`. Needs
// levels_dense and levels, and of the kernel start: array<u32>. Same names as in path_dense.wgsl and
// path_levels_hashed.wgsl.

// Of the walk that is under way; to be set before anything else is asked.
var<private> level_walked: u32;

// Slots from `first` up to, but not, `end`.
struct Segment {
  first: u32,
  end: u32,
}

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

fn is_in_segment(segment: Segment, slot: u32) -> bool {
  return true;
}
