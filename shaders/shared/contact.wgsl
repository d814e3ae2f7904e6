// Geometry of one contact. Needs params and particle. Antisymmetric to the bit: swapping the two particles negates the
// normal and leaves the overlap, fused multiply-adds or not.

// Nearer than this the direction is noise; it is then taken from the two slots, which are canonical.
const COINCIDENT_SQUARED = 0x1p-100f;

struct Contact {
  // Unit length, from the other particle to this one.
  normal: Vector,
  overlap: f32,
#if MIXED
  // Of what both do, the part that this one does.
  share: f32,
#endif
}

#if MIXED
// The other's weight of the weight of both: see shareOf in src/core/settings.ts.
fn share_of(own: f32, other: f32) -> f32 {
  let is_smaller = own < other;
  let ratio = select(other / own, own / other, is_smaller);
  var weight = ratio * ratio;
  if (DIMENSIONS == 3u) {
    weight *= ratio;
  }
  return select(weight, 1.0, is_smaller) / (1.0 + weight);
}
#endif

// Without a branch: the rare case costs a few selects, a branch would cost every thread the longer path.
fn contact_with(particle: Particle, other: Neighbour) -> Contact {
  let coincident = other.distance_squared < COINCIDENT_SQUARED;
  let distance = sqrt(select(other.distance_squared, 1.0, coincident));
  // A unit axis that both sides agree on, up to its sign.
  let axis = select(Vector(), Vector(1.0), AXES == Extent((particle.slot + other.slot) % DIMENSIONS));
  let away = select(-axis, axis, particle.slot > other.slot);
  let normal = select(other.apart / distance, away, coincident);
#if MIXED
  let reach = particle.radius + other.radius;
  let share = share_of(particle.radius, other.radius);
  return Contact(normal, reach - select(distance, 0.0, coincident), share);
#else
  return Contact(normal, substep.diameter - select(distance, 0.0, coincident));
#endif
}
