// What a ray's walk (query/rays.wgsl) asks about the cells of one level, that of `level_walked`, where cells are
// hashed, in an unbounded world. Needs levels_hashed, levels and path_blocks, and of the kernel start: array<u32>,
// cell_of_slot: array<Cell>, position_in: array<PackedBody>. Same names as in path_levels_dense.wgsl.

// Of the walk that is under way; to be set before anything else is asked.
var<private> level_walked: u32;

// Slots from `first` up to, but not, `end`, as far as they are of the level and their cells are between two.
struct Segment {
  first: u32,
  end: u32,
  low: Lattice,
  high: Lattice,
}

// Cells farther out are one with the last.
fn farthest_layer() -> i32 {
  return i32(FARTHEST) >> level_walked;
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

// The particles of a row's layers from `low`, whose x begins it, to `last`, in one piece.
fn segment_between(low: Lattice, last: i32) -> Segment {
  var high = low;
  high.x = last;
  let bucket = bucket_at(low, level_walked);
  return Segment(start[bucket], start[bucket + u32(last - low.x) + 1u], low, high);
}

// Buckets hold particles of other cells and levels too.
fn is_in_segment(segment: Segment, slot: u32) -> bool {
  let cell = load_lattice(cell_of_slot[slot]);
  let is_between = all((cell >= segment.low) & (cell <= segment.high));
  return is_between && level_of(radius_of(position_in[slot])) == level_walked;
}
