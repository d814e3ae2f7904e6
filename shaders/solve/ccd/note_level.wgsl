// Notes a particle's level in a counter with one bit per level.
// Needs: level_of_body, counters.

fn note_level(word: u32, body: PackedBody) {
  let bit = 1u << level_of_body(body);
  if ((atomicLoad(&counters[word]) & bit) == 0u) {
    atomicOr(&counters[word], bit);
  }
}
