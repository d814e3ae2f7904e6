// Where the heavy particles of a grid with levels are noted (see grid/heavy.wgsl): at the end of `finer entries`, which is `words`
// long. The last words have a bit for each slot, that says whether it is heavy; before these is the number of heavy slots, and
// before that these slots, from the last down. What is beyond them is left from earlier sorts. Needs params.

fn heavy_bits_at(words: u32, slot: u32) -> u32 {
  return words - 1u - slot / 32u;
}

fn heavy_number_at(words: u32) -> u32 {
  return heavy_bits_at(words, grid.count + 31u);
}

fn heavy_place(words: u32, index: u32) -> u32 {
  return heavy_number_at(words) - 1u - index;
}
