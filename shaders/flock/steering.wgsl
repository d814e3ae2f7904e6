// Limits acceleration and speed, and avoids walls and obstacles.
// Needs: minimum_image, heading, parameters, spheres, Motion, moved, wrap, walled.

struct Sphere {
  centre: Vector,
  radius: f32,
}

// Returns a push away from a sphere. Its length is 1 at the sphere's surface, and 0 at distances of `reach` and more
// from the surface.
fn shunned(position: Vector, sphere: Sphere, reach: f32) -> Vector {
  let apart = minimum_image(position, sphere.centre);
  let distance = length(apart);
  let nearness = max(0.0, 1.0 - (distance - sphere.radius) / reach);
  return nearness * heading(apart, distance, 1u, 0u);
}

fn shunned_obstacles(position: Vector) -> Vector {
  let low = Vector(1.0) - (position - parameters.lower) / parameters.perception;
  let high = Vector(1.0) - (parameters.upper - position) / parameters.perception;
  var push = max(Vector(), low) - max(Vector(), high);
  for (var index = parameters.hunters; index < parameters.spheres; index++) {
    push += shunned(position, spheres[index], parameters.perception);
  }
  return push;
}

fn steered(velocity: Vector, push: Vector, slowest: f32, fastest: f32) -> Vector {
  let size = length(push);
  let limited = push * (min(size, parameters.greatest_acceleration) / max(size, 1e-30));
  let wanted = velocity + parameters.dt * limited;
  let speed = length(wanted);
  return clamp(speed, slowest, fastest) * heading(wanted, speed, 1u, 0u);
}

fn flown(position: Vector, velocity: Vector) -> Motion {
  var motion = moved(position, velocity);
  for (var index = parameters.hunters; index < parameters.spheres; index++) {
    let sphere = spheres[index];
    let apart = minimum_image(motion.position, sphere.centre);
    let distance = length(apart);
    if (distance < sphere.radius) {
      let outwards = heading(apart, distance, 1u, 0u);
      motion.position = wrap(motion.position + (sphere.radius - distance) * outwards);
      motion.velocity -= min(0.0, dot(motion.velocity, outwards)) * outwards;
    }
  }
  return walled(motion);
}
