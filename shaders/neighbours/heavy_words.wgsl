// The words for heavy particles in a grid with levels (see grid/heavy.wgsl). They are at the end of `finer`, whose
// length is `words`. From the end downwards:
// - one bit per slot, set if the slot is heavy
// - the number of heavy slots
// - the heavy slots
// Words between the finer entries and the heavy slots may be left over from earlier sorts.
// Needs: grid.

fn heavy_bits_at(words: u32, slot: u32) -> u32 {
  return words - 1u - slot / 32u;
}

fn heavy_number_at(words: u32) -> u32 {
  return heavy_bits_at(words, grid.count + 31u);
}

fn heavy_slot_at(words: u32, index: u32) -> u32 {
  return heavy_number_at(words) - 1u - index;
}
