// Finds each particle's partner in an exact simulation: its fastest approaching contact above the rest speed, or
// NO_PARTNER. Of equally fast contacts, the one with the lowest position counts, last axis first, then the lowest slot.
// Twin: findExactPartners in src/cpu/solver/exact/contact.ts.
// Needs: Particle, Neighbour, Contact, dot_with, obstacle_quanta, OBSTACLE_PARTNER, precedes, substep, quanta_at.
// Needs: velocity_in, exact_contact, probe_obstacles, partner_out.

struct Gathered {
  quanta: Lattice,
  velocity: Lattice,
  fastest: i32,
  partner: u32,
  partner_quanta: Lattice,
}

#if OBSTACLES
// If the partner is an obstacle, `partner` is its slot with OBSTACLE_PARTNER set.
alias ObstacleSum = Gathered;

// Of equally fast contacts, those with particles come before those with obstacles. Obstacles at the same position are
// interchangeable.
fn meet_obstacle(met: ptr<function, ObstacleSum>, particle: Particle, obstacle: Neighbour, contact: Contact) {
  let approach = dot_with((*met).velocity, contact.normal);
  if (approach > (*met).fastest) {
    return;
  }
  let quanta = obstacle_quanta(obstacle.slot);
  if (approach == (*met).fastest) {
    let partner = (*met).partner;
    let has_obstacle = partner >= OBSTACLE_PARTNER && partner != NO_PARTNER;
    if (!has_obstacle || !precedes(quanta, (*met).partner_quanta)) {
      return;
    }
  }
  (*met).fastest = approach;
  (*met).partner = OBSTACLE_PARTNER | obstacle.slot;
  (*met).partner_quanta = quanta;
}
#endif

fn reach_squared() -> f32 {
  return substep.diameter_squared;
}

fn begin(particle: Particle) -> Gathered {
  let slot = particle.slot;
  return Gathered(quanta_at(slot), load_whole(velocity_in[slot]), -i32(substep.exact_rest_speed), NO_PARTNER, Lattice());
}

fn visit(gathered: ptr<function, Gathered>, particle: Particle, other: Neighbour) {
  let contact = exact_contact((*gathered).quanta, particle.slot, other.slot);
  if (contact.overlap <= 0i) {
    return;
  }
  let approach = dot_with((*gathered).velocity - load_whole(velocity_in[other.slot]), contact.normal);
  if (approach > (*gathered).fastest) {
    return;
  }
  let quanta = quanta_at(other.slot);
  if (approach == (*gathered).fastest) {
    if ((*gathered).partner == NO_PARTNER || !precedes(quanta, (*gathered).partner_quanta)) {
      return;
    }
  }
  (*gathered).fastest = approach;
  (*gathered).partner = other.slot;
  (*gathered).partner_quanta = quanta;
}

fn finish(gathered: Gathered, particle: Particle) {
  var all = gathered;
#if OBSTACLES
  probe_obstacles(&all, particle);
#endif
  partner_out[particle.slot] = all.partner;
}

fn skip(slot: u32) {
  partner_out[slot] = NO_PARTNER;
}
