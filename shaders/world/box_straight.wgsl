// Boxes where space does not wrap around: they are what they are. The other kind, with the same names, is
// box_periodic.wgsl.

struct Box {
  low: Vector,
  high: Vector,
}

fn box_in_world(box: Box) -> Box {
  return box;
}

fn is_in_box(box: Box, place: Vector) -> bool {
  return all((place >= box.low) & (place <= box.high));
}

fn has_images(place: Vector) -> bool {
  return true;
}
