// The colour of a particle: by speed; with VALUED by a number per particle, such as its id; with AGED by the time since
// its birth, which is stored by id; with PLAIN one colour for particles that never move. Needs frame.
// Needs: frame, colour_at.

#if !PLAIN
// The share of their size at which particles are drawn: less than 1 if lines between them must be visible.
fn drawn_share() -> f32 {
  return frame.lowest.w;
}

#if VALUED
@group(1) @binding(1) var<storage, read> value: array<u32>;
#elif AGED
// In seconds.
@group(1) @binding(1) var<storage, read> birth: array<f32>;
@group(1) @binding(2) var<storage, read> id: array<u32>;
#else
@group(1) @binding(1) var<storage, read> velocity: array<Stored>;
#endif

// Returns the share of the scale, from 0 to 1.
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
