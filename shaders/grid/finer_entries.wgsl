// Lists the finer entries of each cell in one range. A cell has an entry for each particle inside it that is at least
// FINER_STEPS levels below the level of the cell.
// - clear_finer clears the first word. If there are too few levels for finer entries, it marks all levels as occupied.
// - note_finer notes occupied levels, because cells of empty levels get no finer entries.
// - count.wgsl counts finer entries, in buckets behind the grid's buckets.
// - list_finer writes entries after the sort.
// - order_finer sorts the lists that are not crowded, and zeroes `counts` again.
// Layout of `finer`:
// - the first word: one bit per occupied level, and CROWD_BIT
// - from FINER_HEADER on: the entries, which are slots, by bucket, ascending in each bucket
// - at the end: words for heavy.wgsl
// Needs: finer, grid, linear_workgroup, position_in, is_finite, has_size, level_of, is_in_grid, cell_of_slot.
// Needs: levels_with_entries, finer_bucket, bucket_at, coarsened, counts, start, crowd, finer_buckets.

#if CLEAR

@compute @workgroup_size(LIST_COUNT_WORKGROUP_SIZE)
fn clear_finer() {
  finer[0] = select(0u, (1u << grid.levels) - 1u, grid.levels <= FINER_STEPS);
}
#elif NOTE

// Loads the word first: usually the bit is set, and no atomic write is needed.
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
  if (is_finite(body_position(body)) && has_size(radius_of(body))) {
    note(1u << level_of(radius_of(body)));
  }
}
#elif LIST

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
  var left = levels_with_entries(level, atomicLoad(&finer[0]));
  while (left != 0u) {
    let higher = firstTrailingBit(left);
    left &= left - 1u;
    let bucket = finer_bucket(bucket_at(coarsened(cell, level, higher), higher));
    let rank = atomicAdd(&counts[bucket], 1u);
    let index = FINER_HEADER + start[bucket] - grid.count + rank;
    if (index < arrayLength(&finer)) {
      atomicStore(&finer[index], slot);
    }
    // scatter.wgsl does the same for crowded buckets.
    if (rank == CROWDED || (rank > CROWDED && rank % CROWD_TILE == 0u)) {
      note(1u << CROWD_BIT);
      let tile = atomicAdd(&crowd[0], 1u);
      atomicMax(&crowd[TILE_DISPATCH], min(tile + 1u, LOOPING_WORKGROUPS));
      atomicStore(&crowd[CROWD_HEADER + 2u * tile], bucket);
      atomicStore(&crowd[CROWD_HEADER + 2u * tile + 1u], select(rank / CROWD_TILE, 0u, rank == CROWDED));
    }
  }
}
#else

// Sorts lists of at most CROWDED entries by insertion; crowd.wgsl sorts longer ones.
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
    var position = next;
    while (position > first && finer[position - 1u] > moving) {
      finer[position] = finer[position - 1u];
      position--;
    }
    finer[position] = moving;
  }
}
#endif
