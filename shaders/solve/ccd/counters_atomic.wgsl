// Reads a counter that other threads may be writing.
// Needs: counters.

fn counter_at(word: u32) -> u32 {
  return atomicLoad(&counters[word]);
}
