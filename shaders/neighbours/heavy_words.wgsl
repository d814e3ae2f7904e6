// The last words of `finer` describe heavy particles. `finer` has `words` words. From its end downwards:
// - one bit per slot
// - the number of heavy slots
// - the heavy slots
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
