// The geometry of a contact. Guarantee: swapping the particles negates the normal and keeps the overlap, to the bit,
// with or without fused multiply-adds. Twin: src/reference/solve/contact.ts.
// Needs: Particle, Neighbour, substep.

struct Contact {
  // A unit vector from the other particle to this one.
  normal: Vector,
  overlap: f32,
#if HAS_BOXES
  // False if only the balls around two bodies overlap.
  is_contact: bool,
#endif
}

#if VARIABLE_RADII
// Returns the other mass divided by the sum of both masses. `own` and `other` are radii; for a box, the radius of a
// ball with the same volume. Each mass is multiplied by 1 + load, but the share of the smaller body stays at least ½.
// Bodies of equal radii share equally, whatever their loads. Twin: massShare in src/core/contact/law.ts.
fn mass_share(own: f32, other: f32, own_load: f32, other_load: f32) -> f32 {
  let is_smaller = own < other;
  let ratio = select(other / own, own / other, is_smaller);
  var weight = ratio * ratio;
  if (DIMENSIONS == 3u) {
    weight *= ratio;
  }
  let own_mass = select(1.0, weight, is_smaller) * (1.0 + own_load);
  let other_mass = select(weight, 1.0, is_smaller) * (1.0 + other_load);
  let share = other_mass / (own_mass + other_mass);
  return select(select(min(share, 0.5), max(share, 0.5), is_smaller), 0.5, own == other);
}
#endif

#if HAS_BOXES
// Returns the radius of a ball, or 0 for a box.
fn rounding_of(half: Vector, radius: f32) -> f32 {
  return select(radius, 0.0, half.x > 0.0);
}

// Returns the first axis with the greatest of `depths`. Depths are negative inside a box, so the greatest one is the
// shallowest.
fn shallowest_axis(depths: Vector) -> u32 {
  var least = 0u;
  for (var axis = 1u; axis < DIMENSIONS; axis++) {
    least = select(least, axis, depths[axis] > depths[least]);
  }
  return least;
}

// Expects bodies whose enclosing balls overlap. src/core/particles/shapes.ts explains the geometry.
fn contact_with(particle: Particle, other: Neighbour) -> Contact {
  let round = rounding_of(particle.half, particle.radius) + rounding_of(other.half, other.radius);
  let sides = particle.half + other.half;
  let beyond = abs(other.apart) - sides;
  let outside = max(beyond, Vector());
  let squared = dot(outside, outside);
  if (squared >= COINCIDENT_SQUARED) {
    let distance = sqrt(squared);
    // Compares squares, because a root is rounded. Balls of one radius are tested in the same way.
    return Contact(sign(other.apart) * outside / distance, round - distance, squared < round * round);
  }
  let is_level = abs(other.apart) < Vector(NOT_APART);
  let depths = select(beyond, -sides, is_level);
  let axis = shallowest_axis(depths);
  let overlap = round - depths[axis];
  let is_up = select(other.apart[axis] > 0.0, particle.slot > other.slot, is_level[axis]);
  let along = select(Vector(), Vector(1.0), AXES == Extent(axis));
  return Contact(select(-along, along, is_up), overlap, overlap > 0.0);
}
#else
// Uses selects for coincident centres, because a branch would slow down every thread.
fn contact_with(particle: Particle, other: Neighbour) -> Contact {
  let coincident = other.distance_squared < COINCIDENT_SQUARED;
  let distance = sqrt(select(other.distance_squared, 1.0, coincident));
  // Both particles compute the same axis.
  let axis = select(Vector(), Vector(1.0), AXES == Extent((particle.slot + other.slot) % DIMENSIONS));
  let away = select(-axis, axis, particle.slot > other.slot);
  let normal = select(other.apart / distance, away, coincident);
#if VARIABLE_RADII
  let reach = particle.radius + other.radius;
  return Contact(normal, reach - select(distance, 0.0, coincident));
#else
  return Contact(normal, substep.diameter - select(distance, 0.0, coincident));
#endif
}
#endif
