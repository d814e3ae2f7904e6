// Reads a counter in kernels that write none. Same name: counters_atomic.wgsl.
// Needs: counters.

fn counter_at(word: u32) -> u32 {
  return counters[word];
}
