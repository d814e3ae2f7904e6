// The finer entries of a cell: particles of levels lower by FINER_STEPS or more whose place is in it. Whoever is as large as the
// cells of a level finds there all that are so much smaller, in one range. Levels that nobody is on have none: so levels
// are noted first, before count.wgsl counts finer entries behind the buckets of the grid; here, on the sorted slots, they are
// listed at the scanned places and put in order. Where there are too few levels for finer entries, nothing of this is done, and
// anyone may be on any level. Inputs: where particles are; a sorted grid, starts. Outputs: `finer entries`, the word of levels that
// anyone is on (bit CROWD_BIT: some bucket, which scatter.wgsl notes, or list is crowded) and, from FINER_HEADER on,
// entries by bucket, ascending: a slot, and in the lowest FINER_LEVEL_BITS the level of the cell, since cells of two
// levels may share a bucket and a particle be the finer entry of both; at the end, a word a particle for heavy.wgsl; counts, zero
// again; for crowd.wgsl, the tiles of crowded lists, which it puts in order.

#if CLEAR

@compute @workgroup_size(LIST_COUNT_WORKGROUP_SIZE)
fn clear_finer() {
  finer[0] = select(0u, (1u << grid.levels) - 1u, grid.levels <= FINER_STEPS);
}
#elif NOTE

// Most threads find their bit set: then they need not wait for each other.
fn note(mask: u32) {
  if ((atomicLoad(&finer[0]) & mask) == 0u) {
    atomicOr(&finer[0], mask);
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn note_finer(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count) {
    return;
  }
  let body = position_in[slot];
  if (is_finite(place_of(body)) && has_size(radius_of(body))) {
    note(1u << level_of(radius_of(body)));
  }
}
#elif LIST

// Most threads find their bit set: then they need not wait for each other.
fn note(mask: u32) {
  if ((atomicLoad(&finer[0]) & mask) == 0u) {
    atomicOr(&finer[0], mask);
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn list_finer(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count || !is_in_grid(cell_of_slot[slot])) {
    return;
  }
  let level = level_of(radius_of(position_in[slot]));
  let cell = load_lattice(cell_of_slot[slot]);
  let occupied = atomicLoad(&finer[0]);
  for (var higher = level + FINER_STEPS; higher < grid.levels; higher++) {
    if ((occupied & (1u << higher)) == 0u) {
      continue;
    }
    let bucket = finer_bucket(bucket_at(coarsened(cell, level, higher), higher));
    let rank = atomicAdd(&counts[bucket], 1u);
    let place = FINER_HEADER + start[bucket] - grid.count + rank;
    if (place < arrayLength(&finer)) {
      atomicStore(&finer[place], (slot << FINER_LEVEL_BITS) | higher);
    }
    // As in scatter.wgsl.
    if (rank == CROWDED || (rank > CROWDED && rank % CROWD_TILE == 0u)) {
      note(1u << CROWD_BIT);
      let tile = atomicAdd(&crowd[0], 1u);
      atomicMax(&crowd[TILE_DISPATCH], min(tile + 1u, CROWD_WORKGROUPS));
      atomicStore(&crowd[CROWD_HEADER + 2u * tile], bucket);
      atomicStore(&crowd[CROWD_HEADER + 2u * tile + 1u], select(rank / CROWD_TILE, 0u, rank == CROWDED));
    }
  }
}
#else

// One thread a bucket; lists are short, or crowd.wgsl's.
@compute @workgroup_size(WORKGROUP_SIZE)
fn order_finer(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let index = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (index >= finer_buckets()) {
    return;
  }
  let bucket = grid.cell_count + FINER_BUCKETS + index;
  let length = start[bucket + 1u] - start[bucket];
  if (length == 0u) {
    return;
  }
  counts[bucket] = 0u;
  let first = FINER_HEADER + start[bucket] - grid.count;
  let end = select(first, first + length, length <= CROWDED && first + length <= arrayLength(&finer));
  for (var next = first + 1u; next < end; next++) {
    let moving = finer[next];
    var place = next;
    while (place > first && finer[place - 1u] > moving) {
      finer[place] = finer[place - 1u];
      place--;
    }
    finer[place] = moving;
  }
}
#endif
