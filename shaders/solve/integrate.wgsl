// Advances every particle by one substep (symplectic Euler: velocity first) and counts the buckets of where
// they arrive, so that the grid needs no pass of its own for it. Inputs and outputs: positions, velocities.
// Outputs: counts and ranks as in grid/count.wgsl. Particles that are not finite stay as they are.

@group(1) @binding(0) var<storage, read_write> position: array<Stored>;
@group(1) @binding(1) var<storage, read_write> velocity: array<Stored>;
@group(1) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
@group(1) @binding(3) var<storage, read_write> ranks: array<u32>;
@group(1) @binding(4) var<storage, read> id_in: array<u32>;

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
  var place = load_vector(position[slot]);
  if (is_finite(place)) {
    let speed = load_vector(velocity[slot]) + substep.gravity * substep.dt;
    place += speed * substep.dt;
    velocity[slot] = store_vector(speed);
    position[slot] = store_vector(place);
  }
  ranks[slot] = atomicAdd(&counts[bucket_of(place, id_in[slot])], 1u);
}
