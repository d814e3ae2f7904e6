// Notes the level of a particle in a counter with one bit per level. Only with VARIABLE_RADII. Linked with impact.wgsl.
// Needs: level_of_body, counters.

fn note_level(word: u32, body: PackedBody) {
  let bit = 1u << level_of_body(body);
  if ((atomicLoad(&counters[word]) & bit) == 0u) {
    atomicOr(&counters[word], bit);
  }
}
