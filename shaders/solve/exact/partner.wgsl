// Finds each particle's partner in an exact simulation: its fastest approaching contact above the rest speed, or
// NO_PARTNER. Among equally fast contacts, the neighbour with the lowest position wins (`precedes`), then the one with
// the lowest slot. Ids ascend inside a cell, so among particles at the same position the lowest slot has the lowest id.
// Twin: findExactPartners in src/cpu/solver/exact/contact.ts.
// Needs: substep, Particle, quanta_at, velocity_in, Neighbour, exact_contact, dot_with, precedes, partner_out.

struct Gathered {
  quanta: Lattice,
  velocity: Lattice,
  fastest: i32,
  partner: u32,
  partner_quanta: Lattice,
}

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
  partner_out[particle.slot] = gathered.partner;
}

fn skip(slot: u32) {
  partner_out[slot] = NO_PARTNER;
}
