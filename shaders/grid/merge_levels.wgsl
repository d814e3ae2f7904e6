// Decides how many of the lowest levels of an unbounded world are merged: those whose cells hold less than half a
// particle on average. Looking up such cells takes longer than testing the particles in larger ones. The particles of
// merged levels are sorted into cells of the next level.
// - sample_particles lists about 2.8 to 5.7 · √count particles. A hash of the position chooses them, so the choice does
//   not depend on the order of particles.
// - compare_sample counts each pair of the sample on the lowest level where both particles are in the same cell.
// - settle_levels chooses the lowest level with enough pairs. It also shifts the bits of occupied levels in `finer`, so
//   that bit 0 stands for the new lowest level.
// `sample` holds cells of the lowest level. `shared_cells` holds the number of particles in the sample, then the pairs
// per level; its words are zero between sorts.
// Needs: grid, linear_workgroup, position_in, mix_bits, snap, is_finite, has_size, shared_cells, sample, finest_at.
// Needs: start, finer.

// Returns k; 2^-k is the share of particles in the sample. Twin: src/core/world/merged-levels.ts.
fn sample_shift() -> u32 {
  return max(32u - countLeadingZeros(grid.count), 4u) / 2u - 2u;
}

#if SAMPLE
@compute @workgroup_size(WORKGROUP_SIZE)
fn sample_particles(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count) {
    return;
  }
  let body = position_in[slot];
  let position = body_position(body);
  let hash = mix_bits(hash_lattice(bitcast<Lattice>(snap(position))));
  let is_chosen = (hash & ((1u << sample_shift()) - 1u)) == 0u;
  if (is_chosen && is_finite(position) && has_size(radius_of(body))) {
    let index = atomicAdd(&shared_cells[0], 1u);
    if (index < arrayLength(&sample)) {
      sample[index] = store_lattice(finest_at(position));
    }
  }
}
#elif COMPARE

// `threads` threads compare each particle of the sample with the half of the list that follows it. After its end, the
// list continues at its start.
@compute @workgroup_size(WORKGROUP_SIZE)
fn compare_sample(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let sampled = atomicLoad(&shared_cells[0]);
  let index = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  let threads = workgroups.x * workgroups.y * WORKGROUP_SIZE / max(sampled, 1u);
  if (sampled > arrayLength(&sample) || index >= sampled * threads) {
    return;
  }
  let one = index / threads;
  let cell = load_lattice(sample[one]);
  // In a list of even length, only particles in the first half are compared with the one half a list later, so that
  // each pair counts once.
  let last = (sampled - 1u) / 2u + select(0u, 1u, sampled % 2u == 0u && one < sampled / 2u);
  // Loops count down, as in neighbours/probe_bounded.wgsl.
  var other = one + 1u + index % threads;
  for (var left = (last + threads - 1u - index % threads) / threads; left > 0u; left--) {
    let differing = cell ^ load_lattice(sample[other - select(0u, sampled, other >= sampled)]);
    other += threads;
    let bits = u32(differing.x | differing.y | differing[DIMENSIONS - 1u]);
    // A loop instead of a branch: software GPUs skip it if no thread has a pair that shares a cell on any level.
    for (var pairs = select(0u, 1u, bits < (1u << (grid.levels - 1u))); pairs > 0u; pairs--) {
      atomicAdd(&shared_cells[33u - countLeadingZeros(bits)], 1u);
    }
  }
}
#else

@compute @workgroup_size(LIST_COUNT_WORKGROUP_SIZE)
fn settle_levels() {
  // The expected pairs of the sample in the same cell if a cell holds half a particle: count / 4^(k + 1), rounded up.
  let shift = 2u * (sample_shift() + 1u);
  let least = (grid.count + (1u << shift) - 1u) >> shift;
  let is_full = shared_cells[0] > arrayLength(&sample);
  var merged = 0u;
  var pairs = shared_cells[1];
  while (merged + 1u < grid.levels && pairs < least && !is_full) {
    merged++;
    pairs += shared_cells[1u + merged];
  }
  for (var index = 0u; index <= grid.levels; index++) {
    shared_cells[index] = 0u;
  }
  start[grid.merged_word] = merged;
  let lowest = select(0u, 1u, (finer[0] & ((2u << merged) - 1u)) != 0u);
  finer[0] = (finer[0] >> merged) | lowest;
}
#endif
