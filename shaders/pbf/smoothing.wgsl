// Smoothing kernels of the position-based fluid, as shares of the density at rest: how much a neighbour adds to it, and how
// that changes with the place. `parameters` has radius, weight (poly6 at its centre) and slope (spiky's there), both
// divided by the density at rest; lower and upper are the walls, out of reach where there are none.

fn weight_at(distance_squared: f32) -> f32 {
  let left = 1.0 - distance_squared / (parameters.radius * parameters.radius);
  return parameters.weight * left * left * left;
}

// Gradient of what a neighbour adds, by the place of the particle. Two in the very same place part along x.
fn slope_at(particle: Particle, other: Neighbour) -> Vector {
  let distance = sqrt(other.distance_squared);
  let left = 1.0 - distance / parameters.radius;
  var heading = Vector();
  if (distance > 0.0) {
    heading = other.apart / distance;
  } else {
    heading.x = select(1.0, -1.0, particle.slot < other.slot);
  }
  return -parameters.slope * left * left * heading;
}

struct Walls {
  density: f32,
  gradient: Vector,
}

// Beyond a wall fluid at rest is imagined, so that one beside it has its density: the share of poly6 that is farther on
// than the wall, in space; in the plane that is off by less than a hundredth.
fn walls_at(place: Vector) -> Walls {
  let low = clamp((place - parameters.lower) / parameters.radius, Vector(), Vector(1.0));
  let high = clamp((parameters.upper - place) / parameters.radius, Vector(), Vector(1.0));
  let gradient = plane(high) - plane(low);
  let density = dot(beyond(low) + beyond(high), Vector(1.0));
  return Walls(density, gradient / parameters.radius);
}

// Poly6 in a plane so far away, and all of it farther on.
fn plane(away: Vector) -> Vector {
  let left = Vector(1.0) - away * away;
  return 1.23046875 * (left * left) * (left * left);
}

fn beyond(away: Vector) -> Vector {
  let square = away * away;
  let inner = Vector(1.2) + square * (Vector(-4.0 / 7.0) + square / 9.0);
  let sum = away * (Vector(1.0) + square * (Vector(-4.0 / 3.0) + square * inner));
  return max(Vector(), Vector(0.5) - 1.23046875 * sum);
}

// The curl of a velocity, which in the plane has one component: it comes first, so that it fits a vector. It is stored as
// (z, x, y).
fn store_curl(curl: vec3f) -> Stored {
  return store_vector(upper_of(vec4f(curl.zxy, 0.0)));
}

fn load_curl(stored: Stored) -> vec3f {
  return spatial(load_vector(stored)).yzx;
}

fn spatial(vector: Vector) -> vec3f {
  return with_last(vector, 0.0).xyz;
}
