// Reads a counter that other threads may write. Same name: counters_read.wgsl.
// Needs: counters.

fn counter_at(word: u32) -> u32 {
  return atomicLoad(&counters[word]);
}
