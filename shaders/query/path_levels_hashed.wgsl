// The cells along a ray on one level of an unbounded world. path_dense.wgsl describes the functions.
// Needs: Table, merged_levels, cell_at, grid, FAR_OFF, table_of, first_slot, index_of, slots_in, wrap_slot.
// Needs: cell_of_slot.

// The level of the walk. Set it before you call the functions below.
var<private> level_walked: u32;

// Particles of other cells may lie among the slots, because cells may share a bucket.
struct Segment {
  first: u32,
  end: u32,
  table: Table,
  low: Lattice,
  high: Lattice,
}

// The outermost layer stands for all layers farther out.
fn farthest_layer() -> i32 {
  return i32(FARTHEST_CELL) >> (level_walked + merged_levels());
}

fn layer_at(coordinate: f32, axis: u32) -> i32 {
  return cell_at(Vector(coordinate), level_walked).x;
}

fn border_before(layer: i32) -> f32 {
  return f32(layer) * (grid.cell_size * f32(1u << (level_walked + merged_levels())));
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
  let table = table_of(level_walked, 0u);
  let first = first_slot(table, index_of(low));
  return Segment(first, first + slots_in(table, index_of(low), u32(last - low.x) + 1u), table, low, high);
}

// Returns the slot for an index in a segment. The index may lie beyond the table's last slot.
fn slot_in(segment: Segment, next: u32) -> u32 {
  return wrap_slot(segment.table, next);
}

fn is_in_segment(segment: Segment, slot: u32) -> bool {
  let cell = load_lattice(cell_of_slot[slot]);
  return all((cell >= segment.low) & (cell <= segment.high));
}
