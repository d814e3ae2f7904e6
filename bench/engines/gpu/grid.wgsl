// A grid kernel (docs/kernels.md) that counts each pair once, at the body in the lower slot. Link with found.wgsl and a
// function `touches`, which decides whether a visited neighbour overlaps.

alias Own = Found;

fn begin(particle: Particle) -> Own {
  return Own();
}

fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
  if (other.slot > particle.slot && touches(particle, other)) {
    find_pair(own, id_of(particle.slot), id_of(other.slot));
  }
}

fn merge(own: ptr<function, Own>, other: Own) {
  (*own).pairs += other.pairs;
  (*own).checksum += other.checksum;
}

fn finish(own: Own, particle: Particle) {
  fold_found(own, particle.slot);
}
