// How whatever moves by itself gets on: for kernels over a grid whose parameters have `dt`, `lower` and `upper`, beyond
// which walls turn it back. Along axes that wrap around these are too far away to be met.

struct Motion {
  place: Vector,
  velocity: Vector,
}

fn moved(place: Vector, velocity: Vector) -> Motion {
  return walled(Motion(wrap(place + parameters.dt * velocity), velocity));
}

fn walled(motion: Motion) -> Motion {
  let below = (motion.place < parameters.lower) & (motion.velocity < Vector());
  let above = (motion.place > parameters.upper) & (motion.velocity > Vector());
  let place = clamp(motion.place, parameters.lower, parameters.upper);
  return Motion(place, select(motion.velocity, -motion.velocity, below | above));
}

// The way from one to another as a length of 1. In the very same place they part along x, the lower number to the left.
fn heading(apart: Vector, distance: f32, number: u32, other: u32) -> Vector {
  if (distance > 0.0) {
    return apart / distance;
  }
  var along_x = Vector();
  along_x.x = select(1.0, -1.0, number < other);
  return along_x;
}
