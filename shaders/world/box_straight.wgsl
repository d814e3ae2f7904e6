// Boxes in a world that does not wrap. In periodic worlds, box_periodic.wgsl defines the same names.

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
