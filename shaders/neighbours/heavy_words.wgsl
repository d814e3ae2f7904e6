// The words for heavy particles in a grid with levels (see grid/heavy.wgsl), at the end of `finer`, whose length is
// `words`. The last words have one bit per slot, set if the slot is heavy. Before these bits is the number of heavy
// slots. Before the number are the heavy slots themselves: the first one directly before the number, the next one a
// word lower, and so on. The words below the last heavy slot may be left over from earlier sorts; no kernel reads them.
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
