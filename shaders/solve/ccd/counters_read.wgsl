// Reads a counter in kernels that write none. counters_atomic.wgsl defines the same name.
// Needs: counters.

fn counter_at(word: u32) -> u32 {
  return counters[word];
}
