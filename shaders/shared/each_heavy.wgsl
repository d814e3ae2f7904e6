// The kernel of each_particle.wgsl for heavy particles (see grid/heavy.wgsl): a workgroup each, whose threads take
// turns at the candidates. Of the kernel it needs one function more,
//   fn merge(own: ptr<function, Own>, other: Own)    adds to what a thread has gathered what another has,
// and one binding more: crowd: array<u32>, or, where particles have radii of their own, guests, which it has anyway. Every
// thread begins; the first merges, in the order of threads, and finishes: the same state gives the same bits.

#if MIXED
fn is_listed(index: u32) -> bool {
  return index < grid.count && heavy_at(index) != NOBODY;
}

fn heavy_at(index: u32) -> u32 {
  return guests[heavy_place(arrayLength(&guests), index)];
}
#else
fn is_listed(index: u32) -> bool {
  return index < min(crowd[1], arrayLength(&crowd) - CROWD_HEADER);
}

fn heavy_at(index: u32) -> u32 {
  return crowd[CROWD_HEADER + index];
}
#endif

var<workgroup> gathered: array<Own, HEAVY_WORKGROUP_SIZE>;

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
