// The cells along a ray in the unbounded world. path_dense.wgsl describes the functions.
// Needs: lattice_at, grid, FAR_OFF, bucket_at, start, cell_of_slot.

// Particles of other cells may lie among the slots, because cells may share a bucket.
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

// The cells at ±FARTHEST_CELL hold everything farther out.
fn begin_of(layer: i32, axis: u32) -> f32 {
  return select(f32(layer) * grid.cell_size, -FAR_OFF, f32(layer) <= -f32(FARTHEST_CELL));
}

fn end_of(layer: i32, axis: u32) -> f32 {
  return select(f32(layer + 1) * grid.cell_size, FAR_OFF, f32(layer) >= f32(FARTHEST_CELL));
}

// Rounding never moves a coordinate into another cell, so the walk needs no margin for it.
fn extent_of(axis: u32) -> f32 {
  return 0.0;
}

fn segment_between(low: Lattice, last: i32) -> Segment {
  var high = low;
  high.x = last;
  let bucket = bucket_at(low);
  return Segment(start[bucket], start[bucket + u32(last - low.x) + 1u], low, high);
}

fn slot_in(segment: Segment, next: u32) -> u32 {
  return next;
}

fn is_in_segment(segment: Segment, slot: u32) -> bool {
  let cell = load_lattice(cell_of_slot[slot]);
  return all((cell >= segment.low) & (cell <= segment.high));
}
