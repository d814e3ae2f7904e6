// The kernel of each_particle.wgsl for heavy particles (see grid/heavy.wgsl): a workgroup each, whose threads take
// turns at the candidates. Of the kernel it needs one function more,
//   fn merge(own: ptr<function, Own>, other: Own)    adds to what a thread has gathered what another has,
// and one binding more: crowd: array<u32>. Every thread begins; the first merges, in the order of threads, and
// finishes: the same state gives the same bits.

var<workgroup> gathered: array<Own, HEAVY_WORKGROUP_SIZE>;

@compute @workgroup_size(HEAVY_WORKGROUP_SIZE)
fn each_heavy(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let count = min(crowd[1], arrayLength(&crowd) - CROWD_HEADER);
  for (var index = linear_workgroup(workgroup, workgroups); index < count; index += workgroups.x * workgroups.y) {
    let slot = crowd[CROWD_HEADER + index];
    var particle = Particle();
    particle.slot = slot;
    particle.position = place_of(position_in[slot]);
#if MIXED
    particle.radius = radius_of(position_in[slot]);
#endif
    var own = begin(particle);
    probe(&own, particle, slot, cell_of_slot[slot], reach_squared(), thread);
    gathered[thread] = own;
    workgroupBarrier();
    if (thread == 0u) {
      for (var other = 1u; other < HEAVY_WORKGROUP_SIZE; other++) {
        merge(&own, gathered[other]);
      }
      finish(own, particle);
    }
    workgroupBarrier();
  }
}
