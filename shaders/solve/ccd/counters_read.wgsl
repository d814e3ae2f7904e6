// Reads a counter, in kernels that write no counters. counters_atomic.wgsl provides the same name for other kernels.
// Needs: counters.

fn counter_at(word: u32) -> u32 {
  return counters[word];
}
