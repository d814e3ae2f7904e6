// The types that kernels over particles and their neighbours receive. Such a kernel defines
//   struct Gathered                 what it gathers per particle,
//   fn reach_squared() -> f32       the square of the reach; see below.
//   fn begin(particle: Particle) -> Gathered
//   fn visit(gathered: ptr<function, Gathered>, particle: Particle, other: Neighbour)
//   fn finish(gathered: Gathered, particle: Particle)
//   fn skip(slot: u32)              called instead of these three for quarantined and removed particles.
// each_particle.wgsl calls begin, then visit for every other particle within the reach, then finish.
// With neighbours/probe_box.wgsl, the reach may be any length. In other loops with equal radii, the reach is at most
// the size of a cell. In other loops with variable radii, its unit is the sum of both radii: 1 finds overlaps.

struct Particle {
  slot: u32,
  position: Vector,
#if VARIABLE_RADII
  radius: f32,
#if HAS_BOXES
  // Half edges and volume radius: see `shape` in body.wgsl.
  half: Vector,
  bulk: f32,
#endif
#endif
}

struct Neighbour {
  slot: u32,
  // The vector from the neighbour to the particle. In a periodic world, it begins at the neighbour's nearest image.
  apart: Vector,
  distance_squared: f32,
#if VARIABLE_RADII
  radius: f32,
#if HAS_BOXES
  half: Vector,
  bulk: f32,
#endif
#endif
}

fn particle_of(slot: u32, body: PackedBody) -> Particle {
#if VARIABLE_RADII
#if HAS_BOXES
  return Particle(slot, body_position(body), radius_of(body), upper_of(body.shape), body.shape.w);
#else
  return Particle(slot, body_position(body), radius_of(body));
#endif
#else
  return Particle(slot, body_position(body));
#endif
}

fn neighbour_of(slot: u32, apart: Vector, distance_squared: f32, body: PackedBody) -> Neighbour {
#if VARIABLE_RADII
#if HAS_BOXES
  return Neighbour(slot, apart, distance_squared, radius_of(body), upper_of(body.shape), body.shape.w);
#else
  return Neighbour(slot, apart, distance_squared, radius_of(body));
#endif
#else
  return Neighbour(slot, apart, distance_squared);
#endif
}
