// Geometry of one contact. Needs params. Antisymmetric to the bit: swapping the two particles negates the
// normal and leaves the overlap, fused multiply-adds or not.

// Nearer than this the direction is noise; it is then taken from the two ids.
const COINCIDENT_SQUARED = 0x1p-100f;

struct Contact {
  // Unit length, from the other particle to this one.
  normal: Vector,
  overlap: f32,
}

// A unit axis that both sides of a coincident pair agree on, up to its sign.
fn coincident_normal(id: u32, other_id: u32) -> Vector {
  let mixed = (min(id, other_id) * 0x9e3779b1u) ^ (max(id, other_id) * 0x85ebca6bu);
  let choice = (mixed ^ (mixed >> 15u)) % (2u * DIMENSIONS);
  let sign = select(-1.0, 1.0, (id < other_id) == (choice < DIMENSIONS));
  var normal = Vector();
  normal[choice % DIMENSIONS] = sign;
  return normal;
}

fn contact_from(apart: Vector, distance_squared: f32, id: u32, other_id: u32) -> Contact {
  if (distance_squared < COINCIDENT_SQUARED) {
    return Contact(coincident_normal(id, other_id), substep.diameter);
  }
  let distance = sqrt(distance_squared);
  return Contact(apart / distance, substep.diameter - distance);
}
