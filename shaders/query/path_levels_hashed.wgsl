// The cells along a ray (see query/rays.wgsl) on one level of an unbounded world, `level_walked`. Needs
// levels/hashed.wgsl, levels/levels.wgsl and path_blocks, and of the kernel start: array<u32>, cell_of_slot:
// array<Cell>, position_in: array<PackedBody>. path_levels_dense.wgsl provides the same names for a box.
// Needs: FARTHEST, cell_at, grid, FAR_OFF, bucket_at, start, cell_of_slot, level_of, position_in.

// The level of the current walk. Must be set before any other function is called.
var<private> level_walked: u32;

// Slots from `first` up to, but not including, `end`, whose particles are on the level and in cells between `low` and
// `high`.
struct Segment {
  first: u32,
  end: u32,
  low: Lattice,
  high: Lattice,
}

// Cells farther out count as this one.
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

// The particles in the layers of a row, all in one piece, from `low`, whose x is the first, to `last`.
fn segment_between(low: Lattice, last: i32) -> Segment {
  var high = low;
  high.x = last;
  let bucket = bucket_at(low, level_walked);
  return Segment(start[bucket], start[bucket + u32(last - low.x) + 1u], low, high);
}

// Buckets also hold particles of other cells and levels.
fn is_in_segment(segment: Segment, slot: u32) -> bool {
  let cell = load_lattice(cell_of_slot[slot]);
  let is_between = all((cell >= segment.low) & (cell <= segment.high));
  return is_between && level_of(radius_of(position_in[slot])) == level_walked;
}
