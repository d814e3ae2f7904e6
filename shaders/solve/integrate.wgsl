// Advances every particle by one substep (symplectic Euler: velocity first) and counts the buckets of where
// they arrive, so that the grid needs no pass of its own for it; not where paths may end elsewhere (flight.wgsl). Inputs and outputs: positions, velocities.
// Outputs: counts and ranks as in grid/count.wgsl. Particles that are not finite stay as they are;
// those that get too fast to be squared are set aside: their position becomes NaN.

// Bits, since a NaN can be written no other way.
@group(1) @binding(0) var<storage, read_write> position: array<StoredBits>;
@group(1) @binding(1) var<storage, read_write> velocity: array<Stored>;
#if COUNT
@group(1) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
@group(1) @binding(3) var<storage, read_write> ranks: array<u32>;
@group(1) @binding(4) var<storage, read> id_in: array<u32>;
#endif

fn is_too_fast(speed: Vector) -> bool {
  return any((bitcast<Extent>(speed) & Extent(MAGNITUDE_BITS)) >= Extent(GREATEST_SPEED_BITS));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn integrate(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count) {
    return;
  }
  var bits = position[slot];
  let place = load_vector(bitcast<Stored>(bits));
  if (is_finite(place)) {
    let speed = load_vector(velocity[slot]) + substep.gravity * substep.dt;
    velocity[slot] = store_vector(speed);
    bits = bitcast<StoredBits>(store_vector(carried(place + speed * substep.dt)));
    if (is_too_fast(speed)) {
      bits = StoredBits(NOT_A_NUMBER);
    }
    position[slot] = bits;
  }
#if COUNT
  ranks[slot] = atomicAdd(&counts[bucket_of(load_vector(bitcast<Stored>(bits)), id_in[slot])], 1u);
#endif
}
