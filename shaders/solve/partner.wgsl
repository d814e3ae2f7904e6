// For restitution, finds each particle's fastest approaching contact, among those faster than rest_speed.
// Inputs: sorted state. Output: the other's slot, or NO_PARTNER. Two particles that are each other's partner bounce in
// resolve.wgsl. Ties go to the lower pair of slots, the same from both sides, so the fastest pair of all is always
// mutual.

struct Own {
  velocity: Vector,
  fastest: f32,
  partner: u32,
}

#if OBSTACLES
// If the fastest is an obstacle, the partner is its slot with OBSTACLE_PARTNER set. An obstacle needs no partner
// itself.
alias ObstacleSum = Own;

fn meet_obstacle(met: ptr<function, ObstacleSum>, particle: Particle, obstacle: Neighbour, contact: Contact) {
  let approach = dot((*met).velocity, contact.normal);
  if (approach < (*met).fastest) {
    (*met).fastest = approach;
    (*met).partner = OBSTACLE_PARTNER | obstacle.slot;
  }
}

#endif
fn reach_squared() -> f32 {
  return substep.diameter_squared;
}

fn begin(particle: Particle) -> Own {
  return Own(load_vector(velocity_in[particle.slot]), -substep.rest_speed, NO_PARTNER);
}

fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
  let contact = contact_with(particle, other);
#if HAS_BOXES
  if (!contact.is_contact) {
    return;
  }
#endif
  let approach = dot((*own).velocity - load_vector(velocity_in[other.slot]), contact.normal);
  if (approach < (*own).fastest) {
    (*own).fastest = approach;
    (*own).partner = other.slot;
  }
}

#if HEAVY
fn merge(own: ptr<function, Own>, other: Own) {
  if (other.fastest < (*own).fastest || (other.fastest == (*own).fastest && other.partner < (*own).partner)) {
    (*own).fastest = other.fastest;
    (*own).partner = other.partner;
  }
}
#endif

#if OBSTACLES
fn finish(gathered: Own, particle: Particle) {
  var own = gathered;
  probe_obstacles(&own, particle);
#else
fn finish(own: Own, particle: Particle) {
#endif
  partner_out[particle.slot] = own.partner;
}

fn skip(slot: u32) {
  partner_out[slot] = NO_PARTNER;
}
