// Lists heavy particles, each of which gets a workgroup. A particle is heavy if a row around it holds more than
// HEAVY_ROW candidates or finer entries. Probes that take three rows at a time compare the sum of all three with 3 ×
// HEAVY_ROW instead. If no cell and no list of finer entries is crowded, no particle is heavy.
//
// Before the sort, `clear` resets the counters in `crowd`. With equal radii, the list overwrites crowd.wgsl's list of
// tiles. With variable radii, it is at the end of `finer` (neighbours/heavy_words.wgsl), and afterwards `close` copies
// the number of heavy particles there.
// Needs: finer, heavy_number_at, crowd, Particle, Neighbour, linear_workgroup, grid, is_in_grid, cell_of_slot.
// Needs: has_too_many, heavy_slot_at, heavy_bits_at, is_heavy.

#if CLOSE

@compute @workgroup_size(LIST_COUNT_WORKGROUP_SIZE)
fn close() {
  finer[heavy_number_at(arrayLength(&finer))] = atomicLoad(&crowd[1]);
}
#elif !CLEAR
// The linked neighbour loop needs these declarations, but this kernel never calls the loop.

alias Gathered = u32;

fn visit(gathered: ptr<function, Gathered>, particle: Particle, other: Neighbour) {
}

fn list_one() -> u32 {
  let index = atomicAdd(&crowd[1], 1u);
  atomicMax(&crowd[HEAVY_DISPATCH], min(index + 1u, LOOPING_WORKGROUPS));
  return index;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn list_heavy(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
#if VARIABLE_RADII
  let has_crowds = (finer[0] & (1u << CROWD_BIT)) != 0u;
#else
  let has_crowds = atomicLoad(&crowd[0]) != 0u;
#endif
  if (!has_crowds) {
    return;
  }
  let stride = workgroups.x * workgroups.y * WORKGROUP_SIZE;
  let first = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
#if VARIABLE_RADII
  for (var slots = 32u * first; slots < grid.count; slots += 32u * stride) {
    var bits = 0u;
    for (var slot = slots; slot < min(slots + 32u, grid.count); slot++) {
      if (is_in_grid(cell_of_slot[slot]) && has_too_many(slot)) {
        bits |= 1u << (slot % 32u);
        let index = list_one();
        if (index < grid.count) {
          finer[heavy_slot_at(arrayLength(&finer), index)] = slot;
        }
      }
    }
    finer[heavy_bits_at(arrayLength(&finer), slots)] = bits;
  }
#else
  for (var slot = first; slot < grid.count; slot += stride) {
    if (is_in_grid(cell_of_slot[slot]) && is_heavy(slot)) {
      let index = list_one();
      if (CROWD_HEADER + index < arrayLength(&crowd)) {
        atomicStore(&crowd[CROWD_HEADER + index], slot);
      }
    }
  }
#endif
}
#else
@compute @workgroup_size(LIST_COUNT_WORKGROUP_SIZE)
fn clear() {
  atomicStore(&crowd[0], 0u);
  atomicStore(&crowd[1], 0u);
  for (var dispatch = TILE_DISPATCH; dispatch <= HEAVY_DISPATCH; dispatch += HEAVY_DISPATCH - TILE_DISPATCH) {
    atomicStore(&crowd[dispatch], 0u);
    atomicStore(&crowd[dispatch + 1u], 1u);
    atomicStore(&crowd[dispatch + 2u], 1u);
  }
}
#endif
