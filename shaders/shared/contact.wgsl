// Geometry of one contact. Needs params. Antisymmetric to the bit: swapping the two particles negates the
// normal and leaves the overlap, fused multiply-adds or not.

// Nearer than this the direction is noise; it is then taken from the two slots, which are canonical.
const COINCIDENT_SQUARED = 0x1p-100f;

struct Contact {
  // Unit length, from the other particle to this one.
  normal: Vector,
  overlap: f32,
}

// Without a branch: the rare case costs a few selects, a branch would cost every thread the longer path.
fn contact_from(apart: Vector, distance_squared: f32, slot: u32, other: u32) -> Contact {
  let coincident = distance_squared < COINCIDENT_SQUARED;
  let distance = sqrt(select(distance_squared, 1.0, coincident));
  // A unit axis that both sides agree on, up to its sign.
  let axis = select(Vector(), Vector(1.0), AXES == Extent((slot + other) % DIMENSIONS));
  let away = select(-axis, axis, slot > other);
  return Contact(
    select(apart / distance, away, coincident),
    substep.diameter - select(distance, 0.0, coincident),
  );
}
