// The geometry of one contact. Needs params and particle. Twin: src/reference/solve/contact.ts. Antisymmetric to the
// bit: swapping the two particles negates the normal and leaves the overlap, with fused multiply-adds or without.
// Needs: Particle, Neighbour, substep.

// Below this distance² the direction is rounding noise: contact_with derives one from the canonical slots.
const COINCIDENT_SQUARED = 0x1p-100f;
const NOT_APART = 0x1p-50f;

struct Contact {
  // Unit length, from the other particle to this one.
  normal: Vector,
  overlap: f32,
#if VARIABLE_RADII
  // This side's share of what the contact does.
  share: f32,
#if HAS_BOXES
  // False for boxes that do not overlap though the balls around them do.
  is_contact: bool,
#endif
#endif
}

#if VARIABLE_RADII
// The other's mass / the mass of both, from the ratio of the radii: massShare in src/core/contact/law.ts.
fn mass_share(own: f32, other: f32) -> f32 {
  let is_smaller = own < other;
  let ratio = select(other / own, own / other, is_smaller);
  var weight = ratio * ratio;
  if (DIMENSIONS == 3u) {
    weight *= ratio;
  }
  return select(weight, 1.0, is_smaller) / (1.0 + weight);
}
#endif

#if HAS_BOXES
// The radius of a ball, 0 for a box.
fn rounding_of(half: Vector, radius: f32) -> f32 {
  return select(radius, 0.0, half.x > 0.0);
}

// The axis of the greatest depth; depths are negative inside, so this is the shallowest overlap. The first of equal
// ones.
fn least_deep(depths: Vector) -> u32 {
  var least = 0u;
  for (var axis = 1u; axis < DIMENSIONS; axis++) {
    least = select(least, axis, depths[axis] > depths[least]);
  }
  return least;
}

// For two bodies whose balls overlap; they may not overlap themselves. src/core/particles/shapes.ts explains the
// geometry.
fn contact_with(particle: Particle, other: Neighbour) -> Contact {
  let share = mass_share(particle.bulk, other.bulk);
  let round = rounding_of(particle.half, particle.radius) + rounding_of(other.half, other.radius);
  let sides = particle.half + other.half;
  let beyond = abs(other.apart) - sides;
  let outside = max(beyond, Vector());
  let squared = dot(outside, outside);
  if (squared >= COINCIDENT_SQUARED) {
    let distance = sqrt(squared);
    // Compares squares, like the test of equal balls, because a root is rounded.
    return Contact(sign(other.apart) * outside / distance, round - distance, share, squared < round * round);
  }
  let is_level = abs(other.apart) < Vector(NOT_APART);
  let depths = select(beyond, -sides, is_level);
  let axis = least_deep(depths);
  let overlap = round - depths[axis];
  let is_up = select(other.apart[axis] > 0.0, particle.slot > other.slot, is_level[axis]);
  let along = select(Vector(), Vector(1.0), AXES == Extent(axis));
  return Contact(select(-along, along, is_up), overlap, share, overlap > 0.0);
}
#else
// Without a branch: the rare case costs a few selects, while a branch would cost every thread the longer path.
fn contact_with(particle: Particle, other: Neighbour) -> Contact {
  let coincident = other.distance_squared < COINCIDENT_SQUARED;
  let distance = sqrt(select(other.distance_squared, 1.0, coincident));
  // A unit axis that both sides agree on, up to its sign.
  let axis = select(Vector(), Vector(1.0), AXES == Extent((particle.slot + other.slot) % DIMENSIONS));
  let away = select(-axis, axis, particle.slot > other.slot);
  let normal = select(other.apart / distance, away, coincident);
#if VARIABLE_RADII
  let reach = particle.radius + other.radius;
  let share = mass_share(particle.radius, other.radius);
  return Contact(normal, reach - select(distance, 0.0, coincident), share);
#else
  return Contact(normal, substep.diameter - select(distance, 0.0, coincident));
#endif
}
#endif
