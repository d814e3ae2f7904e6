// Functions that a user's kernel may call. src/engine/grid/grid-kernel.ts declares the bindings.
// Needs: Own, position_in, id_in, velocity_in, REACH_SQUARED_BITS.

// Users' kernels name the struct Own, the engine's modules Gathered.
alias Gathered = Own;

fn position_of(slot: u32) -> Vector {
  return body_position(position_in[slot]);
}

// Returns a particle's index in the caller's buffers.
fn id_of(slot: u32) -> u32 {
  return id_in[slot];
}

#if VARIABLE_RADII
fn radius_at(slot: u32) -> f32 {
  return radius_of(position_in[slot]);
}
#endif

#if VELOCITY
fn velocity_of(slot: u32) -> Vector {
  return load_vector(velocity_in[slot]);
}
#endif

fn reach_squared() -> f32 {
  return bitcast<f32>(REACH_SQUARED_BITS);
}
