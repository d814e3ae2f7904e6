// The kernel of each_particle.wgsl for heavy particles, where neighbours are listed by id: in place of sorting, a workgroup
// marks a bit for each, and goes over the bits in order. Of the kernel it needs, in place of finish and merge,
//   fn places_of(own: Own) -> Stretch                   where its list goes,
//   fn put(own: Own, place: u32, id: u32)               writes an entry,
//   fn leave_out(place: u32)                            marks a place that stays empty,
// and offsets: array<atomic<u32>>, with marks behind the offsets: MARK_ROWS rows of a bit for each id, the offsets as many
// words as a row has bits, and MARK_ROWS more (see offsetBytes in src/passes/query/pairs.ts). `visit` marks with `mark`. After
// heavy_list.wgsl. Ordering: ids ascending, whatever the order of threads.

var<workgroup> marked: array<u32, HEAVY_WORKGROUP_SIZE>;

// Ids that a row has bits for.
fn marked_ids() -> u32 {
  return (arrayLength(&offsets) - MARK_ROWS) / 2u;
}

fn first_mark(row: u32) -> u32 {
  let ids = marked_ids();
  return ids + MARK_ROWS + row * (ids / 32u);
}

fn mark(first: u32, id: u32) {
  if (id < marked_ids()) {
    atomicOr(&offsets[first + id / 32u], 1u << (id % 32u));
  }
}

@compute @workgroup_size(HEAVY_WORKGROUP_SIZE)
fn each_heavy(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let row = linear_workgroup(workgroup, workgroups);
  if (row >= MARK_ROWS) {
    return;
  }
  let stride = min(workgroups.x * workgroups.y, MARK_ROWS);
  let first = first_mark(row);
  let words = marked_ids() / 32u;
  // Of each thread a run of words.
  let share = (words + HEAVY_WORKGROUP_SIZE - 1u) / HEAVY_WORKGROUP_SIZE;
  let begin_word = min(thread * share, words);
  let end_word = min(begin_word + share, words);
  for (var index = row; is_listed(index); index += stride) {
    for (var word = begin_word; word < end_word; word++) {
      atomicStore(&offsets[first + word], 0u);
    }
    storageBarrier();
    let slot = heavy_at(index);
    let particle = particle_of(slot, position_in[slot]);
    var own = begin(particle);
    own.marks = first;
    probe(&own, particle, slot, cell_of_slot[slot], reach_squared(), thread);
    storageBarrier();
    var found = 0u;
    for (var word = begin_word; word < end_word; word++) {
      found += countOneBits(atomicLoad(&offsets[first + word]));
    }
    marked[thread] = found;
    workgroupBarrier();
    var before = 0u;
    var all = 0u;
    for (var other = 0u; other < HEAVY_WORKGROUP_SIZE; other++) {
      before += select(0u, marked[other], other < thread);
      all += marked[other];
    }
    let places = places_of(own);
    for (var word = begin_word; word < end_word; word++) {
      var bits = atomicLoad(&offsets[first + word]);
      while (bits != 0u) {
        if (before < places.room) {
          put(own, places.first + before, 32u * word + firstTrailingBit(bits));
        }
        before++;
        bits &= bits - 1u;
      }
    }
    for (var place = all + thread; place < places.room; place += HEAVY_WORKGROUP_SIZE) {
      leave_out(places.first + place);
    }
    workgroupBarrier();
  }
}
