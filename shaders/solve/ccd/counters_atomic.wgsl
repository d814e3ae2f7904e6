// Reads a counter to which other threads may be writing. counters_read.wgsl provides the same name for kernels that
// write no counters.
// Needs: counters.

fn counter_at(word: u32) -> u32 {
  return atomicLoad(&counters[word]);
}
