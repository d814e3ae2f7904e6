// Writes each particle's slot and id at its bucket's start plus its rank. Inputs: positions, ranks, starts
// (and ids). Output: entries, grouped by bucket; inside a bucket in the order of the atomics, which
// gather.wgsl makes canonical.

@group(1) @binding(0) var<storage, read> position_in: array<Stored>;
@group(1) @binding(1) var<storage, read> ranks: array<u32>;
@group(1) @binding(2) var<storage, read> start: array<u32>;
// x: slot the particle comes from, y: its id.
@group(1) @binding(3) var<storage, read_write> entries: array<vec2u>;
#if IDS
@group(1) @binding(4) var<storage, read> id_in: array<u32>;
#endif

@compute @workgroup_size(WORKGROUP_SIZE)
fn scatter(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count) {
    return;
  }
  var id = slot;
#if IDS
  id = id_in[slot];
#endif
  let place = start[bucket_of(load_vector(position_in[slot]), id)] + ranks[slot];
  if (place < grid.count) {
    entries[place] = vec2u(slot, id);
  }
}
