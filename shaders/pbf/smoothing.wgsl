// Smoothing kernels. Densities, which are shares of the rest density, use the kernel poly6; their gradients use the
// kernel spiky. `parameters`:
// - `radius`: the radius of both kernels
// - `weight`, `slope`: poly6 and the slope of spiky at distance 0, divided by the rest density
// - `lower`, `upper`: the walls, out of reach if there are none
// Needs: parameters, Particle, Neighbour.

fn weight_at(distance_squared: f32) -> f32 {
  let left = 1.0 - distance_squared / (parameters.radius * parameters.radius);
  return parameters.weight * left * left * left;
}

// Returns the gradient of a neighbour's density. Coincident particles get opposite gradients along x, so they separate.
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

// Returns the density and gradient of walls, as if fluid at rest lay beyond. Uses the share of 3D poly6 beyond the
// walls. In 2D, the share beyond each wall is wrong by less than 0.014.
fn walls_at(position: Vector) -> Walls {
  let low = clamp((position - parameters.lower) / parameters.radius, Vector(), Vector(1.0));
  let high = clamp((parameters.upper - position) / parameters.radius, Vector(), Vector(1.0));
  let gradient = plane(high) - plane(low);
  let density = dot(beyond(low) + beyond(high), Vector(1.0));
  return Walls(density, gradient / parameters.radius);
}

// Returns, per axis, the integral of 3D poly6 over a plane, times the radius. `away`: distances in radii.
fn plane(away: Vector) -> Vector {
  let left = Vector(1.0) - away * away;
  return 1.23046875 * (left * left) * (left * left);
}

// Returns the share of 3D poly6 beyond a plane. `away`: distances in radii.
fn beyond(away: Vector) -> Vector {
  let square = away * away;
  let inner = Vector(1.2) + square * (Vector(-4.0 / 7.0) + square / 9.0);
  let sum = away * (Vector(1.0) + square * (Vector(-4.0 / 3.0) + square * inner));
  return max(Vector(), Vector(0.5) - 1.23046875 * sum);
}

// Stores (z, x, y), because a 2D vector keeps two components, and only z is not 0 in 2D.
fn store_curl(curl: vec3f) -> Stored {
  return store_vector(upper_of(vec4f(curl.zxy, 0.0)));
}

fn load_curl(stored: Stored) -> vec3f {
  return spatial(load_vector(stored)).yzx;
}

fn spatial(vector: Vector) -> vec3f {
  return with_last(vector, 0.0).xyz;
}
