// Moves bodies into the order of their sorted ids. Output: bodies, by slot.

@group(1) @binding(0) var<storage, read> bodies: array<PackedBody>;
@group(1) @binding(1) var<storage, read> ids: array<u32>;
@group(1) @binding(2) var<storage, read_write> sorted: array<PackedBody>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn sort_bodies(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot < grid.count) {
    sorted[slot] = bodies[min(ids[slot], grid.count - 1u)];
  }
}
