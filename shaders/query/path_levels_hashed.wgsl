// The cells along a ray on one level of an unbounded world. path_dense.wgsl describes the functions.
// Needs: cell_at, grid, FAR_OFF, bucket_at, start, cell_of_slot, level_of, position_in.

// The caller sets it before it calls any other function.
var<private> level_walked: u32;

// Particles of other cells and levels may lie among the slots.
struct Segment {
  first: u32,
  end: u32,
  low: Lattice,
  high: Lattice,
}

// The outermost layer stands for all layers farther out.
fn farthest_layer() -> i32 {
  return i32(FARTHEST_CELL) >> level_walked;
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

// Rounding never moves a coordinate into another cell, so the walk needs no margin for it.
fn extent_of(axis: u32) -> f32 {
  return 0.0;
}

fn segment_between(low: Lattice, last: i32) -> Segment {
  var high = low;
  high.x = last;
  let bucket = bucket_at(low, level_walked);
  return Segment(start[bucket], start[bucket + u32(last - low.x) + 1u], low, high);
}

// Several cells and levels may share a bucket.
fn is_in_segment(segment: Segment, slot: u32) -> bool {
  let cell = load_lattice(cell_of_slot[slot]);
  let is_between = all((cell >= segment.low) & (cell <= segment.high));
  return is_between && level_of(radius_of(position_in[slot])) == level_walked;
}
