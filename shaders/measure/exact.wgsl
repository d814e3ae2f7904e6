// The parts of measure.wgsl that differ in exact simulations.
// Needs: Gathered, Particle, Neighbour, exact_contact, quanta_at, substep.

fn visit(gathered: ptr<function, Gathered>, particle: Particle, other: Neighbour) {
  let contact = exact_contact(quanta_at(particle.slot), particle.slot, other.slot);
  if (contact.overlap <= 0i) {
    return;
  }
  let overlap = f32(contact.overlap) * substep.quantum;
  (*gathered).contacts += 1u;
  (*gathered).deepest = max((*gathered).deepest, overlap);
  (*gathered).overlap += overlap;
}

fn is_outside(slot: u32, position: Vector) -> bool {
  let quanta = quanta_at(slot);
  return any(quanta < Lattice()) || any(quanta > Lattice(substep.extent));
}
