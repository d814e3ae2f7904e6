// The cells along a ray (see query/rays.wgsl) in the unbounded world. path_dense.wgsl describes the functions;
// path_blocks.wgsl provides those of pieces.
// Needs: lattice_at, grid, FAR_OFF, bucket_at, start, cell_of_slot.

// The particles in cells from `low` to `high`. Other particles may lie among their slots.
struct Segment {
  first: u32,
  end: u32,
  low: Lattice,
  high: Lattice,
}

fn shift_of(layer: i32, axis: u32) -> f32 {
  return 0.0;
}

fn layer_at(coordinate: f32, axis: u32) -> i32 {
  return lattice_at(Vector(coordinate)).x;
}

// The cells at coordinate ±FARTHEST_CELL hold everything farther out, so they extend without end.
fn begin_of(layer: i32, axis: u32) -> f32 {
  return select(f32(layer) * grid.cell_size, -FAR_OFF, f32(layer) <= -f32(FARTHEST_CELL));
}

fn end_of(layer: i32, axis: u32) -> f32 {
  return select(f32(layer + 1) * grid.cell_size, FAR_OFF, f32(layer) >= f32(FARTHEST_CELL));
}

// Returns 0: the cell of a coordinate is exact here, so the walk needs no margin for it.
fn extent_of(axis: u32) -> f32 {
  return 0.0;
}

fn segment_between(low: Lattice, last: i32) -> Segment {
  var high = low;
  high.x = last;
  let bucket = bucket_at(low);
  return Segment(start[bucket], start[bucket + u32(last - low.x) + 1u], low, high);
}

// Tests the true cell, because a bucket may also hold particles of other cells.
fn is_in_segment(segment: Segment, slot: u32) -> bool {
  let cell = load_lattice(cell_of_slot[slot]);
  return all((cell >= segment.low) & (cell <= segment.high));
}
