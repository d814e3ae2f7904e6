// What a kernel over particles and their neighbours is made of. The kernel defines
//   struct Own                                                   what a particle gathers,
//   fn reach_squared() -> f32                                    how far it looks, at most the size of a cell (where
//                                                                particles have radii of their own, in squares of the
//                                                                sum of two: 1 for those that overlap),
//   fn reach_cells() -> u32                                      or, with probe_wide.wgsl, so many cells on,
//   fn begin(particle: Particle) -> Own
//   fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour)
//   fn finish(own: Own, particle: Particle)
//   fn skip(slot: u32)                                           for particles that are set aside
// and each_particle.wgsl calls them: begin, visit for every other particle nearer than the reach, finish.

struct Particle {
  slot: u32,
  position: Vector,
#if MIXED
  radius: f32,
#endif
}

struct Neighbour {
  slot: u32,
  // From the neighbour (in a periodic world its nearest image) to the particle.
  apart: Vector,
  distance_squared: f32,
#if MIXED
  radius: f32,
#endif
}
