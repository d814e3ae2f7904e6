// A particle's colour shows its speed. With VALUED, the colour shows a number per particle instead; with AGED, the time
// since the particle's birth. With PLAIN, obstacles are drawn, in one colour.
// Needs: frame, value, birth, id, velocity, colour_at.

#if !PLAIN
// Returns the factor that scales particles in 3D: below 1 if lines between particles must be visible.
fn drawn_share() -> f32 {
  return frame.lowest.w;
}

fn share_of(slot: u32) -> f32 {
#if VALUED
  let share = f32(value[slot]) * frame.scale.z;
#elif AGED
  let share = (frame.fog.w - birth[min(id[slot], arrayLength(&birth) - 1u)]) * frame.scale.z;
#else
  let share = length(load_vector(velocity[slot])) * frame.scale.z;
#endif
  return clamp(share, 0.0, 1.0);
}

fn colour_of(slot: u32) -> vec3f {
  return colour_at(share_of(slot));
}
#else
fn drawn_share() -> f32 {
  return 1.0;
}

fn colour_of(slot: u32) -> vec3f {
  return frame.obstacle.rgb;
}
#endif
