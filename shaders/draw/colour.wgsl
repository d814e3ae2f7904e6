// What colour a particle has: that of its speed; with VALUED that of a number of its own, such as its id; with AGED
// that of the time since its birth, which is kept by id; with PLAIN that of particles which never move. Needs frame.

#if !PLAIN
// Of their size, what they are drawn in: less where lines between them are to be seen.
fn drawn_share() -> f32 {
  return frame.lowest.w;
}

#if VALUED
@group(1) @binding(1) var<storage, read> value: array<u32>;
#elif AGED
// Seconds.
@group(1) @binding(1) var<storage, read> birth: array<f32>;
@group(1) @binding(2) var<storage, read> id: array<u32>;
#else
@group(1) @binding(1) var<storage, read> velocity: array<Stored>;
#endif

// Share of the scale, from 0 to 1.
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
