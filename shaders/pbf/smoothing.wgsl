// Smoothing kernels of the position-based fluid: the density that a neighbour adds, as a share of the rest density, and
// its gradient. `parameters` has radius, weight (poly6 at its centre) and slope (spiky's slope there), both divided by
// the rest density. `lower` and `upper` are the walls, out of reach if there are none.
// Needs: parameters, Particle, Neighbour.

fn weight_at(distance_squared: f32) -> f32 {
  let left = 1.0 - distance_squared / (parameters.radius * parameters.radius);
  return parameters.weight * left * left * left;
}

// Gradient, with respect to the particle's position, of the density that a neighbour adds. Coincident particles part
// along x.
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

// Fluid at rest is imagined beyond a wall, so that a particle beside the wall has the rest density. Its density is the
// share of poly6 beyond the wall in 3D; in 2D that is off by less than 1%.
fn walls_at(position: Vector) -> Walls {
  let low = clamp((position - parameters.lower) / parameters.radius, Vector(), Vector(1.0));
  let high = clamp((parameters.upper - position) / parameters.radius, Vector(), Vector(1.0));
  let gradient = plane(high) - plane(low);
  let density = dot(beyond(low) + beyond(high), Vector(1.0));
  return Walls(density, gradient / parameters.radius);
}

// Poly6 integrated over a plane at this distance, and over everything beyond that plane.
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

// Stores a curl as (z, x, y): its only component in 2D comes first, so that it fits a 2D vector.
fn store_curl(curl: vec3f) -> Stored {
  return store_vector(upper_of(vec4f(curl.zxy, 0.0)));
}

fn load_curl(stored: Stored) -> vec3f {
  return spatial(load_vector(stored)).yzx;
}

fn spatial(vector: Vector) -> vec3f {
  return with_last(vector, 0.0).xyz;
}
