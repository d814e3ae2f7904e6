// Finds each particle's partner: its fastest approaching contact above rest_speed, or NO_PARTNER. Mutual partners
// bounce in resolve.wgsl. Of equally fast contacts, the first visited counts. If slots are visited in ascending order,
// the equally fast pair with the lowest slots is therefore mutual.
// Needs: substep, Particle, velocity_in, Neighbour, contact_with, partner_out.

struct Gathered {
  velocity: Vector,
  fastest: f32,
  partner: u32,
}

fn reach_squared() -> f32 {
  return substep.diameter_squared;
}

fn begin(particle: Particle) -> Gathered {
  return Gathered(load_vector(velocity_in[particle.slot]), -substep.rest_speed, NO_PARTNER);
}

fn visit(gathered: ptr<function, Gathered>, particle: Particle, other: Neighbour) {
  let contact = contact_with(particle, other);
#if HAS_BOXES
  if (!contact.is_contact) {
    return;
  }
#endif
  let approach = dot((*gathered).velocity - load_vector(velocity_in[other.slot]), contact.normal);
  if (approach < (*gathered).fastest) {
    (*gathered).fastest = approach;
    (*gathered).partner = other.slot;
  }
}

#if HEAVY
fn merge(gathered: ptr<function, Gathered>, other: Gathered) {
  if (other.fastest < (*gathered).fastest || (other.fastest == (*gathered).fastest && other.partner < (*gathered).partner)) {
    (*gathered).fastest = other.fastest;
    (*gathered).partner = other.partner;
  }
}
#endif

fn finish(gathered: Gathered, particle: Particle) {
  partner_out[particle.slot] = gathered.partner;
}

fn skip(slot: u32) {
  partner_out[slot] = NO_PARTNER;
}
