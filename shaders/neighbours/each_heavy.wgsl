// Calls the functions that base/particle.wgsl lists, with one workgroup per heavy particle. The threads of a workgroup
// share the candidates. The first thread merges the results in the order of threads, so the bits are reproducible. The
// kernel also defines
//   fn merge(gathered: ptr<function, Gathered>, other: Gathered)
// Needs: Gathered, linear_workgroup, is_listed, heavy_at, particle_of, position_in, begin, probe, cell_of_slot.
// Needs: reach_squared, merge, finish.

var<workgroup> parts: array<Gathered, HEAVY_WORKGROUP_SIZE>;

@compute @workgroup_size(HEAVY_WORKGROUP_SIZE)
fn each_heavy(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let stride = workgroups.x * workgroups.y;
  for (var index = linear_workgroup(workgroup, workgroups); is_listed(index); index += stride) {
    let slot = heavy_at(index);
    let particle = particle_of(slot, position_in[slot]);
    var gathered = begin(particle);
    probe(&gathered, particle, slot, cell_of_slot[slot], reach_squared(), thread);
    parts[thread] = gathered;
    workgroupBarrier();
    if (thread == 0u) {
      for (var other = 1u; other < HEAVY_WORKGROUP_SIZE; other++) {
        merge(&gathered, parts[other]);
      }
      finish(gathered, particle);
    }
    workgroupBarrier();
  }
}
