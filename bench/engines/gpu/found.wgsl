// Counts the pairs that a thread finds and adds them to `counters`. Counter i has the number of pairs at index 2 * i,
// and the sum of their mix_pair at 2 * i + 1. Link with mix_pair and FOLD_COUNTERS; the kernel must declare
// `counters: array<atomic<u32>>`.

struct Found {
  pairs: u32,
  checksum: u32,
}

fn find_pair(found: ptr<function, Found>, a: u32, b: u32) {
  (*found).pairs += 1u;
  (*found).checksum += mix_pair(a, b);
}

// Neighbouring threads add to different counters, so that they rarely wait for each other.
fn fold_found(found: Found, thread: u32) {
  if (found.pairs == 0u) {
    return;
  }
  let counter = 2u * (thread % FOLD_COUNTERS);
  atomicAdd(&counters[counter], found.pairs);
  atomicAdd(&counters[counter + 1u], found.checksum);
}
