// Like each_heavy.wgsl, but lists neighbours by id without a sort: sets one bit per neighbour and reads the bits in
// order. Instead of finish and merge, the kernel defines
//   fn own_stretch(gathered: Gathered) -> Stretch        the particle's part of the list
//   fn put(gathered: Gathered, index: u32, id: u32)      writes an entry
//   fn put_empty(index: u32)                             marks an entry that stays empty
// Its Gathered has a field `marks`, which visit passes to `mark`.
// `offsets`, an array<atomic<u32>>, has two parts (offsetBytes in src/passes/query/pairs.ts). n is the number of ids,
// rounded up to a multiple of 32:
// - n + MARK_ROWS words for the offsets
// - n words for the marks: MARK_ROWS = 32 rows of n bits
// Needs: offsets, linear_workgroup, is_listed, heavy_at, particle_of, position_in, begin, probe, cell_of_slot.
// Needs: reach_squared, own_stretch, put, put_empty.

var<workgroup> marked: array<u32, HEAVY_WORKGROUP_SIZE>;

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
    var gathered = begin(particle);
    gathered.marks = first;
    probe(&gathered, particle, slot, cell_of_slot[slot], reach_squared(), thread);
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
    let stretch = own_stretch(gathered);
    for (var word = begin_word; word < end_word; word++) {
      var bits = atomicLoad(&offsets[first + word]);
      while (bits != 0u) {
        if (before < stretch.room) {
          put(gathered, stretch.first + before, 32u * word + firstTrailingBit(bits));
        }
        before++;
        bits &= bits - 1u;
      }
    }
    for (var hole = all + thread; hole < stretch.room; hole += HEAVY_WORKGROUP_SIZE) {
      put_empty(stretch.first + hole);
    }
    workgroupBarrier();
  }
}
