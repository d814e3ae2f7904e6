// The types for kernels that visit the neighbours of each particle. These kernels define
//   struct Gathered                 what the kernel gathers per particle,
//   fn reach_squared() -> f32       the square of the reach, or of the share if the reach is a share (see below),
//   fn begin(particle: Particle) -> Gathered
//   fn visit(gathered: ptr<function, Gathered>, particle: Particle, other: Neighbour)
//   fn finish(gathered: Gathered, particle: Particle)
//   fn skip(slot: u32)              called for quarantined and removed particles instead of begin, visit and finish.
// For heavy particles they also define `merge`: see neighbours/each_heavy.wgsl.
// The reach is
//   any length                          with neighbours/probe_box.wgsl
//   at most the edge of a cell          in other loops with equal radii
//   a share of the sum of both radii    in other loops with variable radii

struct Particle {
  slot: u32,
  position: Vector,
#if VARIABLE_RADII
  radius: f32,
#if HAS_BOXES
  half: Vector,
  bulk: f32,
#endif
#endif
}

struct Neighbour {
  slot: u32,
  // Points from the neighbour's nearest image to the particle.
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
