// Motion between walls at `lower` and `upper`. Along periodic axes, the walls lie beyond every position.
// Needs: wrap, parameters.

struct Motion {
  position: Vector,
  velocity: Vector,
}

fn moved(position: Vector, velocity: Vector) -> Motion {
  return walled(Motion(wrap(position + parameters.dt * velocity), velocity));
}

fn walled(motion: Motion) -> Motion {
  let below = (motion.position < parameters.lower) & (motion.velocity < Vector());
  let above = (motion.position > parameters.upper) & (motion.velocity > Vector());
  let position = clamp(motion.position, parameters.lower, parameters.upper);
  return Motion(position, select(motion.velocity, -motion.velocity, below | above));
}

// Returns the direction of `apart`, or a unit vector along x if `apart` is 0. Swapping `number` and `other` reverses
// that vector, so coincident particles separate.
fn heading(apart: Vector, distance: f32, number: u32, other: u32) -> Vector {
  if (distance > 0.0) {
    return apart / distance;
  }
  var along_x = Vector();
  along_x.x = select(1.0, -1.0, number < other);
  return along_x;
}
