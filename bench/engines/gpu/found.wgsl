// Counts the pairs of a thread and adds them to the counters: pairs at 2 i, the sum of mix_pair at 2 i + 1. Needs
// mix_pair and FOLD_COUNTERS, and counters: array<atomic<u32>> from the kernel.

struct Found {
  pairs: u32,
  checksum: u32,
}

fn find_pair(found: ptr<function, Found>, a: u32, b: u32) {
  (*found).pairs += 1u;
  (*found).checksum += mix_pair(a, b);
}

// Neighbouring threads add to different counters; threads without pairs add nothing.
fn fold_found(found: Found, thread: u32) {
  if (found.pairs == 0u) {
    return;
  }
  let counter = 2u * (thread % FOLD_COUNTERS);
  atomicAdd(&counters[counter], found.pairs);
  atomicAdd(&counters[counter + 1u], found.checksum);
}
