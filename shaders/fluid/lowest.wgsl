// Linked with kernels that know heights: where things fall to along an axis.

fn lowest_along(axis: u32) -> f32 {
  return select(0.0, f32(frame.cells[axis]) * frame.scale.z, frame.gravity[axis] > 0.0);
}
