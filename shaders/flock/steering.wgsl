// What boids and hunters have in common: a limit to how hard they turn, speeds that they keep, and obstacles.

struct Sphere {
  centre: Vector,
  radius: f32,
}

// A push away from what is nearer than `reach`: 0 there, 1 at its surface.
fn shunned(place: Vector, sphere: Sphere, reach: f32) -> Vector {
  let apart = minimum_image(place, sphere.centre);
  let distance = length(apart);
  let nearness = max(0.0, 1.0 - (distance - sphere.radius) / reach);
  return nearness * heading(apart, distance, 1u, 0u);
}

fn shunned_obstacles(place: Vector) -> Vector {
  let low = Vector(1.0) - (place - parameters.lower) / parameters.perception;
  let high = Vector(1.0) - (parameters.upper - place) / parameters.perception;
  var push = max(Vector(), low) - max(Vector(), high);
  for (var index = parameters.hunters; index < parameters.spheres; index++) {
    push += shunned(place, spheres[index], parameters.perception);
  }
  return push;
}

fn steered(velocity: Vector, push: Vector, slowest: f32, fastest: f32) -> Vector {
  let size = length(push);
  let limited = push * (min(size, parameters.greatest_acceleration) / max(size, 1e-30));
  let wish = velocity + parameters.dt * limited;
  let speed = length(wish);
  return clamp(speed, slowest, fastest) * heading(wish, speed, 1u, 0u);
}

// Nobody is inside of an obstacle, nor goes on into it.
fn flown(place: Vector, velocity: Vector) -> Motion {
  var motion = moved(place, velocity);
  for (var index = parameters.hunters; index < parameters.spheres; index++) {
    let sphere = spheres[index];
    let apart = minimum_image(motion.place, sphere.centre);
    let distance = length(apart);
    if (distance < sphere.radius) {
      let outwards = heading(apart, distance, 1u, 0u);
      motion.place = wrap(motion.place + (sphere.radius - distance) * outwards);
      motion.velocity -= min(0.0, dot(motion.velocity, outwards)) * outwards;
    }
  }
  return walled(motion);
}
