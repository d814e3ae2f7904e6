// Boxes in a world without periodic axes, where nothing wraps. world/box_periodic.wgsl provides the same names for
// periodic worlds.

struct Box {
  low: Vector,
  high: Vector,
}

fn box_in_world(box: Box) -> Box {
  return box;
}

fn is_in_box(box: Box, position: Vector) -> bool {
  return all((position >= box.low) & (position <= box.high));
}

fn has_images(position: Vector) -> bool {
  return true;
}
