// Reads a counter that other threads may write. counters_read.wgsl defines the same name.
// Needs: counters.

fn counter_at(word: u32) -> u32 {
  return atomicLoad(&counters[word]);
}
